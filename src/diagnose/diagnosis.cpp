// SPDX-License-Identifier: Apache-2.0
#include "diagnose/diagnosis.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

#include "core/case.h"
#include "core/case_text.h"
#include "core/fields.h"
#include "core/geometry.h"
#include "core/where.h"
#include "diagnose/data_condition.h"
#include "diagnose/probe.h"
#include "explain/learn.h"
#include "explain/refine.h"
#include "generate/generate.h"
#include "shrink/shrink.h"
#include "workers/attribution.h"

namespace convict::diagnose {
namespace {

using Clock = std::chrono::steady_clock;

/// How often a suspect fails on a case that it failed on once. From failures that come and go nothing can be learnt:
/// a neighbour that passes may have passed by chance.
struct Reliability {
  bool here = false;                  // it fails each time in one process that repeats the case
  int runs = 0, failed = 0;           // fresh processes; spawned ones, so that their addresses differ
  std::optional<Mismatch> seen = {};  // the first that a fresh process showed

  /// In each fresh process.
  bool afresh() const { return failed == runs; }
};

constexpr int kFreshRuns = 10;
constexpr auto kPatience = std::chrono::milliseconds(500);  // LibTorch takes as long to load

/// A death costs a process each time, a hang its time limit.
int repeats_in_one_process(Verdict verdict) {
  if (verdict == Verdict::kHang) return 0;
  return is_on_values(verdict) ? 10 : 3;
}

/// Whether the suspect fails again each time that the process of the probe repeats the case: ten times for values,
/// three for what costs a process, not at all for a hang.
bool fails_each_time(Probe& probe, const Case& c, Verdict verdict, const std::function<bool()>& go_on) {
  for (int run = 0; run < repeats_in_one_process(verdict) && go_on(); ++run)
    if (!probe.ask_again(c).mismatch) return false;
  return true;
}

/// Asks up to ten times in one process, then in fresh ones: ten times, or half a second if all of both fail.
/// `go_on` is asked before each run.
Reliability measured(Probe& probe, const Case& c, Verdict verdict, const std::function<bool()>& go_on) {
  Reliability result;
  result.here = probe.ask(c).mismatch && fails_each_time(probe, c, verdict, go_on);
  const auto started = Clock::now();
  const int most = verdict == Verdict::kHang ? 1 : kFreshRuns;
  while (result.runs < most && (result.runs == 0 || go_on())) {
    // Copies of a client have the same addresses: once one fails to show it, chance has its say.
    const auto found = probe.ask_fresh(c, {}, /*fresh_clients=*/result.failed < result.runs).mismatch;
    ++result.runs;
    if (found) ++result.failed;
    if (found && !result.seen) result.seen = found;
    if (result.here && result.afresh() && Clock::now() - started > kPatience) break;
  }
  return result;
}

constexpr size_t kMostExceptions = 5;

std::vector<store::NeededCondition> needed(const Predicate& predicate, const std::vector<explain::Sample>& samples) {
  std::vector<store::NeededCondition> list;
  for (const Condition& one : predicate.conditions) {
    Predicate others = predicate;
    std::erase(others.conditions, one);
    const auto lacks_only_this = std::ranges::find_if(samples, [&](const explain::Sample& sample) {
      return !sample.fails && others.holds(sample.c) && !predicate.holds(sample.c);
    });
    list.push_back({one.text(), lacks_only_this == samples.end() ? "" : to_text(lacks_only_this->c)});
  }
  return list;
}

store::PredicateEvidence evidence_of(const explain::LearntPredicate& learnt, const explain::Sampled& sampled) {
  store::PredicateEvidence evidence{needed(learnt.predicate, sampled.samples),
                                    static_cast<int64_t>(sampled.samples.size()),
                                    static_cast<int64_t>(learnt.unexplained.size()), sampled.mirrored};
  for (const explain::Sample& sample : learnt.unexplained)
    if (evidence.exceptions.size() < kMostExceptions) evidence.exceptions.push_back({to_text(sample.c), sample.fails});
  return evidence;
}

/// That the data are of this kind, for faults that no other data show.
Condition fill_is(Fill fill) {
  return {quantity_of("fill"), 0, Comparator::kEqual, -1, static_cast<int64_t>(fill)};
}

/// Variables that limit libraries to older instruction sets, the oldest first.
struct IsaCap {
  const char* name;
  std::map<std::string, std::string> environment;
};

const IsaCap kIsaCaps[] = {
    {"baseline", {{"CONVICT_ISA", "baseline"}, {"ONEDNN_MAX_CPU_ISA", "SSE41"}, {"ATEN_CPU_CAPABILITY", "default"}}},
    {"avx2", {{"CONVICT_ISA", "avx2"}, {"ONEDNN_MAX_CPU_ISA", "AVX2"}, {"ATEN_CPU_CAPABILITY", "avx2"}}}};

/// What a fault needs of the machine: the oldest instruction set that it shows with.
/// Precondition: the case fails alone. Runs it in fresh processes with older instruction sets; `go_on` is asked before
/// each.
store::EnvironmentEvidence environment(Probe& probe, const Case& c, const std::function<bool()>& go_on) {
  store::EnvironmentEvidence result{true, "this machine's only"};
  for (const IsaCap& cap : kIsaCaps) {
    if (!go_on()) break;
    if (!probe.ask_fresh(c, cap.environment).mismatch) continue;
    result.oldest_isa = cap.name;
    break;
  }
  return result;
}

/// --where, while a mismatch is shrunk and explained: what the user did not ask about may have other faults.
class Within {
 public:
  /// Whatever `where` says if `start`, the case to begin with, is not within it: an earlier campaign found it.
  Within(const std::string& where, const Case& start);

  bool holds(const Case& c) const { return where_.holds(c); }

  /// Called for a case that is not within. Asks `is_computed` of some of them, to learn what the suspect takes beyond
  /// single conditions.
  void look_beyond(const Case& c, const std::function<bool(const Case&)>& is_computed);

  /// The conditions beyond which the suspect computes. A condition that was learnt within says nothing of the cases
  /// there, so that it has to have these, too.
  Predicate limits() const;

 private:
  struct Limit {
    Condition condition;
    int tries = 0;  // of cases for which it alone does not hold
    bool is_crossed = false;
  };

  Where where_;
  std::vector<Limit> limits_;
};

constexpr int kMostTries = 8;  // for each condition

Within::Within(const std::string& where, const Case& start) : where_(Where::parse(where)) {
  if (!where_.holds(start)) where_ = Where();
  for (const Condition& one : where_.predicate().conditions) limits_.push_back({one});
}

void Within::look_beyond(const Case& c, const std::function<bool(const Case&)>& is_computed) {
  Limit* crossed = nullptr;
  for (Limit& one : limits_) {
    if (one.condition.holds(c, 0)) continue;
    if (crossed) return;  // a refusal would have no known reason
    crossed = &one;
  }
  if (!crossed || crossed->is_crossed || crossed->tries == kMostTries) return;
  ++crossed->tries;
  crossed->is_crossed = is_computed(c);
}

Predicate Within::limits() const {
  Predicate predicate;
  for (const Limit& one : limits_)
    if (one.is_crossed) predicate.conditions.push_back(one.condition);
  return predicate;
}

constexpr double kMostUnexplained = 0.1;     // of the samples: beyond, a condition explains too little
constexpr size_t kRepeatedSamples = 30;      // to see whether their results stay
constexpr int kLeastRepeatedSamples = 10;    // of them, whatever time is left: without them, nothing is claimed
constexpr uint64_t kSeedOfSamples = 30'011;  // no campaign is likely to have it, nor has the check of an explanation
constexpr double kCostOfSample = 1'000'000;  // multiply-adds, unless the shrunk case itself has more

class Diagnoser {
 public:
  Diagnoser(const Mismatch& mismatch, const DiagnosisSettings& settings,
            const std::function<void(const DiagnosisProgress&)>& progress)
      : mismatch_(mismatch),
        settings_(settings),
        known_(settings.known),
        progress_(progress),
        within_(settings.supervisor.worker.where, mismatch.problem_case),
        probe_({mismatch.suspect, mismatch.verdict, before_of(mismatch)}, with_heap_guard_of(mismatch, settings)) {}

  /// How reliably it fails; the smallest case; the known fault that covers it, or else an explanation of its own; what
  /// environment it needs.
  Diagnosis run() {
    Diagnosis diagnosis;
    Reliability reliability =
        measured(probe_, mismatch_.problem_case, mismatch_.verdict, [this] { return may_go_on(); });
    add_recorded(reliability);
    if (!reliability.afresh()) return now_and_then(std::move(diagnosis), reliability);
    if (!reliability.here) probe_.separate_cases();
    if (resolve(mismatch_.problem_case).why_not) return accepted(std::move(diagnosis), *reliability.seen);
    shrink_case(diagnosis, *reliability.seen);
    return_to_own_layouts(*diagnosis.shrunk);
    show_values(*diagnosis.shrunk);
    if (const KnownFault* known = known_fault(diagnosis.shrunk->problem_case)) {
      std::optional<Diagnosis> wider = learnt_again(*known, *reliability.seen);
      if (!wider) {
        diagnosis.covered_by = known->predicate.text();
        diagnosis.complete = may_go_on();
        return diagnosis;
      }
      diagnosis = *std::move(wider);
    } else {
      explain_case(diagnosis);
      if (std::optional<Diagnosis> wider = widened(diagnosis, *reliability.seen)) diagnosis = *std::move(wider);
    }
    diagnosis.explanation.environment =
        environment(probe_, diagnosis.shrunk->problem_case, [this] { return may_go_on(); });
    return diagnosis;
  }

 private:
  /// The lines that one process has to run before the case, for the fault to show.
  static std::vector<std::string> before_of(const Mismatch& mismatch) {
    std::vector<std::string> lines = lines_to_run(mismatch.certificate.alone, mismatch.problem_case);
    lines.pop_back();
    return lines;
  }

  static workers::SupervisionSettings with_heap_guard_of(const Mismatch& mismatch, const DiagnosisSettings& settings) {
    const auto& guard = mismatch.certificate.alone.heap_guard;
    return guard ? workers::with_heap_guard(settings.supervisor, *guard) : settings.supervisor;
  }

  bool may_go_on() const {
    return !probe_.interrupted() && (!settings_.deadline || Clock::now() < *settings_.deadline);
  }

  /// For what improves an explanation: the rows behind this one want some of the time, too.
  std::function<bool()> half_of_the_time_left() const {
    if (!settings_.deadline) return [this] { return may_go_on(); };
    const Clock::time_point now = Clock::now(), end = now + (*settings_.deadline - now) / 2;
    return [this, end] { return may_go_on() && Clock::now() < end; };
  }

  void tell(const char* stage, const Case& smallest) {
    if (Clock::now() - told_ < std::chrono::milliseconds(100)) return;
    told_ = Clock::now();
    progress_({stage, probe_.runs(), to_text(smallest)});
  }

  /// Adds the runs of the confirmation: what failed in some of them may fail in all by luck now, for a relation makes
  /// many calls.
  void add_recorded(Reliability& measured) const {
    const Certificate::Alone& alone = mismatch_.certificate.alone;
    const auto runs = static_cast<int>(alone.runs.value_or(0)), failed = static_cast<int>(alone.failed.value_or(0));
    if (failed == 0 || failed >= runs) return;
    measured.runs += runs;
    measured.failed += failed;
  }

  /// A mismatch that does not fail in each fresh process is neither shrunk nor explained: its own line is shown.
  Diagnosis now_and_then(Diagnosis diagnosis, const Reliability& measured) const {
    diagnosis.complete = may_go_on();
    diagnosis.explanation = {
        .reproduced = measured.failed > 0,
        .text = fmt::format("failed {} of {} times alone, each in a fresh process", measured.failed, measured.runs)};
    if (!measured.seen) return diagnosis;
    diagnosis.shrunk = mismatch_;
    diagnosis.shrunk->certificate.alone.runs = measured.runs;
    diagnosis.shrunk->certificate.alone.failed = measured.failed;
    diagnosis.geography = "comes and goes";
    return diagnosis;
  }

  /// An illegal problem has no neighbours to compare with; the explanation is the rule that it breaks.
  Diagnosis accepted(Diagnosis diagnosis, const Mismatch& first) const {
    diagnosis.complete = true;
    diagnosis.shrunk = first;
    const Invalid why_not = resolve(first.problem_case).why_not;
    diagnosis.geography = why_not.field;
    diagnosis.explanation = {.reproduced = true, .text = why_not.why};
    return diagnosis;
  }

  /// The known fault with a predicate that holds for the case, one that can be learnt again first. A mismatch that
  /// shrinks to such a case has that fault, even if the predicate does not hold for its own case. This is sound only
  /// for steps towards the plain case: a leap to another small case may lead from a new fault to a known one.
  const KnownFault* known_fault(const Case& c) const {
    const KnownFault* found = nullptr;
    for (const KnownFault& one : known_)
      if ((!found || (one.samples && !found->samples)) && one.predicate.holds(c)) found = &one;
    return found;
  }

  /// The condition of a known fault that holds for the shrunk case, but not for the mismatch, is too narrow, and would
  /// miss the likes of it again and again. It is learnt once more, together with the smallest case that it misses.
  /// Nothing if no one condition explains both.
  std::optional<Diagnosis> learnt_again(const KnownFault& narrow, const Mismatch& first) {
    if (!narrow.samples || known_fault(mismatch_.problem_case)) return std::nullopt;
    Diagnosis wider;
    may_be_known_ = false;
    shrink_case(wider, first);
    may_be_known_ = true;
    show_values(*wider.shrunk);
    explain_case(wider, &narrow);
    if (wider.predicate.empty()) return std::nullopt;
    return wider;
  }

  /// What was just learnt, if it misses the mismatch that it was learnt for.
  std::optional<Diagnosis> widened(const Diagnosis& learnt, const Mismatch& first) {
    if (learnt.samples.empty()) return std::nullopt;
    known_.push_back(
        {Predicate::parse(learnt.predicate), std::make_shared<const std::vector<explain::Sample>>(learnt.samples)});
    return learnt_again(known_.back(), first);
  }

  /// Whether every number of `to` lies between its default and its value in `from`.
  static bool is_reduction(const Case& from, const Case& to) {
    const Case plain = plain_case(from);
    return std::ranges::all_of(slots(), [&](const Slot& slot) {
      if (slot.is_data() || slot.is_padding()) return true;
      for (int axis = 0; axis < count_of(slot, from.rank); ++axis) {
        const int64_t now = slot.get(to, axis), was = slot.get(from, axis), aim = slot.get(plain, axis);
        if (now != was && now != aim && (now < std::min(was, aim) || now > std::max(was, aim))) return false;
      }
      return true;
    });
  }

  /// One process runs all the cases, each once, which is fast. But a suspect with state may fail there on a line that
  /// passes in a fresh process, and one that fails now and then may do so on a line that hardly ever fails. Such a line
  /// is of no use: then each step is taken only if it fails each time, and in a fresh process.
  void shrink_case(Diagnosis& diagnosis, const Mismatch& first) {
    const int before = probe_.runs();
    Mismatch smallest = smallest_case(first, before, /*surely=*/false);
    diagnosis.shrink_runs = probe_.runs() - before;
    if (!fails_surely(smallest)) {
      smallest = smallest_case(first, before, /*surely=*/true);
      diagnosis.shrink_runs = probe_.runs() - before;
    }
    smallest.blame = mismatch_.blame;
    smallest.certificate.alone = mismatch_.certificate.alone;
    diagnosis.shrunk = std::move(smallest);
    diagnosis.explanation.reproduced = true;
    diagnosis.explanation.shrink_runs = diagnosis.shrink_runs;
    diagnosis.geography = diagnosis.shrunk->certificate.errors.geography.value_or("");
  }

  bool fails_surely(const Mismatch& mismatch) {
    const auto again = probe_.ask_fresh(mismatch.problem_case).mismatch;
    return again && again->verdict == mismatch.verdict &&
           fails_each_time(probe_, mismatch.problem_case, mismatch.verdict, [this] { return may_go_on(); });
  }

  Mismatch smallest_case(const Mismatch& first, int runs_before, bool surely) {
    Mismatch smallest = first;
    // Other data may show the same fault with stronger evidence, but never with weaker.
    const auto still_fails = [&](const Case& c) {
      tell("shrinking", smallest.problem_case);
      if (!within_.holds(c)) return false;
      if (known_fault(c) && !(may_be_known_ && is_reduction(smallest.problem_case, c))) return false;
      const auto& found = probe_.ask(c).mismatch;
      if (!found || found->verdict > smallest.verdict || !is_same_failure(*found, first)) return false;
      if (surely && !fails_surely(*found)) return false;
      smallest = *found;
      return true;
    };
    const auto go_on = [&] { return may_go_on() && probe_.runs() - runs_before < settings_.shrink_runs; };
    shrink::shrink(mismatch_.problem_case, still_fails, go_on);
    return smallest;
  }

  /// Any layout is a kernel's own while extents are 1. If it refuses all larger neighbours for that, nothing could be
  /// learnt from them, so the layouts are again those of the case that was found.
  void return_to_own_layouts(Mismatch& shrunk) {
    const auto with_own = [&](Case c) {
      c.src_layout = mismatch_.problem_case.src_layout;
      c.wei_layout = mismatch_.problem_case.wei_layout;
      c.dst_layout = mismatch_.problem_case.dst_layout;
      return c;
    };
    const Case own = with_own(shrunk.problem_case);
    if (own == shrunk.problem_case || own.op != mismatch_.problem_case.op) return;
    Case larger = shrunk.problem_case;
    for (int axis = 0; axis < larger.rank; ++axis) ++larger.in[axis];
    if (probe_.ask(larger).judged || !probe_.ask(with_own(larger)).judged) return;
    const auto found = probe_.ask(own).mismatch;
    if (found && found->verdict == shrunk.verdict && is_same_failure(*found, shrunk)) shrunk = *found;
  }

  /// Adds all elements of the output, got and expected, to the certificate of the one case that people look at.
  void show_values(Mismatch& shrunk) {
    if (!shrunk.certificate.errors.map) return;
    const auto again = probe_.ask_for_values(shrunk.problem_case).mismatch;
    if (!again || again->verdict != shrunk.verdict) return;
    const Certificate::Alone alone = shrunk.certificate.alone;
    shrunk.certificate = again->certificate;
    shrunk.certificate.alone = alone;
  }

  /// With `narrow`, the condition has to explain that fault, too; otherwise there is none.
  void explain_case(Diagnosis& diagnosis, const KnownFault* narrow = nullptr) {
    const int before = probe_.runs();
    const Case& shrunk = diagnosis.shrunk->problem_case;
    const AskedData asked = data_for(shrunk);
    const bool needs_fill = asked.needs_fill;
    const auto fails = [&](const Case& c) {
      tell("explaining", shrunk);
      return fails_with(c, asked);
    };
    const auto is_within = [&](const Case& c) {
      if (within_.holds(c)) return true;
      within_.look_beyond(c, [&](const Case& beyond) { return probe_.ask(with(beyond, asked.data.back())).judged; });
      return false;
    };
    const double cost = multiply_adds(resolve(shrunk).problem);
    const double largest_cost = std::max(kCostOfSample, 4 * cost);
    const std::function<bool()> go_on = [&] { return may_go_on(); };
    explain::Sampled sampled =
        explain::sample_around(shrunk, fails, go_on, {settings_.explain_runs, largest_cost, is_within});
    std::vector<explain::Sample>& samples = sampled.samples;
    samples.front().by_luck = asked.by_luck();
    const auto count_runs = [&] {
      diagnosis.explanation.explain_runs = probe_.runs() - before;
    };
    count_runs();
    const Changes changes = repeated(samples, asked);
    diagnosis.complete = may_go_on();  // the rest is welcome, but not waited for
    if (changes.changed > 0) return withhold(diagnosis, changes);
    explain::LearntPredicate learnt = explain::learn_predicate(samples);
    if (!needs_fill) learn_with_known(learnt, samples);
    if (narrow && !learnt.predicate.holds(narrow->samples->front().c)) return;
    if (explains_too_little(learnt, samples)) {
      explain_data(diagnosis);
      return admit_ignorance(diagnosis, learnt, samples.size());
    }
    if (mismatch_.verdict != Verdict::kHang)  // each costs seconds
      learnt = explain::refine(std::move(learnt), samples,
                               [](uint64_t index) { return generate::generate(nullptr, kSeedOfSamples, index); }, fails,
                               half_of_the_time_left(), {.largest_cost = largest_cost, .is_within = is_within});
    count_runs();
    // If the problem alone does not decide, the values may.
    if (needs_fill || !learnt.unexplained.empty()) explain_data(diagnosis);
    if (explains_too_little(learnt, samples)) return admit_ignorance(diagnosis, learnt, samples.size());
    for (const Condition& limit : within_.limits().conditions) learnt.predicate.conditions.push_back(limit);
    if (needs_fill) learnt.predicate.conditions.push_back(fill_is(shrunk.fill));
    diagnosis.predicate = learnt.predicate.text();
    diagnosis.explanation.evidence = evidence_of(learnt, sampled);
    if (!needs_fill) diagnosis.samples = std::move(samples);
  }

  AskedData data_for(const Case& shrunk) {
    const auto fails = [&](const Case& c) {
      tell("explaining", shrunk);
      return this->fails(c);
    };
    // A hang costs seconds, and is hardly ever one of the data.
    return asked_data(shrunk, fails, [&] { return may_go_on() && mismatch_.verdict != Verdict::kHang; });
  }

  void explain_data(Diagnosis& diagnosis) {
    const Case& shrunk = diagnosis.shrunk->problem_case;
    const auto fails = [&](const Case& c) { return this->fails(c); };
    if (auto found = data_condition(shrunk, fails, half_of_the_time_left()))
      diagnosis.explanation.data = *std::move(found);
  }

  /// Two cases of one fault are explained in two ways, each too narrow, unless they are learnt from together.
  void learn_with_known(explain::LearntPredicate& learnt, std::vector<explain::Sample>& samples) const {
    for (const KnownFault& known : known_) {
      if (!known.samples || !may_go_on()) continue;
      if (auto together = explain::learn_together(samples, *known.samples)) {
        learnt = *std::move(together);
        samples.insert(samples.end(), known.samples->begin(), known.samples->end());
      }
    }
  }

  struct Changes {
    int changed = 0, repeated = 0;
  };

  /// Asks some of the samples again: how many have another result now?
  Changes repeated(const std::vector<explain::Sample>& samples, const AskedData& asked) {
    const size_t step = std::max<size_t>(samples.size() / kRepeatedSamples, 1);
    Changes changes;
    const auto go_on = [&] {
      const bool has_too_few = changes.repeated < kLeastRepeatedSamples && mismatch_.verdict != Verdict::kHang;
      return may_go_on() || (has_too_few && !probe_.interrupted());
    };
    for (size_t i = 0; i < samples.size() && go_on(); i += step) {
      ++changes.repeated;
      changes.changed += fails_with(samples[i].c, asked, /*again=*/true) == samples[i].fails ? 0 : 1;
    }
    return changes;
  }

  static bool explains_too_little(const explain::LearntPredicate& learnt, const std::vector<explain::Sample>& samples) {
    return static_cast<double>(learnt.unexplained.size()) > kMostUnexplained * static_cast<double>(samples.size());
  }

  static void admit_ignorance(Diagnosis& diagnosis, const explain::LearntPredicate& learnt, size_t samples) {
    diagnosis.explanation.withheld =
        fmt::format("not known when it fails: of {} cases tried, the best condition found, '{}', is wrong for {}",
                    samples, learnt.predicate.in_words(), learnt.unexplained.size());
  }

  void withhold(Diagnosis& diagnosis, const Changes& changes) const {
    diagnosis.explanation.withheld = fmt::format(
        "comes and goes: {} of {} neighbours gave another result when they were repeated, so nothing is learnt from "
        "them",
        changes.changed, changes.repeated);
  }

  /// A relation may show that another problem fails, which says nothing of this one.
  static bool is_same_problem(Case one, const Case& other) {
    one.fill = other.fill;
    one.seed = other.seed;
    one.calls = other.calls;
    one.before = other.before;
    return to_text(one) == to_text(other);
  }

  /// Two results that contradict each other: which of them is wrong was not found out. Only a fault that shows in no
  /// other way is learnt from these.
  bool is_direct(const Mismatch& found) const {
    return found.verdict != Verdict::kWrongRelation || mismatch_.verdict == Verdict::kWrongRelation;
  }

  /// Whether the case fails as the mismatch does; nullopt if it is refused, or fails in another way.
  std::optional<bool> fails(const Case& c, bool again = false) {
    const Probe::Finding answer = again ? probe_.ask_again(c) : probe_.ask(c);
    if (answer.mismatch && is_same_problem(answer.mismatch->problem_case, c) && is_direct(*answer.mismatch))
      return is_same_failure(*answer.mismatch, mismatch_) ? std::optional(true) : std::nullopt;
    return answer.judged ? std::optional(false) : std::nullopt;
  }

  /// Whether the neighbour fails with any of the data.
  std::optional<bool> fails_with(const Case& neighbour, const AskedData& asked, bool again = false) {
    for (const Data& one : asked.data)
      if (const std::optional<bool> failed = fails(asked.of(neighbour, one), again); failed != false) return failed;
    return false;
  }

  const Mismatch& mismatch_;
  const DiagnosisSettings& settings_;
  std::vector<KnownFault> known_;
  const std::function<void(const DiagnosisProgress&)>& progress_;
  Within within_;
  Probe probe_;
  Clock::time_point told_ = Clock::now();
  bool may_be_known_ = true;  // whether shrinking may end at a case of a known fault
};

}  // namespace

store::RowExplanation Diagnosis::row_explanation(const Mismatch& original) const {
  store::RowExplanation result;
  result.case_text = to_text(original.problem_case);
  if (shrunk) {
    result.verdict = shrunk->verdict;
    result.shrunk_text = to_text(shrunk->problem_case);
    result.shrunk_certificate = shrunk->certificate;
  }
  result.geography = explanation.reproduced ? geography : "not reproduced";
  result.predicate = predicate;
  result.explanation = explanation;
  return result;
}

Diagnosis diagnose(const Mismatch& mismatch, const DiagnosisSettings& settings,
                   const std::function<void(const DiagnosisProgress&)>& progress) {
  return Diagnoser(mismatch, settings, progress).run();
}

}  // namespace convict::diagnose
