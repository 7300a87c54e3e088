// SPDX-License-Identifier: Apache-2.0
#include "workers/worker_session.h"

#include <fmt/format.h>
#include <malloc.h>
#include <signal.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstddef>
#include <cstdlib>
#include <string_view>

#include "abi/native_kernel.h"
#include "core/case_text.h"
#include "core/error.h"
#include "core/geometry.h"
#include "core/where.h"
#include "generate/place.h"
#include "generate/survey.h"
#include "generate/surveyor.h"
#include "run/flight_record.h"
#include "run/descriptor.h"
#include "run/fork_server.h"
#include "run/guarded_call.h"
#include "run/loader.h"
#include "run/proc.h"
#include "run/worker_process.h"

namespace convict::workers {

void WorkerTally::take_over(const KnownTuples& seen) {
  if (!seen.tuples.empty()) coverage_ = Coverage::parse_text(seen.tuples, Coverage::Depth::kTriples);
  for (const auto& [target, text] : seen.pairs)
    pairs_.emplace(target, Coverage::parse_text(text, Coverage::Depth::kPairs));
}

void WorkerTally::add(const examine::Examination& examination) {
  run::Tally& tally = record_.tally;
  for (const Mismatch& mismatch : examination.mismatches) found_ |= mismatch.blame == Blame::kTarget;
  for (size_t i = 0; i < examination.results.size(); ++i) {
    if (examination.results[i].is_excused) continue;
    const Outcome& outcome = examination.results[i].outcome;
    if (outcome.kind == Outcome::Kind::kRefused) {
      ++tally.refused[i];
      ++refusals_[{i, outcome.text}];
    } else if (!examination.illegal) {
      ++tally.computed[i];
      if (const auto ratio = examination.results[i].comparison.largest_ratio) ratios_[subjects_[i].name].add(*ratio);
    }
  }
  const PerCounter<uint64_t> counts = counts_of(examination);
  for (const CounterRow& row : kCounters) tally[row.counter] += counts[row.counter];
}

void WorkerTally::cover(const Case& c, const examine::Examination& examination, CoverageOf coverage) {
  if (coverage == CoverageOf::kNone) return;
  const Resolved resolved = resolve(c);
  if (resolved.why_not) return;
  const Levels levels = levels_of(c, resolved.problem);
  if (examination.judged && coverage == CoverageOf::kAll) {
    coverage_.add(levels);
    ++covered_;
  }
  for (size_t i = 0; i < examination.results.size() && subjects_[i].is_target; ++i)
    if (const judge::Result& result = examination.results[i];
        !result.is_excused && result.outcome.kind != Outcome::Kind::kRefused) {
      const auto target = static_cast<int>(i);
      pairs_.try_emplace(target, Coverage::Depth::kPairs).first->second.add(levels);
      std::vector<uint64_t>& counts = levels_.try_emplace(target, level_count()).first->second;
      for (const Feature& feature : features()) ++counts[number_of(feature.id, levels[feature.id])];
    }
}

Done WorkerTally::take(uint64_t count) {
  Done report;
  report.count = count;
  report.ratios = std::exchange(ratios_, {});
  for (const auto& [key, times] : refusals_) report.refusals.push_back({subjects_[key.first].name, key.second, times});
  refusals_.clear();
  report.tuples = {coverage_.take_news()};
  report.covered = std::exchange(covered_, 0);
  report.levels = std::exchange(levels_, {});
  for (auto& [target, pairs] : pairs_)
    if (std::vector<uint32_t> news = pairs.take_news(); !news.empty()) report.pairs[target] = {std::move(news)};
  return report;
}

Done WorkerTally::take_before_death() {
  Done report = take(0);
  report.is_cut_short = true;
  return report;
}

PerCounter<uint64_t> counts_of(const examine::Examination& examination) {
  PerCounter<uint64_t> counts;
  counts[Counter::kCases] = 1;
  counts[examination.judged ? Counter::kJudged : Counter::kUnjudged] = 1;
  counts[Counter::kWitnessed] = examination.witnessed ? 1 : 0;
  counts[Counter::kIllegal] = examination.illegal ? 1 : 0;
  counts[Counter::kMistrusted] = examination.mistrusted ? 1 : 0;
  counts[Counter::kRedrawn] = static_cast<uint64_t>(examination.redrawn);
  return counts;
}

std::vector<ImplementationSummary> summaries_of(const examine::Examination& examination) {
  std::vector<ImplementationSummary> summaries;
  for (const judge::Result& one : examination.results)
    if (!one.is_excused)
      summaries.push_back({one.who->name, one.is_target, judge::in_words(one), one.comparison.smallest_fault});
  return summaries;
}

namespace {

using Clock = std::chrono::steady_clock;
using Seconds = std::chrono::duration<double>;

// The worker's side of a survey: asks one target what it takes.

/// What a worker has loaded and was told. All of it is borrowed.
struct SurveyInputs {
  std::span<const run::Subject> subjects;
  const WorkerSettings& settings;
  const Where& where;
  Lookahead& lookahead;
  run::FlightRecord& record;
};

// A survey ends by the number of its questions, so that a seed has the same cases each time: these take about 2 s. A
// target that answers slowly is given so many ns of CPU time.
constexpr uint64_t kMostQuestions = 340'000, kPatience = 8'000'000'000;
constexpr auto kPatienceWithClients = std::chrono::seconds(6), kIfItIsShort = std::chrono::seconds(4);

/// What a client is charged with: all questions at the pace of its fastest batch. So a busy machine does not change
/// what a survey finds, and with it the cases of a seed. A client whose pace varies by more than kBusy is charged with
/// the time that it took, divided by that.
class ClientTime {
 public:
  void add(size_t questions, Seconds took) {
    if (questions == 0) return;
    asked_ += questions;
    waited_ += took;
    fastest_ = std::min(fastest_, took / questions);
  }
  Seconds charged() const { return asked_ == 0 ? Seconds(0) : std::max(fastest_ * asked_, waited_ / kBusy); }

 private:
  static constexpr int kBusy = 10;

  size_t asked_ = 0;
  Seconds waited_{0};
  Seconds fastest_ = Seconds::max();  // a question
};

/// Those of the user, and those that the target names; a line of its own that is no case is no example.
std::vector<Case> examples_of(const run::Subject& target, const WorkerSettings& settings) {
  std::vector<Case> examples;
  for (const std::vector<std::string>* lines : {&settings.examples, &target.examples})
    for (const std::string& line : *lines) try {
        if (const Case c = parse_case(line); !resolve(c).why_not) examples.push_back(c);
      } catch (const UsageError&) {
      }
  return examples;
}

/// Takes two seconds of CPU time at most; and six seconds with a client, who may answer slowly, or two without `pairs`,
/// which is for short campaigns.
generate::Survey survey_of(size_t target, const SurveyInputs& asked, bool pairs) {
  const run::Subject& subject = asked.subjects[target];
  const WorkerSettings& settings = asked.settings;
  const examine::ExaminationSettings asking = {.most_bytes = settings.most_bytes(), .where = &asked.where};
  const uint64_t cpu_begin = run::cpu_ns();
  uint64_t questions = 0;
  ClientTime client_time;
  const Seconds patience = pairs ? kPatienceWithClients : kIfItIsShort;
  const auto ask = [&](std::span<const Case> cases) {
    questions += cases.size();
    const Clock::time_point begin = Clock::now();
    asked.lookahead.ask_ahead(subject, cases, asking);
    const Clock::duration took = Clock::now() - begin;
    const run::InStage stage(asked.record, Stage::kAsk);
    std::vector<std::optional<generate::Refusal>> refusals;
    size_t reached = 0;  // the client; others are outside of --where
    {
      const run::OnlyAsking questions(asked.record);
      for (const Case& c : cases) {
        examine::Acceptance answer = examine::answer_to(c, subject, target, asked.record, asking);
        reached += answer.was_asked ? 1 : 0;
        refusals.emplace_back();
        if (answer.reason) refusals.back() = {std::move(*answer.reason), answer.was_asked};
      }
    }
    asked.lookahead.settle();
    client_time.add(reached, took);
    run::changed_by_calls(static_cast<int>(target), asked.record);  // it does that in its cases, too
    return refusals;
  };
  const auto has_time = [&](double part) {
    const bool has_questions = static_cast<double>(questions) < part * static_cast<double>(kMostQuestions);
    const bool in_cpu_time = static_cast<double>(run::cpu_ns() - cpu_begin) < part * static_cast<double>(kPatience);
    return has_questions && in_cpu_time && (!subject.process || client_time.charged() < part * patience);
  };
  return generate::survey(
      {generate::find_profile(settings.profile), settings.seed, pairs, examples_of(subject, settings)}, ask, has_time);
}

/// To look at CPU time or memory takes a system call; to look at all that a library may change in the process, 26.
constexpr uint64_t kCasesBetweenLooks = 8;

}  // namespace

Channel::Channel() : key_(run::inherited_key()), seal_(key_), in_(fdopen(run::kCommandFd, "r")) {}

Channel::~Channel() {
  std::free(line_);
  if (in_) std::fclose(in_);
}

void Channel::renew() {
  key_ = run::inherited_key();
  seal_ = run::Seal(key_);
}

std::optional<std::string> Channel::next() {
  if (!in_ || getline(&line_, &capacity_, in_) < 0) return std::nullopt;
  return line_;
}

void Channel::send(const WorkerReport& report) {
  run::write_all(run::kResultFd, seal_.sealed(to_line(report)) + '\n');  // unless the supervisor is gone
}

WorkerSession::WorkerSession() : record_(run::inherited_record()), keeper_(run::inherited_keeper(record_)) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);  // a worker never outlives its supervisor
  prctl(PR_SET_NAME, "convict-worker");
  signal(SIGINT, SIG_IGN);  // Ctrl-C is the supervisor's to handle
}

/// Reads the settings. Returns false if none came.
bool WorkerSession::begin() {
  const auto line = channel_.next();
  if (!line) return false;
  WorkerSettings settings = settings_from(*line);
  if (settings.keeps_sampling) {
    settings.focus = std::move(settings_.focus);
    settings.shares = std::move(settings_.shares);
  }
  settings_ = std::move(settings);
  where_ = Where::parse(settings_.where);
  for (const auto& [name, value] : settings_.environment) setenv(name.c_str(), value.c_str(), 1);
  keeper_.environment = settings_.environment;
  worker_tally_.take_over(std::exchange(settings_.seen, {}));
  if (settings_.gives_way) run::give_way();
  return true;
}

bool WorkerSession::load(Purpose purpose) {
  constexpr int kFilledWith = 0x7f;  // each byte: 3.4e38 as f32 and bf16, NaN as f16, 127 as s8
  if (!begin()) return false;
  if (purpose == Purpose::kJudge) setenv("OMP_WAIT_POLICY", "passive", 0);
  run::watch_process();
  try {
    Loaded loaded = load_all();
    if (settings_.forks) {
      serve_forks(loaded);
      loaded = load_all();  // its own of the implementations; the libraries are there
    }
    for (size_t i = 0; i < subjects_.size(); ++i) record_.is_foreign[i] = subjects_[i].is_foreign;
    for (const run::Subject& one : subjects_)
      if (one.process) one.process->before_death([this] { channel_.send(worker_tally_.take_before_death()); });
    lookahead_.emplace(subjects_, record_, std::chrono::milliseconds(settings_.patience_ms));
    run::report_faults(memory_, record_);
    worker_tally_.begin_to_count_time();
    if (purpose == Purpose::kJudge && settings_.fills_memory) mallopt(M_PERTURB, kFilledWith ^ 0xff);
    loaded.reach = lookahead_->reach();
    channel_.send(loaded);
    return true;
  } catch (const UsageError& error) {
    channel_.send(NotLoaded{error.what(), false});
  } catch (const CannotJudge& error) {
    channel_.send(NotLoaded{error.what(), true});
  }
  return false;
}

Loaded WorkerSession::load_all() {
  run::Roster roster = run::load_roster(settings_.roster, native_kernels(), keeper_);
  subjects_ = std::move(roster.subjects);
  if (!settings_.data.empty()) data_.emplace(settings_.data);
  Loaded loaded{{}, std::move(roster.notes)};
  for (const run::Subject& subject : subjects_) {
    const convict_implementation& one = *subject.implementation;
    loaded.roster.push_back({subject.name, one.description, one.lineage, subject.version, subject.is_target,
                             subject.plugin, run::ProcessTarget::announced_by(one).built_on});
  }
  if (const std::string changed = run::mend_process(record_); !changed.empty())
    loaded.notes.push_back(fmt::format("a library changed {} while it was loaded; it has been put back", changed));
  return loaded;
}

/// Returns in each worker that is forked, which goes on as if it had loaded everything itself.
void WorkerSession::serve_forks(const Loaded& loaded) {
  subjects_.clear();  // clients are not shared
  if (const std::string why = run::why_not_forked(); !why.empty()) throw CannotJudge(why);
  channel_.send(loaded);
  run::serve_forks(record_);
  channel_.renew();
  if (!begin()) _exit(0);  // the supervisor is gone
}

Order WorkerSession::next_order() {
  while (const auto line = next_line()) {
    Order order = order_from(*line);
    if (const auto* given = std::get_if<GivenCases>(&order))
      work_through(*given);
    else if (const auto* survey = std::get_if<SurveyTargets>(&order))
      carry_out(*survey);
    else
      return order;
  }
  _exit(0);  // not through the destructors of foreign libraries
}

std::optional<std::string> WorkerSession::next_line() {
  const run::InStage waiting(record_, Stage::kWait);
  return channel_.next();
}

void WorkerSession::work_through(const GivenCases& given) {
  const size_t block = reach();
  for (size_t i = 0; i < given.cases.size(); ++i) {
    if (block > 1 && i % block == 0 && given.without == 0 && given.cases.size() > 1) {
      std::vector<Case> cases;
      for (size_t k = i; k < std::min(i + block, given.cases.size()); ++k) cases.push_back(parse_case(given.cases[k]));
      lookahead_->over_cases(cases, {.most_bytes = settings_.most_bytes(), .relations = given.relations});
    }
    record_.index = record_.latest = given.first + i;
    record_.draw = 0;
    examine_given(given.cases[i], given, i + 1 == given.cases.size());
    if ((i + 1) % block == 0 || i + 1 == given.cases.size()) look_back();
  }
  finish(given.cases.size());
}

void WorkerSession::examine_given(const std::string& line, const GivenCases& given, bool is_last) {
  const bool is_earlier = given.is_history && line != given.cases.back();
  const auto relations = is_earlier ? std::min(given.relations, examine::AskedRelations::kOne) : given.relations;
  const Case c = parse_case(line);
  auto examination = examined(c, {.without = given.without, .relations = relations, .values = given.values});
  if (given.patient && is_last) linger(c, examination);
  channel_.send(CaseReport{record_.index, summaries_of(examination), examination.judged});
  tell(examination);
  worker_tally_.cover(c, examination, settings_.coverage);
}

/// The guided engine tries most combinations again and again; the exact reference judges every one of them. The
/// libraries would take most of the time, so they see a case only if it shows a combination that is new to this
/// process.
bool WorkerSession::deserves_witnesses(const Case& c) const {
  const Resolved resolved = resolve(c);
  return !resolved.why_not && !worker_tally_.has_seen_all(levels_of(c, resolved.problem));
}

examine::Examination WorkerSession::examine_numbered(uint64_t index, const Case& c) {
  record_.index = index;
  examine_quickly(c, {.takes_turns = true, .asks_oracles = deserves_witnesses(c), .is_careful = false});
  return settle();
}

Case WorkerSession::find(const generate::Sampling& sampling, uint64_t index) {
  std::optional<examine::EffectOfAsking> ignored;
  return find(sampling, index, ignored);
}

// Asks the target that the place is for until the case is found. The flight record keeps the answers, with which the
// supervisor finds the same case after a death.
Case WorkerSession::find(const generate::Sampling& sampling, uint64_t index,
                         std::optional<examine::EffectOfAsking>& effect) {
  const run::InStage drawing(record_, Stage::kDraw);
  generate::Place place(sampling, index);
  std::optional<size_t> asked;
  while (!place.is_decided()) {
    record_.draw = place.asking();
    // A resumed campaign may have other targets than at its first start.
    const auto target = static_cast<size_t>(place.target());
    if (target >= subjects_.size()) {
      place.answer(false);
      continue;
    }
    const run::OnlyAsking questions(record_);
    examine::Acceptance answer = answer_to(place.asks(), target, settings_for_asking());
    asked = target;
    if (!answer.side_effect.empty()) effect = {target, std::move(answer.side_effect)};
    place.answer(!answer.reason);
  }
  std::string changed;
  if (asked) changed = run::changed_by_calls(static_cast<int>(*asked), record_, run::Care::kMemory);
  if (!changed.empty()) effect = {*asked, std::move(changed)};
  record_.draw = place.answers();
  if (place.answers() > 0) record_.draws.add(index, place.answers());
  return place.found();
}

examine::Acceptance WorkerSession::answer_to(const Case& c, size_t target, const examine::ExaminationSettings& asking) {
  const run::InStage stage(record_, Stage::kAsk);
  return examine::answer_to(c, subjects_[target], target, record_, asking);
}

void WorkerSession::examine_drawn(const generate::Sampling& sampling, uint64_t index, uint64_t without) {
  record_.index = index;
  record_.draw = 0;
  std::optional<examine::EffectOfAsking> effect;
  const Case c = find(sampling, index, effect);
  examine::ExaminationSettings settings = settings_for_asking(without);
  settings.takes_turns = true;
  settings.is_careful = false;
  settings.effect_of_asking = std::move(effect);
  examine_quickly(c, settings);
  settle_if_due();
}

/// Examines a case without a look at the process, which costs more than all questions and some calls. It waits for
/// settle().
void WorkerSession::examine_quickly(const Case& c, const examine::ExaminationSettings& settings) {
  record_.latest = record_.index.load();
  unreported_.push_back({record_.index, record_.draw, c, settings, examined(c, settings)});
}

/// After so many cases, or at once for a mismatch: it is reported only after a look at the process.
void WorkerSession::settle_if_due() {
  if (unreported_.size() == kCasesBetweenLooks || !unreported_.back().examination.mismatches.empty()) settle();
}

/// Looks at the process, and then reports the cases that were examined since the look before. Returns the last of them.
examine::Examination WorkerSession::settle() {
  if (unreported_.empty()) return {};
  if (const std::string changed = changed_by_libraries(); !changed.empty()) examine_again(changed);
  for (const Unreported& one : unreported_) {
    return_to(one);
    tell(one.examination);
    const run::InStage counting(record_, Stage::kCount);
    worker_tally_.cover(one.c, one.examination, settings_.coverage);
  }
  examine::Examination last = std::move(unreported_.back().examination);
  unreported_.clear();
  return last;
}

/// From now on a death is put down to this case, although later ones have been examined: those are part of its history.
void WorkerSession::return_to(const Unreported& one) {
  record_.index = one.index;
  record_.draw = one.draw;
}

/// What the libraries have changed in the process since the last look, and has been put back.
std::string WorkerSession::changed_by_libraries() {
  const run::InStage guarding(record_, Stage::kGuard);
  for (const Unreported& one : unreported_)
    if (!one.examination.foreign.empty())
      return run::changed_by_calls(static_cast<int>(one.examination.foreign.back()), record_);
  return "";
}

/// The results are not worth much: a library has changed the process before or in between. So all cases since the last
/// look are examined again, with a look after each call: that names the author, and each later call has a process as it
/// should be. If it does not happen a second time, all libraries are suspects, and their confirmation decides.
void WorkerSession::examine_again(const std::string& changed) {
  const auto again = [&](const std::string& known) {
    for (Unreported& one : unreported_) {
      return_to(one);
      one.settings.is_careful = true;
      one.settings.changed = known;
      one.examination = examined(one.c, one.settings);
    }
  };
  const auto has_author = [](const Unreported& one) {
    return std::ranges::any_of(one.examination.results,
                               [](const judge::Result& result) { return !result.outcome.side_effect.empty(); });
  };
  again("");
  if (std::ranges::none_of(unreported_, has_author)) again(changed);
}

void WorkerSession::carry_out(const SurveyTargets& order) {
  Surveyed surveyed;
  for (size_t i = 0; i < subjects_.size() && subjects_[i].is_target; ++i)
    surveyed.surveys.push_back(examine::is_left_out(order.without, i)
                                   ? generate::Survey()
                                   : survey_of(i, {subjects_, settings_, where_, *lookahead_, record_}, order.pairs));
  channel_.send(surveyed);
  finish(1);
}

/// Waits for what threads that outlive their calls may still write, and puts it down to the last case. (A crash of
/// theirs needs no looking for.)
void WorkerSession::linger(const Case& last, examine::Examination& examination) {
  constexpr int kLooks = 10;
  constexpr timespec kBetweenLooks{0, 10'000'000};
  memory_.retire_outputs();
  const bool foreign = std::ranges::any_of(subjects_, &run::Subject::is_foreign);
  for (int look = 0; foreign && look < kLooks && run::thread_states(getpid()).size() > 1; ++look) {
    nanosleep(&kBetweenLooks, nullptr);
    for (size_t i = 0; i < subjects_.size(); ++i) {
      const std::string_view late = memory_.take_late_write(static_cast<int>(i));
      if (late.empty() || std::ranges::find(examination.mismatches, subjects_[i].name, &Mismatch::suspect) !=
                              examination.mismatches.end())
        continue;
      Mismatch& mismatch = examination.mismatches.emplace_back();
      mismatch = {last, subjects_[i].name, Verdict::kSideEffect,
                  subjects_[i].is_target ? Blame::kTarget : Blame::kOracle};
      mismatch.certificate.text = fmt::format("wrote to {} after its call had returned", late);
    }
  }
}

/// Given cases are few and worth every question; a campaign asks each of its cases some.
examine::Examination WorkerSession::examined(const Case& c, examine::ExaminationSettings settings) {
  if (std::ranges::any_of(subjects_, &run::Subject::is_foreign)) run::keep_reporting_faults();
  const bool is_due = examined_++ % kCasesBetweenLooks == 0;
  if (is_due && !record_.weighs && run::peak_resident_bytes() > settings_.memory / 2) record_.weighs = 1;
  settings.most_bytes = settings_.most_bytes();
  settings.yardstick = settings_.yardstick;
  settings.spared = &settings_.spared;
  settings.data = data();
  return examine::examine(examine::case_for(settings_.yardstick, c), subjects_, memory_, record_, settings);
}

/// Ends this process if a library has renamed itself: what it did would be put down to another one.
void WorkerSession::check_names() {
  for (size_t i = 0; i < subjects_.size(); ++i) {
    if (subjects_[i].name == subjects_[i].implementation->name) continue;
    record_.implementation = static_cast<int32_t>(i);
    record_.unfit = static_cast<int32_t>(run::Unfit::kRenamed);
    _exit(1);
  }
}

/// Counts a case and sends its mismatches.
void WorkerSession::tell(const examine::Examination& examination) {
  const run::InStage counting(record_, Stage::kCount);
  check_names();
  // One line: whatever ends this process, the supervisor gets all mismatches of a case or none.
  const bool is_news = !examination.mismatches.empty();
  if (is_news) channel_.send(CaseMismatches{record_.index, examination.mismatches, counts_of(examination)});
  worker_tally_.add(examination);  // after sending: a case that is counted has been reported
  if (is_news || examined_ % kCasesBetweenLooks == 0) worker_tally_.count_time();
  record_.counted = record_.index.load();
}

void WorkerSession::finish(uint64_t done) {
  settle();
  const run::InStage counting(record_, Stage::kCount);
  worker_tally_.count_time();
  channel_.send(worker_tally_.take(done));
  constexpr off_t kLongestOutput = 1 << 20;  // what foreign code prints lives in memory
  if (lseek(STDOUT_FILENO, 0, SEEK_END) > kLongestOutput && ftruncate(STDOUT_FILENO, 0) != 0) return;
}

namespace {

/// The indices of the next `count` cases.
std::vector<uint64_t> places_of(const Work& work, uint64_t begin, uint64_t count) {
  std::vector<uint64_t> indices;
  for (uint64_t i = begin; i < std::min(begin + count, work.count); ++i) indices.push_back(work.first + i * work.step);
  return indices;
}

}  // namespace

int run_worker() {
  WorkerSession session;
  if (!session.load(WorkerSession::Purpose::kJudge)) return 0;
  const generate::Sampling sampling = session.settings().sampling();
  while (true) {
    const Work work = session.next<Work>();
    uint64_t done = 0;
    const uint64_t block = session.reach();
    for (; done < work.count && !session.has_enough(); ++done) {
      if (block > 1 && done % block == 0) session.look_ahead(sampling, places_of(work, done, block), work.without);
      session.examine_drawn(sampling, work.first + done * work.step, work.without);
      if ((done + 1) % block == 0) session.look_back();
    }
    session.look_back();
    session.finish(done);
  }
}

}  // namespace convict::workers
