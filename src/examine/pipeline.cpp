// SPDX-License-Identifier: Apache-2.0
#include "examine/pipeline.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/case_text.h"
#include "core/geometry.h"
#include "core/layout.h"
#include "core/role.h"
#include "examine/answer.h"
#include "examine/scene.h"
#include "examine/trial.h"
#include "judge/element_evaluation.h"
#include "run/guarded_call.h"
#include "run/in_stage.h"

namespace convict::examine {
namespace {

using Kind = Outcome::Kind;

/// Why no implementation can be judged on this case; nothing if they can.
std::optional<std::string> impossible(const Scene& scene, const ExaminationSettings& settings) {
  if (examination_bytes(scene.described(), scene.problem()) > settings.most_bytes)
    return "the operands and their reference need more memory than one worker may have";
  if (settings.where && !settings.where->holds(scene.the_case())) return "outside of --where";
  return std::nullopt;
}

/// Asks the subjects whether they accept the problem.
class Asking {
 public:
  Asking(const Scene& scene, bool legal, std::span<const run::Subject> subjects, const ExaminationSettings& settings,
         run::FlightRecord& record, std::vector<judge::Result>& results)
      : scene_(scene), legal_(legal), settings_(settings), record_(record), results_(results) {
    results_.reserve(subjects.size());
    for (const run::Subject& subject : subjects) {
      const bool is_out = is_left_out(settings.without, results_.size());
      judge::Result& result = results_.emplace_back();
      result.who = subject.implementation;
      result.abilities = subject.abilities;
      result.transforms = subject.transforms;
      result.is_target = subject.is_target;
      result.is_excused =
          is_out || (!settings.witnessed && !subject.is_target) ||
          !subject.turns.contains(turn_of(subject.turns.library));
      result.takes_turns =
          legal && settings.takes_turns && !settings.all_libraries && subject.turns.library != run::kNoLibrary;
      library_.push_back(subject.turns.library);
    }
    asked_.resize(subjects.size());
    by_target_ = std::ranges::none_of(subjects, &run::Subject::is_target);  // they are on trial themselves
    for_all_ = impossible(scene, settings);
  }

  /// Whether one subject accepts it, or has to be judged for what it did when it was asked.
  bool ask(size_t i) {
    judge::Result& result = results_[i];
    asked_[i] = true;
    std::optional<std::string> reason = why_not(i);
    const bool accepted = !reason;
    if (reason) result.outcome = {Kind::kRefused, std::move(*reason), {}, std::move(result.outcome.side_effect)};
    by_target_ |= result.is_target && accepted;
    const bool has_to_be_judged = accepted || !result.outcome.side_effect.empty();
    anybody_ |= has_to_be_judged;
    return has_to_be_judged;
  }

  /// Targets come first in the roster. Where none accepts, the oracles have nothing to witness.
  void ask_the_others() {
    const run::InStage asking(record_, Stage::kAsk);
    for (size_t i = 0; i < asked_.size(); ++i)
      if (!asked_[i] && !results_[i].takes_turns) ask(i);
    ask_in_turn();
  }

  bool anybody() const { return anybody_; }
  bool is_impossible() const { return for_all_.has_value(); }
  /// Positions of those that were asked and are code of libraries.
  const std::vector<size_t>& foreign() const { return foreign_; }

 private:
  int turn_of(int library) const {
    return settings_.takes_turns ? run::turn_of(scene_.the_case().seed, library) : run::kTurnOfGivenCases;
  }

  /// One library computes the case: the first that accepts it.
  void ask_in_turn() {
    const int libraries = library_.empty() ? 0 : std::ranges::max(library_) + 1;
    bool found = false;
    for (int k = 0; k < libraries; ++k) {
      const int library = (run::first_library(scene_.the_case().seed, libraries) + k) % libraries;
      for (size_t i = 0; i < asked_.size(); ++i) {
        if (library_[i] != library || asked_[i] || !results_[i].takes_turns) continue;
        results_[i].is_excused |= found;
        found |= ask(i);
      }
    }
  }

  /// Why a subject refuses the problem. Nothing if it accepts; then its contract is set.
  std::optional<std::string> reason_to_refuse(size_t i) {
    judge::Result& result = results_[i];
    Answer answer =
        answer_of(scene_, legal_, *result.who, result.abilities, result.is_target, static_cast<int>(i), record_);
    if (answer.was_asked && record_.is_foreign[i]) foreign_.push_back(i);
    result.outcome.side_effect = std::move(answer.side_effect);
    if (settings_.told && settings_.told->subject == i) result.outcome.side_effect = settings_.told->side_effect;
    if (answer.contract) result.contract = *answer.contract;
    return std::move(answer.reason);
  }

  std::optional<std::string> why_not(size_t i) {
    judge::Result& result = results_[i];
    const bool is_oracle = !result.is_target;
    if (for_all_) return for_all_;
    if (result.is_excused) return "not asked";
    if (is_oracle && is_spared(settings_.spared, result.who->name, scene_.the_case()))
      return "spared: it died of several cases like this one";
    if (is_oracle && legal_ && !by_target_) return "no target takes it";
    return reason_to_refuse(i);
  }

  const Scene& scene_;
  const bool legal_;
  const ExaminationSettings& settings_;
  run::FlightRecord& record_;
  std::vector<judge::Result>& results_;
  std::vector<bool> asked_;
  std::vector<int> library_;  // as in Turns, of each subject
  std::vector<size_t> foreign_;
  std::optional<std::string> for_all_;
  bool by_target_ = false, anybody_ = false;
};

/// Whether most lost products would not have been noticed. A comb shows them at any number of terms, so it is trusted.
bool is_blind(const Case& c, const judge::Comparison& comparison) {
  if (c.fill == Fill::kComb || !comparison.compared || comparison.elements == 0) return false;
  if (c.fill == Fill::kZero) return true;
  return comparison.blind * 2 > comparison.with_terms;
}

void call_all(const Scene& scene, bool legal, const TrialContext& context, Examination& examination) {
  set_scene(scene, context);
  if (legal)
    examination.redrawn = run_trial(scene, context, examination.results);
  else
    run_illegal_trial(scene, context, examination.results);
}

/// Whether the evaluator of single elements, from the same data, finds what the reference found.
bool is_upheld(const Scene& scene, run::GuardedMemory& memory, const judge::Element& element) {
  scene.set(memory);
  const auto role = std::ranges::find(kRoles, element.role, &Role::name);
  const judge::ExactElement exact =
      judge::evaluate_element(scene.problem(), memory.ours(), element.role, element.at);
  if (exact.right || element.right) return exact.right == element.right;
  const auto value = static_cast<double>(exact.value);
  if (!std::isfinite(value) || !std::isfinite(element.exact))
    return element.exact == value || (std::isnan(element.exact) && std::isnan(value));
  const double error = static_cast<double>(std::abs(element.exact - exact.value));
  return error <= judge::error_of_reference(exact, (memory.ours().*role->tensor).dtype);
}

bool has_side_effect(const judge::Result& result) { return !result.outcome.side_effect.empty(); }

/// Its pass proves little.
bool is_mistrusted(const Case& c, const judge::Result& result) {
  return result.is_target && result.outcome.kind == Kind::kComputed && result.comparison.agrees() &&
         is_blind(c, result.comparison);
}

void summarize(const Case& c, Examination& examination) {
  bool every_oracle = true, no_oracles = true, some_oracle = false, wants_turn = false, took_turn = false;
  for (const judge::Result& result : examination.results) {
    const bool computed = result.outcome.kind == Kind::kComputed;
    if (result.is_target) {
      examination.judged |= computed;
      examination.mistrusted |= is_mistrusted(c, result);
    } else {
      no_oracles = false;
      some_oracle |= computed;
      wants_turn |= result.takes_turns;
      took_turn |= result.takes_turns && computed;
      every_oracle &= computed || result.is_excused || result.takes_turns;
    }
  }
  examination.witnessed = examination.judged && every_oracle && wants_turn == took_turn && (some_oracle || no_oracles);
}

/// Examines the case again with a comb, which hides nothing, for the targets whose pass proves little. Whoever erred has
/// been found already. Adds the mismatches to the first examination.
void refill(const Case& c, std::span<const run::Subject> subjects, run::GuardedMemory& memory,
            run::FlightRecord& record, ExaminationSettings settings, Examination& examination) {
  settings.data = nullptr;
  Case again = c;
  again.fill = Fill::kComb;
  again.calls = Calls::kOnce;
  again.before = {};
  for (size_t i = 0; i < subjects.size(); ++i)
    if (subjects[i].is_target && !is_mistrusted(c, examination.results[i])) settings.without |= uint64_t{1} << i;
  Examination second = examine(again, subjects, memory, record, settings);
  for (Mismatch& mismatch : second.mismatches) examination.mismatches.push_back(std::move(mismatch));
}

/// A relation may be broken by the result of a problem that is not that of the case. If this problem, with data of its
/// own, shows a fault without the relation, then that is the mismatch: its line leads to the operation that is wrong.
void charge_wrong_call(const judge::Result& result, const Case& c, std::span<const run::Subject> subjects,
                       run::GuardedMemory& memory, run::FlightRecord& record, ExaminationSettings settings,
                       std::vector<Mismatch>& mismatches) {
  const auto charged = std::ranges::find_if(mismatches, [&](const Mismatch& one) {
    return one.verdict == Verdict::kWrongRelation && one.suspect == result.who->name;
  });
  if (charged == mismatches.end() || !result.relation->wrong) return;
  const Case& other = result.relation->wrong->as_case;
  if (other == c || resolve(other).why_not) return;
  settings.relations = AskedRelations::kNone;
  settings.where = nullptr;
  settings.data = nullptr;
  Examination second = examine(other, subjects, memory, record, settings);
  const auto found = std::ranges::find(second.mismatches, result.who->name, &Mismatch::suspect);
  if (found == second.mismatches.end()) return;
  found->certificate.text = fmt::format("found by the relation {} on {}, computed correctly; shows on {}",
                                        result.relation->name, to_text(c), to_text(other));
  *charged = std::move(*found);
}

/// Where somebody is wrong, all libraries are heard: whoever reads the mismatch wants to know what each of them says,
/// and the reference is on trial too. A fault that does not show a second time is told as it was.
void hear_all(const Case& c, std::span<const run::Subject> subjects, run::GuardedMemory& memory,
              run::FlightRecord& record, ExaminationSettings settings, Examination& examination) {
  const auto is_silent = [](const judge::Result& one) { return one.takes_turns && one.is_excused; };
  if (examination.mismatches.empty() || std::ranges::none_of(examination.results, is_silent)) return;
  settings.all_libraries = true;
  Examination second = examine(c, subjects, memory, record, settings);
  if (!second.mismatches.empty()) examination.mismatches = std::move(second.mismatches);
}

/// A mismatch is about what its suspect was asked for.
std::vector<Mismatch> as_asked(std::vector<Mismatch> mismatches) {
  for (Mismatch& one : mismatches)
    if (one.blame == Blame::kOracle) one.problem_case = asked_of_witness(one.problem_case);
  return mismatches;
}

}  // namespace

Answer answer_to(const Case& c, const run::Subject& target, size_t position, run::FlightRecord& record,
                 const ExaminationSettings& settings) {
  const Scene scene(c);
  if (auto why = impossible(scene, settings)) return {std::move(why), {}, {}, false};
  return answer_of(scene, /*legal=*/true, *target.implementation, target.abilities, target.is_target,
                   static_cast<int>(position), record);
}

bool is_asked(const Case& c, const run::Subject& who, const ExaminationSettings& settings) {
  const Scene scene(c);
  return !impossible(scene, settings) && !why_not_asked(scene, who.implementation->contract, who.abilities);
}

Examination examine(const Case& the_case, std::span<const run::Subject> subjects, run::GuardedMemory& memory,
                    run::FlightRecord& record, const ExaminationSettings& settings) {
  record.is_careful = settings.is_careful;
  const bool legal = !resolve(the_case).why_not;
  const Case c = settings.data && legal ? settings.data->case_for(the_case) : the_case;
  const Scene scene(c, legal ? settings.data : nullptr);
  Examination examination;
  Asking asking(scene, legal, subjects, settings, record, examination.results);
  asking.ask_the_others();
  if (asking.anybody())
    call_all(scene, legal, {memory, record, settings.yardstick, settings.values, settings.relations}, examination);
  examination.foreign = asking.foreign();
  if (!settings.changed.empty() && std::ranges::none_of(examination.results, has_side_effect))
    for (const size_t i : examination.foreign) examination.results[i].outcome.side_effect = settings.changed;
  else if (legal && !asking.anybody())
    return examination;
  if (!legal) {
    examination.judged = examination.illegal = !asking.is_impossible();
    examination.mismatches = as_asked(judge::judge_acceptance(c, examination.results));
    return examination;
  }
  summarize(c, examination);
  const bool ladder = settings.yardstick == Yardstick::kLadder;
  if (!ladder)  // other tools compare values only, not the memory around them
    for (judge::Result& result : examination.results) result.outcome.overrun = {};
  examination.mismatches = as_asked(judge::judge(
      c, examination.results, [&](const judge::Element& element) { return is_upheld(scene, memory, element); }));
  ExaminationSettings further = settings;
  further.changed.clear();
  for (const judge::Result& result : examination.results)
    if (result.relation) charge_wrong_call(result, c, subjects, memory, record, further, examination.mismatches);
  if (ladder && examination.mistrusted) refill(c, subjects, memory, record, further, examination);
  hear_all(c, subjects, memory, record, further, examination);
  return examination;
}

}  // namespace convict::examine
