// SPDX-License-Identifier: Apache-2.0
#include "workers/answers.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <signal.h>
#include <string.h>

#include <algorithm>
#include <span>

#include "core/plugin_name.h"
#include "core/role.h"
#include "core/text.h"
#include "run/flight_record.h"
#include "workers/worker_slot.h"

namespace convict::workers {
namespace {

using run::AddressClass;
using run::FlightRecord;

constexpr size_t kOutputTail = 800;  // bytes of a dead worker's output that are kept

/// The implementation that has left most behind since memory became short, if that was half of it or more.
int memory_holder_of(const FlightRecord& record, size_t roster_size, uint64_t memory) {
  const auto kept = std::span(record.kept_bytes).first(roster_size);
  const auto most = std::ranges::max_element(kept, {}, [](const auto& bytes) { return bytes.load(); });
  const bool is_enough = *most > static_cast<int64_t>(memory / 4);  // measured from half of it on
  return is_enough ? static_cast<int>(most - kept.begin()) : FlightRecord::kOwnCode;
}

/// What was wrong with a worker that we could not let go on.
std::optional<std::string> words_for(const WorkerSlot& slot, AddressClass touched) {
  switch (static_cast<run::Unfit>(slot.process().record().unfit.load())) {
    case run::Unfit::kDescriptorClosed: return "closed or replaced a file descriptor that was not its own";
    case run::Unfit::kNotMended: return "changed what others depend on, and it cannot be put back";
    case run::Unfit::kRenamed: return "changed its own name";
    case run::Unfit::kNo: break;
  }
  if (!slot.sane) return "wrote into the pipe to the supervisor, or held back what the worker wrote";
  if (touched == AddressClass::kRetired) return "wrote to an output after an earlier call of it had returned";
  return std::nullopt;
}

Verdict verdict_on(AddressClass touched) {
  switch (touched) {
    case AddressClass::kGuard: return Verdict::kOutOfBounds;
    case AddressClass::kReadOnlyInput: return Verdict::kInputWritten;
    case AddressClass::kRetired: return Verdict::kSideEffect;
    case AddressClass::kElsewhere:
    case AddressClass::kNoAddress: break;
  }
  return Verdict::kCrash;
}

std::optional<std::string> in_words(AddressClass touched) {
  switch (touched) {
    case AddressClass::kGuard: return "guard page";
    case AddressClass::kReadOnlyInput: return "read-only input";
    case AddressClass::kNoAddress: return "none: an access that is not aligned, or to an address that cannot be";
    case AddressClass::kRetired:
    case AddressClass::kElsewhere: break;
  }
  return std::nullopt;
}

Certificate evidence_of(const WorkerSlot& slot, const run::WorkerExit& exit, const WorkerDeath& death) {
  Certificate certificate;
  certificate.text = words_for(slot, death.signal.touched);
  if (death.signal.number != 0) certificate.death.signal = strsignal(death.signal.number);
  if (!exit.signal) certificate.death.exit_code = exit.exit_code;
  certificate.death.address_class = in_words(death.signal.touched);
  const int role = slot.process().record().role;
  if (role >= 0 && role < static_cast<int>(kRoles.size()))
    certificate.element.role = kRoles[static_cast<size_t>(role)].name;
  else if (role == static_cast<int>(run::GuardedMemory::kWorkspace))
    certificate.element.role = run::GuardedMemory::kWorkspaceName;
  if (const std::string words = slot.process().output_tail(kOutputTail); !words.empty())
    certificate.death.output_tail = words;
  return certificate;
}

/// Where the history of a death ends. A process that died while it reported a block of cases had begun later ones, too.
uint64_t end_of_history(const FlightRecord& record, const WorkerDeath& death) {
  const uint64_t latest = record.latest;
  return death.work.contains(latest) && latest > death.index ? latest + death.work.step : death.index;
}

/// What the calls that a process is in have taken so far.
void add_present_calls(const run::FlightRecord& record, Counts& counts) {
  const int32_t position = record.in_calls_of;
  if (position < 0 || static_cast<size_t>(position) >= counts.call_seconds.size()) return;
  const int64_t ns = run::monotonic_ns() - record.stage_began_ns;
  counts.call_seconds[static_cast<size_t>(position)] += 1e-9 * static_cast<double>(std::max<int64_t>(ns, 0));
}

}  // namespace

Draws draws_in(const FlightRecord& record) {
  Draws draws;
  for (const run::DrawLog::Entry& entry : record.draws.entries)
    if (entry.draw > 0) draws[entry.index] = entry.draw;
  if (record.draw > 0) draws[record.index] = record.draw;
  return draws;
}

CallsByCase calls_in(const FlightRecord& record) {
  CallsByCase calls;
  for (const run::CallLog::Entry& entry : record.calls.entries)
    if (entry.called != 0) calls[entry.index] |= entry.called;
  return calls;
}

// The record is memory of a process that may have written anywhere.
WorkerDeath describe_death(WorkerSlot& slot, const run::WorkerExit& exit, std::optional<Verdict> killed_for,
                           size_t roster_size, uint64_t memory) {
  const FlightRecord& record = slot.process().record();
  WorkerDeath death;
  death.work = slot.work();
  // A process that had not begun its work died on the first case; one that sent nonsense may have got to the last.
  const uint64_t otherwise = slot.sane ? 0 : death.work.count - 1;
  death.index =
      death.work.contains(record.index) ? record.index.load() : death.work.first + otherwise * death.work.step;
  death.before = slot.before(end_of_history(record, death));
  death.draws = draws_in(record);
  death.calls = calls_in(record);
  const int position = record.implementation;
  death.position = position >= 0 && position < static_cast<int>(roster_size) ? position : FlightRecord::kOwnCode;
  death.case_text = record.made_up.read();
  death.relation_call = record.relation_call.read();
  if (killed_for == Verdict::kOom) death.memory_holder = memory_holder_of(record, roster_size, memory);
  death.signal.number = killed_for ? 0 : exit.signal;
  death.signal.touched = static_cast<AddressClass>(record.address_class.load());
  death.verdict = killed_for ? *killed_for : verdict_on(death.signal.touched);
  death.certificate = evidence_of(slot, exit, death);
  return death;
}

namespace {

std::string hung_for(const SupervisionSettings& settings) {
  return fmt::format("hung for {} s", std::chrono::duration_cast<std::chrono::seconds>(settings.load_timeout).count());
}

std::string describe_load(const std::string& how, std::string_view output, const SupervisionSettings& settings) {
  std::vector<std::string_view> names;
  for (const std::string& plugin : settings.worker.roster.plugins) names.push_back(as_written(plugin));
  const std::string whom =
      names.empty() ? "its implementations"
                    : fmt::format("plugin '{}'", printable(fmt::format("{}", fmt::join(names, "', '")), 300));
  const std::string allocator = settings.heap_guard.empty() ? "" : " with the allocator " + settings.heap_guard;
  return fmt::format("a worker {} while loading {}{}{}", how, whom, allocator,
                     output.empty() ? "" : ": " + printable(output, 300));
}

}  // namespace

std::string describe_failed_load(const WorkerSlot& slot, const run::WorkerExit& exit, std::optional<Verdict> killed_for,
                                 const SupervisionSettings& settings) {
  const std::string how =
      killed_for == Verdict::kHang ? hung_for(settings)
      : killed_for  ? words_for(slot, AddressClass::kElsewhere).value_or("closed the pipe to the supervisor")
      : exit.signal ? fmt::format("died of {}", strsignal(exit.signal))
                    : fmt::format("exited with code {}", exit.exit_code);
  const std::string hint = exit.signal == SIGBUS ? ", as of a file that is cut short," : "";
  return describe_load(how + hint, trim(slot.process().output_tail(300)), settings);
}

std::string describe_uselessness(const WorkerSlot& slot, bool for_memory, uint64_t memory) {
  if (for_memory) return fmt::format("{} MB of --memory are less than a worker takes; give it more", memory >> 20);
  return fmt::format("the last one said '{}'", printable(trim(slot.process().output_tail(300)), 300));
}

std::string describe_hanging_load(const SupervisionSettings& settings) {
  return describe_load(hung_for(settings), "", settings);
}

Counts& Counts::operator+=(const PerCounter<uint64_t>& other) {
  for (const CounterRow& row : kCounters) (*this)[row.counter] += other[row.counter];
  return *this;
}

Counts& Counts::operator+=(const Counts& other) {
  *this += static_cast<const PerCounter<uint64_t>&>(other);
  cpu_seconds += other.cpu_seconds;
  for (size_t stage = 0; stage < stage_seconds.size(); ++stage) stage_seconds[stage] += other.stage_seconds[stage];
  const auto add = [](auto& to, const auto& from) {
    to.resize(std::max(to.size(), from.size()));
    for (size_t i = 0; i < from.size(); ++i) to[i] += from[i];
  };
  add(computed, other.computed);
  add(refused, other.refused);
  add(call_seconds, other.call_seconds);
  return *this;
}

Counts& Counts::operator+=(const run::FlightRecord& record) {
  const run::Tally& tally = record.tally;
  for (const CounterRow& row : kCounters) (*this)[row.counter] += tally[row.counter];
  cpu_seconds += 1e-9 * static_cast<double>(tally.cpu_ns);
  for (size_t stage = 0; stage < kStages.size(); ++stage)
    stage_seconds[stage] += 1e-9 * static_cast<double>(tally.stage_ns[stage]);
  for (size_t i = 0; i < computed.size(); ++i) {
    call_seconds[i] += 1e-9 * static_cast<double>(tally.call_ns[i]);
    computed[i] += tally.computed[i];
    refused[i] += tally.refused[i];
  }
  add_present_calls(record, *this);
  return *this;
}

}  // namespace convict::workers
