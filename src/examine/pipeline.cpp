// SPDX-License-Identifier: Apache-2.0
#include "examine/pipeline.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/case_text.h"
#include "core/geometry.h"
#include "core/layout.h"
#include "core/role.h"
#include "examine/scene.h"
#include "examine/trial.h"
#include "judge/element_evaluation.h"
#include "run/flight_record.h"
#include "run/guarded_call.h"

namespace convict::examine {
namespace {

using Kind = Outcome::Kind;

/// One look at a case. An examination takes the first one, and others where that leaves a question.
struct Look {
  Case c;
  const Where* where = nullptr;           // as in ExaminationSettings, as are all of these
  const fill::GivenData* data = nullptr;  // for legal cases
  AskedRelations relations = AskedRelations::kOne;
  bool all_libraries = false;
  uint64_t without = 0;
  std::string changed = {};
};

Look first_look(const Case& c, const ExaminationSettings& settings) {
  const fill::GivenData* data = resolve(c).why_not ? nullptr : settings.data;
  return {data ? data->case_for(c) : c, settings.where,   data, settings.relations, settings.all_libraries,
          settings.without,             settings.changed};
}

/// Why no implementation can be judged on this case; nothing if they can.
std::optional<std::string> impossible(const Scene& scene, double most_bytes, const Where* where) {
  if (examination_bytes(scene.described(), scene.problem()) > most_bytes)
    return "the operands and their reference need more memory than one worker may have";
  if (where && !where->holds(scene.the_case())) return "outside of --where";
  return std::nullopt;
}

/// What all looks at a case have in common.
struct LookContext {
  std::span<const run::Subject> subjects;
  run::GuardedMemory& memory;
  run::FlightRecord& record;
  const ExaminationSettings& settings;
};

/// Asks the subjects whether they accept the problem.
class Asking {
 public:
  Asking(const Scene& scene, bool legal, const Look& look, const LookContext& context,
         std::vector<judge::Result>& results)
      : scene_(scene), legal_(legal), settings_(context.settings), record_(context.record), results_(results) {
    const ExaminationSettings& settings = context.settings;
    results_.reserve(context.subjects.size());
    for (const run::Subject& subject : context.subjects) {
      const bool is_out = is_left_out(look.without, results_.size());
      judge::Result& result = results_.emplace_back();
      result.who = subject.implementation;
      result.abilities = subject.abilities;
      result.declarations = subject.declarations;
      result.is_target = subject.is_target;
      result.is_excused =
          is_out || (!settings.asks_oracles && !subject.is_target) ||
          !subject.turns.contains(turn_of(subject.turns.library));
      result.takes_turns =
          legal && settings.takes_turns && !look.all_libraries && subject.turns.library != run::kNoLibrary;
      library_.push_back(subject.turns.library);
    }
    asked_.resize(results_.size());
    by_target_ = std::ranges::none_of(results_, &judge::Result::is_target);  // they are on trial themselves
    for_all_ = impossible(scene, settings.most_bytes, look.where);
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
    any_to_judge_ |= has_to_be_judged;
    return has_to_be_judged;
  }

  /// Asks all. Targets come first in the roster; if none accepts, no oracle is asked, for there is nothing to witness.
  void ask_all() {
    const run::InStage asking(record_, Stage::kAsk);
    for (size_t i = 0; i < asked_.size(); ++i)
      if (!asked_[i] && !results_[i].takes_turns) ask(i);
    ask_in_turn();
  }

  bool any_to_judge() const { return any_to_judge_; }
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
    Acceptance answer =
        answer_of(scene_, legal_, *result.who, result.abilities, result.is_target, static_cast<int>(i), record_);
    if (answer.was_asked && record_.is_foreign[i]) foreign_.push_back(i);
    result.outcome.side_effect = std::move(answer.side_effect);
    if (settings_.effect_of_asking && settings_.effect_of_asking->subject == i)
      result.outcome.side_effect = settings_.effect_of_asking->side_effect;
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
  bool by_target_ = false, any_to_judge_ = false;
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
bool is_upheld(const Scene& scene, run::GuardedMemory& memory, const judge::JudgedElement& element) {
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

/// Whether a pass of this target proves little.
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

/// A mismatch is about what its suspect was asked for.
std::vector<Mismatch> as_asked(std::vector<Mismatch> mismatches) {
  for (Mismatch& one : mismatches)
    if (one.blame == Blame::kOracle) one.problem_case = asked_of_witness(one.problem_case);
  return mismatches;
}

/// Examines a case, and looks again where that leaves a question.
Examination look_at(const Look& look, const LookContext& context);

/// Asks, calls and judges all implementations once.
Examination examine_once(const Look& look, const LookContext& context) {
  const ExaminationSettings& settings = context.settings;
  const bool legal = !resolve(look.c).why_not;
  const Scene scene(look.c, look.data);
  Examination examination;
  Asking asking(scene, legal, look, context, examination.results);
  asking.ask_all();
  if (asking.any_to_judge())
    call_all(scene, legal, {context.memory, context.record, settings.yardstick, settings.values, look.relations},
             examination);
  examination.foreign = asking.foreign();
  if (!look.changed.empty() && std::ranges::none_of(examination.results, has_side_effect))
    for (const size_t i : examination.foreign) examination.results[i].outcome.side_effect = look.changed;
  else if (legal && !asking.any_to_judge())
    return examination;
  if (!legal) {
    examination.judged = examination.illegal = !asking.is_impossible();
    examination.mismatches = as_asked(judge::judge_acceptance(look.c, examination.results));
    return examination;
  }
  summarize(look.c, examination);
  if (settings.yardstick != Yardstick::kLadder)  // other tools compare values only, not the memory around them
    for (judge::Result& result : examination.results) result.outcome.overrun = {};
  examination.mismatches = as_asked(judge::judge(look.c, examination.results, [&](const judge::JudgedElement& element) {
    return is_upheld(scene, context.memory, element);
  }));
  return examination;
}

/// A relation may be broken by the result of a problem that is not that of the case. If this problem, with data of its
/// own, shows a fault without the relation, then that is the mismatch: its line leads to the operation that is wrong.
void charge_wrong_call(const judge::Result& result, const Look& first, const LookContext& context,
                       std::vector<Mismatch>& mismatches) {
  const auto charged = std::ranges::find_if(mismatches, [&](const Mismatch& one) {
    return one.verdict == Verdict::kWrongRelation && one.suspect == result.who->name;
  });
  if (charged == mismatches.end() || !result.relation->wrong) return;
  const Case& other = result.relation->wrong->as_case;
  if (other == first.c || resolve(other).why_not) return;
  const Look alone{.c = other,
                   .relations = AskedRelations::kNone,
                   .all_libraries = first.all_libraries,
                   .without = first.without};
  Examination second = look_at(alone, context);
  const auto found = std::ranges::find(second.mismatches, result.who->name, &Mismatch::suspect);
  if (found == second.mismatches.end()) return;
  found->certificate.text = fmt::format("found by the relation {} on {}, computed correctly; shows on {}",
                                        result.relation->name, to_text(first.c), to_text(other));
  *charged = std::move(*found);
}

/// Examines the case again with a comb, which hides nothing, for the targets with a pass that proves little. The others
/// that erred have been found already. Adds the mismatches to the first examination.
void refill(const Look& first, const LookContext& context, Examination& examination) {
  Look second = first;
  second.data = nullptr;
  second.c.fill = Fill::kComb;
  second.c.calls = Calls::kOnce;
  second.c.before = {};
  for (size_t i = 0; i < context.subjects.size(); ++i)
    if (context.subjects[i].is_target && !is_mistrusted(first.c, examination.results[i]))
      second.without |= uint64_t{1} << i;
  for (Mismatch& mismatch : look_at(second, context).mismatches) examination.mismatches.push_back(std::move(mismatch));
}

/// Where a result is wrong, all libraries are heard: the reader of the mismatch wants to know what each of them says,
/// and the reference is on trial too. A fault that does not show a second time is kept as it was.
void hear_all(const Look& first, const LookContext& context, Examination& examination) {
  const auto is_silent = [](const judge::Result& one) { return one.takes_turns && one.is_excused; };
  if (examination.mismatches.empty() || std::ranges::none_of(examination.results, is_silent)) return;
  Look second = first;
  second.all_libraries = true;
  Examination heard = look_at(second, context);
  if (!heard.mismatches.empty()) examination.mismatches = std::move(heard.mismatches);
}

Examination look_at(const Look& look, const LookContext& context) {
  Examination examination = examine_once(look, context);
  if (examination.illegal) return examination;
  Look again = look;
  again.changed.clear();
  for (const judge::Result& result : examination.results)
    if (result.relation) charge_wrong_call(result, again, context, examination.mismatches);
  if (context.settings.yardstick == Yardstick::kLadder && examination.mistrusted)
    refill(again, context, examination);
  hear_all(again, context, examination);
  return examination;
}

}  // namespace

Acceptance answer_to(const Case& c, const run::Subject& target, size_t position, run::FlightRecord& record,
                     const ExaminationSettings& settings) {
  const Scene scene(c);
  if (auto why = impossible(scene, settings.most_bytes, settings.where)) return {std::move(why), {}, {}, false};
  return answer_of(scene, /*legal=*/true, *target.implementation, target.abilities, target.is_target,
                   static_cast<int>(position), record);
}

bool is_asked(const Case& c, const run::Subject& who, const ExaminationSettings& settings) {
  const Scene scene(c);
  return !impossible(scene, settings.most_bytes, settings.where) &&
         !why_not_asked(scene, who.implementation->contract, who.abilities);
}

Examination examine(const Case& c, std::span<const run::Subject> subjects, run::GuardedMemory& memory,
                    run::FlightRecord& record, const ExaminationSettings& settings) {
  record.is_careful = settings.is_careful;
  return look_at(first_look(c, settings), {subjects, memory, record, settings});
}

}  // namespace convict::examine
