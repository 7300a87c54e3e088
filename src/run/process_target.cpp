// SPDX-License-Identifier: Apache-2.0
#include "run/process_target.h"

#include <fmt/format.h>
#include <signal.h>
#include <sysexits.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>
#include <cstring>

#include "core/error.h"
#include "core/layout.h"
#include "core/names.h"
#include "core/text.h"
#include "run/guarded_memory.h"

namespace convict::run {
namespace {

using Clock = std::chrono::steady_clock;
using Margin = std::array<unsigned char, kFileMargin>;

/// Hears what a client has that was begun, and has a copy of it made where that can be.
struct StartedClient {
  std::unique_ptr<Client> client;
  ClientHello hello;
  uint64_t questions = 0;  // that it was asked
};

constexpr auto kStartTime = std::chrono::seconds(120);  // for a client to say hello, on a busy machine
constexpr std::string_view kWhatAnswers =
    "valid: a program that answers lines of JSON, such as `python3 -m convict serve mine.py:FUNCTION`";
constexpr auto kAnswerTime = std::chrono::seconds(5);  // for a client that has imported everything

/// Hears what a client has. Throws ClientGone, ClientSlow or BrokenProtocol.
ClientHello greet(Client& client, std::chrono::seconds patience) {
  const std::string question = hello_question(1, kFileFd, client.file_path());
  return hello_from(client.exchange(question, Clock::now() + patience), 1);
}

/// The same, of who must answer. Throws UsageError.
StartedClient greeted(std::unique_ptr<Client> client, const std::string& command) {
  const auto refuse = [&](const std::string& why) {
    const std::string said(trim(end_of_stderr(300)));
    throw UsageError(fmt::format("command '{}' {}{}", printable(command, 300), why,
                                 said.empty() ? "" : ": " + printable(said, 300)));
  };
  ClientHello hello;
  try {
    hello = greet(*client, kStartTime);
  } catch (const ClientGone& gone) {
    refuse(gone.exit_code == 0 && gone.signal == 0 ? fmt::format("{}; {}", gone.how, kWhatAnswers) : gone.how);
  } catch (const ClientSlow&) {
    refuse(fmt::format("has not answered for {} s", kStartTime.count()));
  } catch (const BrokenProtocol& error) {
    refuse(fmt::format("is no process target: {}", error.what()));
  }
  if (hello.protocol != kClientProtocol)
    refuse(fmt::format("speaks version {} of the protocol; this program speaks version {}", hello.protocol,
                       kClientProtocol));
  return {std::move(client), std::move(hello), 1};
}

/// Calls attempt(), which talks to a client, and returns what that returns; nothing if the client does not do its part.
template <class Attempt>
auto if_it_answers(const Attempt& attempt) -> std::optional<decltype(attempt())> {
  try {
    return attempt();
  } catch (const ClientGone&) {
  } catch (const ClientSlow&) {
  } catch (const BrokenProtocol&) {
  }
  return std::nullopt;
}

/// Asks a client that has answered nothing but hello to wait for others to be copied from it.
bool waits(StartedClient& one) {
  const auto answer = if_it_answers([&] {
    const uint64_t id = ++one.questions;
    return forks_from(one.client->exchange(fork_question(id, kForksFd), Clock::now() + kAnswerTime), id);
  });
  return answer.value_or(false);
}

/// `begun` is of this command and keeper, and was asked nothing. What goes wrong with copies is not the client's fault
/// as long as it can be started. Throws UsageError if it does not start or speaks another protocol.
StartedClient started_client(std::unique_ptr<Client> client, const std::string& command, const KeeperAddress& keeper) {
  if (client->may_be_copied()) {
    StartedClient first = greeted(std::move(client), command);
    const bool can_be_copied = first.hello.forks && waits(first);
    first.client->tell_keeper(can_be_copied);
    if (!first.hello.forks) return first;
    client = std::make_unique<Client>(command, can_be_copied ? keeper : KeeperAddress());
  }
  if (!client->is_copy()) return greeted(std::move(client), command);
  auto hello = if_it_answers([&] { return greet(*client, kAnswerTime); });
  if (hello && hello->protocol == kClientProtocol) return {std::move(client), std::move(*hello), 1};
  client->tell_keeper(false);  // so that it makes no more of this kind
  return greeted(std::make_unique<Client>(command), command);
}

constexpr size_t kFilePage = 4096;  // the least page size there is

size_t rounded_up(size_t bytes) { return (bytes + kFilePage - 1) / kFilePage * kFilePage; }

size_t bytes_of(const convict_tensor& tensor) {
  return static_cast<size_t>(std::max<int64_t>(0, buffer_count(tensor))) * type_size(tensor.dtype);
}

/// The first byte of the buffer that a tensor is a part of.
unsigned char* buffer_of(const convict_tensor& tensor) {
  return static_cast<unsigned char*>(tensor.data) - static_cast<size_t>(tensor.offset) * type_size(tensor.dtype);
}

bool is_output(const Role& role, const convict_problem& p) { return role.is_output[p.pass]; }

/// Calls visit(role, tensor, place) for each operand of the pass.
template <class Visit>
void for_each_operand(const convict_tensors& tensors, const FilePlaces& places, const Visit& visit) {
  for (size_t i = 0; i < kRoles.size(); ++i)
    if (const convict_tensor& tensor = tensors.*kRoles[i].tensor; tensor.ndim != 0) visit(kRoles[i], tensor, places[i]);
}

/// What lies beside an operand: words of poison, as in memory (run/guarded_memory.h).

constexpr Margin margin_of(uint16_t word) {
  Margin margin{};
  for (size_t i = 0; i < kFileMargin; ++i) margin[i] = static_cast<unsigned char>(i % 2 == 0 ? word : word >> 8);
  return margin;
}

constexpr Margin kInputMargin = margin_of(kInputPoison), kOutputMargin = margin_of(kOutputPoison);

const Margin& margin_beside(const Role& role, const convict_problem& p) {
  return is_output(role, p) ? kOutputMargin : kInputMargin;
}

bool is_intact(const unsigned char* bytes, const Margin& margin) {
  return std::memcmp(bytes, margin.data(), kFileMargin) == 0;
}

/// Copies only bytes that differ. If a client has changed an input, that faults, because inputs are mapped read-only.
void copy_changes(const unsigned char* from, unsigned char* to, size_t bytes) {
  if (std::memcmp(from, to, bytes) == 0) return;
  for (size_t i = 0; i < bytes; ++i)
    if (from[i] != to[i]) const_cast<volatile unsigned char*>(to)[i] = from[i];
}

/// The bytes beside an operand that are no longer poison, to the same distance from it in this process. That may be
/// beyond what is mapped here: it ends in the fault of a library that does the same.
void copy_margin(const unsigned char* from, const Margin& margin, unsigned char* to) {
  if (is_intact(from, margin)) return;
  for (size_t i = 0; i < kFileMargin; ++i)
    if (from[i] != margin[i]) const_cast<volatile unsigned char*>(to)[i] = from[i];
}

double operand_bytes(const convict_tensors& tensors) {
  double sum = 0;
  for (const Role& role : kRoles)
    if (const convict_tensor& tensor = tensors.*role.tensor; tensor.ndim != 0)
      sum += static_cast<double>(buffer_count(tensor)) * static_cast<double>(type_size(tensor.dtype));
  return sum;
}

}  // namespace

FilePlaces FileLayout::add(const convict_problem& p, const convict_tensors& tensors) {
  FilePlaces places{};
  size_t end = end_ + kFilePage;  // before the first operand there is an unused page, too
  for (size_t i = 0; i < kRoles.size(); ++i) {
    const convict_tensor& tensor = tensors.*kRoles[i].tensor;
    if (tensor.ndim == 0) continue;
    FilePlace& place = places[i];
    place.bytes = bytes_of(tensor);
    place.begin = end + reinterpret_cast<uintptr_t>(buffer_of(tensor)) % kFilePage;
    place.at = place.begin + static_cast<size_t>(tensor.offset) * type_size(tensor.dtype);
    end = rounded_up(place.begin + place.bytes) + kFilePage;
  }
  unsigned char* file = client_->reserve(end);
  end_ = end - kFilePage;
  for_each_operand(tensors, places, [&](const Role& role, const convict_tensor& tensor, const FilePlace& place) {
    const Margin& margin = margin_beside(role, p);
    if (place.bytes > 0) std::memcpy(file + place.begin, buffer_of(tensor), place.bytes);
    std::memcpy(file + place.begin - kFileMargin, margin.data(), kFileMargin);
    std::memcpy(file + place.begin + place.bytes, margin.data(), kFileMargin);
  });
  return places;
}

bool FileLayout::is_unchanged(const convict_problem& p, const convict_tensors& tensors,
                              const FilePlaces& places) const {
  bool same = true;
  for_each_operand(tensors, places, [&](const Role& role, const convict_tensor& tensor, const FilePlace& place) {
    const unsigned char* begin = client_->file() + place.begin;
    const Margin& margin = margin_beside(role, p);
    // A client is not told how far a view is from the begin of its buffer, but the copy back needs it.
    const bool is_alike = place.bytes == bytes_of(tensor) &&
                          place.at - place.begin == static_cast<size_t>(tensor.offset) * type_size(tensor.dtype);
    same = same && is_alike;
    if (!same) return;
    same &= is_intact(begin - kFileMargin, margin) && is_intact(begin + place.bytes, margin) &&
            (is_output(role, p) || place.bytes == 0 || std::memcmp(begin, buffer_of(tensor), place.bytes) == 0);
  });
  return same;
}

void FileLayout::take_back(const convict_problem& p, const convict_tensors& tensors, const FilePlaces& places) const {
  for_each_operand(tensors, places, [&](const Role& role, const convict_tensor& tensor, const FilePlace& place) {
    unsigned char* to = buffer_of(tensor);
    const unsigned char* from = client_->file() + place.begin;
    const Margin& margin = margin_beside(role, p);
    if (is_output(role, p) && place.bytes > 0) std::memcpy(to, from, place.bytes);
    if (!is_output(role, p) && place.bytes > 0) copy_changes(from, to, place.bytes);
    copy_margin(from - kFileMargin, margin, to - kFileMargin);
    copy_margin(from + place.bytes, margin, to + place.bytes);
  });
}

ProcessTarget::ProcessTarget(const std::string& command, const KeeperAddress& keeper)
    : command_(command), keeper_(keeper), client_(std::make_unique<Client>(command, keeper)) {}

const convict_plugin& ProcessTarget::plugin() {
  if (plugin_.count == 0) adopt(greeted(std::move(client_)));
  return plugin_;
}

void ProcessTarget::start_again() {
  layout_.reset();
  staged_.clear();
  client_.reset();  // ends it before the next one begins
  greeted(std::make_unique<Client>(command_, keeper_));  // its hello is that of the first
}

ClientHello ProcessTarget::greeted(std::unique_ptr<Client> begun) {
  StartedClient started = started_client(std::move(begun), command_, keeper_);
  client_ = std::move(started.client);
  questions_ = started.questions;
  layout_.emplace(*client_);
  return std::move(started.hello);
}

void ProcessTarget::adopt(const ClientHello& hello) {
  for (const Announced& one : hello.implementations) {
    Implementation& mine = implementations_.emplace_back();
    mine.target = this;
    mine.announced = one;
    mine.name = mine.announced.name.c_str();
    mine.description = mine.announced.description.c_str();
    mine.lineage = mine.announced.lineage.c_str();
    mine.contract = one.contract;
    mine.unsupported = unsupported;
    mine.run = run;
    mine.plan = one.plans ? plan : nullptr;
    list_.push_back(&mine);
  }
  version_ = hello.version;
  plugin_ = {CONVICT_ABI_VERSION, version_.c_str(), list_.size(), list_.data()};
}

/// Ends this process as the client has ended, so that it is judged as a library that did the same.
void ProcessTarget::die_of(const ClientGone& gone, const Implementation& who) const {
  before_death_();
  if (client_) client_->kill();  // so that the end of stderr is what is said here
  std::fprintf(stderr, "the client of %s %s\n", who.announced.name.c_str(), gone.how.c_str());
  std::fflush(stderr);
  if (gone.signal) {
    signal(gone.signal, SIG_DFL);
    raise(gone.signal);
  }
  _exit(gone.exit_code);
}

/// The answer to ask(), which throws if there is none.
template <class Ask>
auto ProcessTarget::or_die(const Implementation& who, const Ask& ask) {
  try {
    return ask();
  } catch (const ClientGone& gone) {
    die_of(gone, who);
  } catch (const BrokenProtocol& error) {
    die_of({fmt::format("broke the protocol: {}", error.what()), 0, EX_PROTOCOL}, who);
  }
}

/// What the client says of one problem; it lives until the next call. nullptr for nothing.
const char* ProcessTarget::told(const Implementation& who, const char* what, const std::string& problem) {
  const auto text = or_die(who, [&] {
    const uint64_t id = ++questions_;
    const std::string line = question(id, what, who.announced.name, std::span(&problem, 1));
    return texts_from(client_->exchange(line), id, what, 1).front();
  });
  return text ? (text_ = *text).c_str() : nullptr;
}

const char* ProcessTarget::unsupported(const convict_implementation* self, const convict_problem* problem,
                                       const convict_tensors* tensors) {
  const Implementation& who = of(self);
  ProcessTarget& target = *who.target;
  if (operand_bytes(*tensors) > kMostOperandBytes) return "the operands are too large for the file of a process target";
  const std::string text = to_json_text(*problem, *tensors);
  const auto known = target.answers_.find(who.announced.name + text);
  if (known == target.answers_.end()) return target.told(who, kAsk, text);
  return known->second ? (target.text_ = *known->second).c_str() : nullptr;
}

const char* ProcessTarget::plan(const convict_implementation* self, const convict_problem* problem,
                                const convict_tensors* tensors) {
  return of(self).target->told(of(self), kPlan, to_json_text(*problem, *tensors));
}

ClientStatus ProcessTarget::run_one(const Implementation& who, const convict_problem& problem,
                                    const convict_tensors& tensors) {
  const FileLayout before = *layout_;  // what is staged stays
  const FilePlaces places = layout_->add(problem, tensors);
  const std::string text = to_json_text(problem, tensors, &places);
  const uint64_t id = ++questions_;
  const std::string question = run_question(id, who.announced.name, std::span(&text, 1), client_->file_bytes());
  const ClientStatus status = statuses_from(client_->exchange(question), id, 1).front();
  layout_->take_back(problem, tensors, places);
  layout_ = before;
  return status;
}

/// The result of a batch, if this problem was in it with these inputs.
std::optional<ClientStatus> ProcessTarget::staged(const Implementation& who, const convict_problem& problem,
                                                  const convict_tensors& tensors) {
  if (staged_.empty()) return std::nullopt;
  const std::string text = to_json_text(problem, tensors);
  for (Staged& one : staged_) {
    if (one.who != &who || one.text != text || !layout_->is_unchanged(problem, tensors, one.places)) continue;
    layout_->take_back(problem, tensors, one.places);
    ClientStatus status = std::move(one.status);
    staged_.erase(staged_.begin() + (&one - staged_.data()));
    return status;
  }
  return std::nullopt;
}

convict_status ProcessTarget::run(const convict_implementation* self, const convict_problem* problem,
                                  const convict_tensors* tensors, char* error, size_t error_size) {
  const Implementation& who = of(self);
  auto status = who.target->staged(who, *problem, *tensors);
  if (!status) status = who.target->or_die(who, [&] { return who.target->run_one(who, *problem, *tensors); });
  *fmt::format_to_n(error, error_size - 1, "{}", status->error).out = '\0';
  return status->status;
}

size_t ProcessTarget::batch_of(const convict_implementation& implementation) {
  if (implementation.run != run) return 1;
  const Implementation& who = of(&implementation);
  return who.target->too_slow_ ? 1 : who.announced.batch;
}

const Announced& ProcessTarget::announced_by(const convict_implementation& implementation) {
  static const Announced kNothing;
  return implementation.run == run ? of(&implementation).announced : kNothing;
}

/// Sends a question about several problems, and reads the answer. If that goes wrong, everything ahead of time is
/// forgotten, and a new client answers what is asked next.
template <class Read>
void ProcessTarget::exchange_ahead(const Implementation& who, const std::string& question,
                                   std::chrono::milliseconds patience, const Read& read) {
  std::string why;
  try {
    return read(client_->exchange(question, Clock::now() + patience));
  } catch (const ClientGone& gone) {
    batch_trouble_ = why = gone.how;
  } catch (const BrokenProtocol& error) {
    batch_trouble_ = why = fmt::format("broke the protocol: {}", error.what());
  } catch (const ClientSlow&) {
    too_slow_ = true;  // for batches of this size
    why = "took too long for a batch";
  }
  answers_.clear();
  try {
    start_again();
  } catch (const UsageError& error) {
    die_of({fmt::format("{}, and could not be started again: {}", why, error.what()), 0, EX_PROTOCOL}, who);
  }
}

void ProcessTarget::ask_ahead(const convict_implementation& implementation, std::span<const Question> questions,
                              std::chrono::milliseconds patience) {
  const Implementation& who = of(&implementation);
  ProcessTarget& target = *who.target;
  std::vector<std::string> texts;
  for (const Question& one : questions)
    if (operand_bytes(one.tensors) <= kMostOperandBytes) texts.push_back(to_json_text(one.problem, one.tensors));
  if (texts.empty()) return;
  const uint64_t id = ++target.questions_;
  target.exchange_ahead(who, question(id, kAsk, who.announced.name, texts), patience, [&](const std::string& line) {
    auto reasons = texts_from(line, id, kAsk, texts.size());
    for (size_t i = 0; i < texts.size(); ++i) target.answers_[who.announced.name + texts[i]] = std::move(reasons[i]);
  });
}

std::optional<bool> ProcessTarget::accepts(const convict_implementation& implementation, const Question& question) {
  const Implementation& who = of(&implementation);
  const auto known = who.target->answers_.find(who.announced.name + to_json_text(question.problem, question.tensors));
  return known == who.target->answers_.end() ? std::nullopt : std::optional(!known->second);
}

void ProcessTarget::stage(const convict_implementation& implementation, const Question& question) {
  const Implementation& who = of(&implementation);
  const FilePlaces places = who.target->layout_->add(question.problem, question.tensors);
  who.target->staged_.push_back({&who,
                                 to_json_text(question.problem, question.tensors),
                                 places,
                                 to_json_text(question.problem, question.tensors, &places),
                                 {}});
}

void ProcessTarget::run_ahead(const convict_implementation& implementation, std::chrono::milliseconds patience) {
  const Implementation& who = of(&implementation);
  ProcessTarget& target = *who.target;
  std::vector<size_t> places;  // in staged_, which is empty once a batch has gone wrong
  for (size_t i = 0; i < target.staged_.size(); ++i)
    if (target.staged_[i].who == &who) places.push_back(i);
  for (size_t begin = 0; begin < places.size() && !target.staged_.empty(); begin += who.announced.batch) {
    const auto ours = std::span(places).subspan(begin, std::min(who.announced.batch, places.size() - begin));
    std::vector<std::string> texts;
    for (const size_t place : ours) texts.push_back(target.staged_[place].placed_text);
    const uint64_t id = ++target.questions_;
    const std::string question = run_question(id, who.announced.name, texts, target.client_->file_bytes());
    target.exchange_ahead(who, question, patience, [&](const std::string& line) {
      auto statuses = statuses_from(line, id, texts.size());
      for (size_t i = 0; i < ours.size(); ++i) target.staged_[ours[i]].status = std::move(statuses[i]);
    });
  }
}

void ProcessTarget::settle(const convict_implementation& implementation) {
  const Implementation& who = of(&implementation);
  ProcessTarget& target = *who.target;
  target.staged_.clear();
  target.answers_.clear();
  target.layout_->clear();
  if (!target.batch_trouble_.empty())
    target.die_of({fmt::format("{} when it was asked for several problems at once, and for none of them alone",
                               target.batch_trouble_),
                   0, EX_PROTOCOL},
                  who);
}

}  // namespace convict::run
