// SPDX-License-Identifier: Apache-2.0
#include "examine/trial.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "abi/element.h"
#include "core/random.h"
#include "core/role.h"
#include "examine/calls.h"
#include "examine/relation_check.h"
#include "fill/comb.h"
#include "judge/compare.h"
#include "run/flight_record.h"
#include "run/guarded_call.h"

namespace convict::examine {
namespace {

using Coordinates = std::vector<int64_t>;

/// Where the dense operand holds `product`, or half of it: the sparse one has 1 and 2, of either sign.
std::optional<Coordinates> find_value(const convict_tensor& dense, double product) {
  std::optional<Coordinates> found;
  with_type(dense.dtype, [&](auto zero) {
    for_each_element<decltype(zero)>(dense, [&](const auto& element, const int64_t* at) {
      const auto value = static_cast<double>(number(element));
      if (!found && value != 0 && (std::abs(product) == value || std::abs(product) == 2 * value))
        found = Coordinates(at, at + dense.ndim);
    });
  });
  return found;
}

std::string in_words(std::string_view role, const convict_tensor& dense, double product) {
  if (product == 0) return "nothing";
  const auto at = find_value(dense, product);
  return at ? fmt::format("{}[{}]", role, fmt::join(*at, ",")) : "";
}

/// Whether bias or old contents are part of the sums. They are small whole numbers, which cannot be told from the
/// product unless the exact value consists of them alone.
bool has_addends(const Scene& scene) {
  return scene.problem().beta != 0 || (scene.problem().has_bias && scene.problem().pass == CONVICT_FORWARD);
}

}  // namespace

std::string comb_reading(const Scene& scene, const convict_tensors& tensors, const judge::JudgedElement& element) {
  const convict_problem& p = scene.problem();
  if (has_addends(scene) || !std::isfinite(element.got) || element.role == "diff_bias") return "";
  const fill::Comb comb(p, scene.the_case().seed);
  for (const Role& role : kRoles) {
    const convict_tensor& tensor = tensors.*role.tensor;
    if (tensor.ndim < 3 || role.is_output[p.pass] || fill::operand_of(p.op, role.name) == comb.sparse()) continue;
    const std::string got = in_words(role.name, tensor, element.got),
                      exact = in_words(role.name, tensor, element.exact);
    if (got.empty() || exact.empty()) return "";
    return fmt::format("{} instead of {}", got, exact);
  }
  return "";
}

namespace {

using Kind = Outcome::Kind;

/// Draws of other data that a result beyond the probabilistic bound gets, and how many of them it has to exceed it on.
constexpr uint64_t kRedraws = 4;
constexpr int kOftenEnough = 3;

constexpr int kCallsTogether = 8;  // judged calls while others are under way

/// Sums of type W: double, or long double where f64 takes part.
template <class W>
class Trial {
 public:
  Trial(const Scene& scene, const TrialContext& context, std::vector<judge::Result>& results)
      : scene_(scene), context_(context), results_(results) {}

  int run() {
    judge::Detail detail = judge::Detail::kValues;
    for (const judge::Result& result : results_) {
      rules_.push_back(rule_for(scene_, result.contract, result.declarations.matrix_unit, context_.yardstick));
      if (result.outcome.kind == Kind::kRefused) continue;
      detail = std::max(detail, detail_for(rules_.back(), scene_));
      counts_nonzero_ |= counts_nonzero(rules_.back(), scene_);
    }
    expect(detail);
    for (size_t i = 0; i < results_.size(); ++i) run_one(i);
    const bool ladder = context_.yardstick == Yardstick::kLadder;
    if (ladder) check_relations();
    return ladder ? redraw() : 0;
  }

 private:
  void expect(judge::Detail detail) {
    const run::InStage computing(context_.record, Stage::kReference);
    detail_ = detail;
    expected_ = compute_reference<W>(scene_.problem(), context_.memory.ours(), detail, &dense_);
    if (counts_nonzero_) count_nonzero(scene_.problem(), context_.memory.ours(), dense_, expected_);
    allowances_.emplace(expected_);
    known_.forget();
  }

  /// Equality needs no magnitudes until something differs. (With beta they are there from the start, for the old
  /// contents of the outputs are gone by now.)
  void need_magnitudes() {
    if (detail_ == judge::Detail::kValues) expect(judge::Detail::kMagnitudes);
  }

  /// Calls an implementation. The outcome also has what its earlier calls of this case did to the process, and to
  /// memory beside its outputs.
  Outcome call(size_t i) {
    Outcome outcome = can_be_reshaped(i) ? call_reshaped(i) : call_as(*results_[i].who, results_[i].abilities, i);
    keep_overrun(i, outcome);
    outcome.overrun = results_[i].outcome.overrun;
    std::string& before = results_[i].outcome.side_effect;
    if (outcome.side_effect.empty())
      outcome.side_effect = before;
    else
      before = outcome.side_effect;
    return outcome;
  }

  Outcome call_as(const convict_implementation& who, const convict_abilities& abilities, size_t i) {
    return run::call_guarded(who, abilities, static_cast<int>(i), scene_.problem_for(results_[i].is_target),
                             context_.memory, context_.record);
  }

  /// With beta, steps that are executed twice would add to the result twice.
  bool can_be_reshaped(size_t i) const {
    return scene_.the_case().calls == Calls::kReshaped && scene_.problem().beta == 0 && results_[i].abilities.reshape;
  }

  /// By what it has prepared for another problem, unless it refuses that.
  Outcome call_reshaped(size_t i) {
    const convict_implementation& who = *results_[i].who;
    const Scene prepared(prepared_case(scene_.the_case()));
    const convict_problem& p = prepared.problem_for(results_[i].is_target);
    const run::Asked asked = run::ask_unsupported(who, static_cast<int>(i), p, prepared.described(), context_.record);
    note(i, asked.side_effect);
    if (asked.reason) return call_as(who, results_[i].abilities, i);
    convict_abilities without_workspace = results_[i].abilities;
    without_workspace.workspace_size = nullptr;  // steps have none
    return call_as(ReshapedCall(who, results_[i].abilities, prepared, p), without_workspace, i);
  }

  /// The next call finds these bytes as they should be.
  void keep_overrun(size_t i, const Outcome& outcome) {
    std::string_view& kept = results_[i].outcome.overrun;
    if (kept.empty()) kept = outcome.overrun;
  }

  /// What calls for other problems did to it.
  void note(size_t i, const std::string& side_effect) {
    std::string& noted = results_[i].outcome.side_effect;
    if (noted.empty()) noted = side_effect;
  }

  void refill(uint64_t data_seed) {
    const run::InStage filling(context_.record, Stage::kFill);
    scene_.refill(context_.memory, data_seed);
  }

  /// What the case wants an implementation to have been called for before.
  void warm_up(size_t i) {
    if (scene_.the_case().calls == Calls::kRefilled) {
      refill(data_seed_before(scene_.the_case()));
      call(i);
      refill(scene_.the_case().seed);
    }
    const std::vector<Case> others = cases_before(scene_.the_case());
    for (const Case& one : others) call_for(one, i);
    if (!others.empty()) set_scene(scene_, context_);
  }

  /// Calls it for another problem, unless it refuses that. The result is not judged. What the two have in common has
  /// the same data at the same addresses, so that a result kept from one shows in the other.
  void call_for(const Case& c, size_t i) {
    const Scene other(c, scene_.data());
    const judge::Result& its = results_[i];
    const auto position = static_cast<int>(i);
    set_scene(other, context_);
    const Acceptance answer = answer_of(other, true, *its.who, its.abilities, its.is_target, position, context_.record);
    note(i, answer.side_effect);
    if (answer.reason) return;
    const convict_problem& p = other.problem_for(its.is_target);
    const Outcome outcome =
        run::call_guarded(*its.who, its.abilities, position, p, context_.memory, context_.record);
    note(i, outcome.side_effect);
    keep_overrun(i, outcome);
  }

  void run_one(size_t i) {
    judge::Result& result = results_[i];
    if (result.outcome.kind == Kind::kRefused) return;
    warm_up(i);
    if (wants_others(i)) {
      call_together(i);
    } else {
      result.outcome = call(i);
      if (result.outcome.kind == Kind::kComputed) result.comparison = compared(i);
    }
    if (result.outcome.kind != Kind::kComputed) return;
    if (context_.yardstick == Yardstick::kLadder) look_closer(i);
  }

  bool wants_others(size_t i) const {
    return scene_.the_case().calls == Calls::kTogether && results_[i].is_target &&
           results_[i].abilities.concurrent != 0 &&
           !context_.record.weighs;  // memory of other threads would count as kept
  }

  /// Until a result is wrong. With beta, each call would add to the result of the one before.
  void call_together(size_t i) {
    judge::Result& result = results_[i];
    const ConcurrentCalls others(*result.who, result.abilities, scene_);
    const int calls = scene_.problem().beta == 0 ? kCallsTogether : 1;
    for (int k = 0; k < calls && (k == 0 || result.comparison.agrees()); ++k) {
      result.outcome = call(i);
      if (result.outcome.kind != Kind::kComputed) return;
      result.comparison = compared(i);
    }
  }

  judge::Comparison compared(size_t i) {
    const run::InStage comparing(context_.record, Stage::kCompare);
    add_operands(rules_[i], results_[i].contract, results_[i].declarations.transforms, scene_.problem(),
                 context_.memory.ours(), dense_);
    if (const judge::Comparison* known = known_.find(context_.memory, rules_[i])) return *known;
    judge::Comparison found = compare(*allowances_, rules_[i]);
    known_.add(context_.memory, rules_[i], found);
    return found;
  }

  /// While the results are still in memory.
  void look_closer(size_t i) {
    judge::Result& result = results_[i];
    judge::Comparison& found = result.comparison;
    if (!found.agrees()) {
      need_magnitudes();
      found.offender->magnitude = magnitude_of(*found.offender);
      if (context_.values) take_values(found);
      const bool explainable =
          rules_[i].kind != judge::Rule::Kind::kSpecial && rules_[i].kind != judge::Rule::Kind::kQuantized;
      if (found.unwritten == 0 && explainable) result.weaker_contract = weaker_contract<W>(expected_, rules_[i]);
      if (scene_.the_case().fill == Fill::kComb && rules_[i].kind == judge::Rule::Kind::kExact)
        result.read = comb_reading(scene_, context_.memory.ours(), *found.offender);
    }
    if (!found.minus_zeros.empty()) check_minus_zeros(result);
    if (scene_.the_case().calls == Calls::kAgain && result.contract.deterministic) {
      const auto before = context_.memory.output_bytes();
      result.outcome = call(i);
      result.repeats_differently = result.outcome.kind == Kind::kComputed && before != context_.memory.output_bytes();
    }
  }

  /// Of the output with the first errors, unless it is too large for a certificate.
  void take_values(judge::Comparison& found) const {
    for (const judge::Expected<W>& output : expected_) {
      if (output.role != found.places.role || output.value.size() > judge::kLargestMap) continue;
      for (size_t k = 0; k < output.value.size(); ++k) found.expected.push_back(static_cast<double>(output.exact(k)));
      judge::for_each_result(output, [&](size_t, double got) { found.got.push_back(got); });
    }
  }

  double magnitude_of(const judge::JudgedElement& element) const {
    for (const judge::Expected<W>& output : expected_)
      if (output.role == element.role && !output.magnitude.empty())
        return static_cast<double>(output.magnitude[element.index]);
    return 0;
  }

  /// A sum is -0 only if every term is: one that is not makes every order of summation end at +0. Where S is not 0,
  /// there is such a term.
  void check_minus_zeros(judge::Result& result) {
    need_magnitudes();
    auto& noted = result.comparison.minus_zeros;
    std::erase_if(noted, [&](const judge::JudgedElement& element) { return magnitude_of(element) == 0; });
    result.minus_zero = !noted.empty();
    if (result.minus_zero) noted.front().magnitude = magnitude_of(noted.front());
  }

  /// Relations leave other operands in memory; afterwards, the scene has to be set anew.
  void check_relations() {
    if (!asks_relation(scene_, context_.relations)) return;
    std::optional<relations::Call> call;
    for (size_t i = 0; i < results_.size(); ++i) {
      judge::Result& result = results_[i];
      if (!result.is_target || result.outcome.kind != Kind::kComputed || !result.comparison.agrees()) continue;
      if (!call) call = call_of_scene();
      const run::InStage relating(context_.record, Stage::kRelate);
      ImplementationRunner runner(*result.who, result.abilities, static_cast<int>(i), result.contract, context_.memory,
                                  context_.record, result.declarations);
      result.relation = broken_relation(scene_, *call, runner, context_.relations);
      note(i, runner.side_effect());
    }
  }

  relations::Call call_of_scene() {
    set_scene(scene_, context_);  // an implementation may have written to its operands
    return call_of(scene_.the_case(), scene_.problem(), context_.memory.ours());
  }

  /// Results beyond the probabilistic bound, on other data: what comes back at the same place is no accident.
  int redraw() {
    std::vector<size_t> doubtful;
    for (size_t i = 0; i < results_.size(); ++i)
      if (results_[i].comparison.agrees() && !results_[i].comparison.suspects.empty()) doubtful.push_back(i);
    if (doubtful.empty()) return 0;
    std::vector<std::vector<int>> times(results_.size());
    for (const size_t i : doubtful) times[i].assign(results_[i].comparison.suspects.size(), 0);
    set_scene(scene_, context_);
    for (uint64_t draw = 1; draw <= kRedraws; ++draw) {
      refill(mix(scene_.the_case().seed + draw * kGoldenGamma));
      expect(judge::Detail::kStatistics);
      for (const size_t i : doubtful) count_returns(i, times[i]);
    }
    int dropped = 0;
    for (const size_t i : doubtful) dropped += conclude(results_[i], times[i]) ? 0 : 1;
    return dropped;
  }

  void count_returns(size_t i, std::vector<int>& times) {
    if (call(i).kind != Kind::kComputed) return;
    const judge::Comparison again = compared(i);
    const std::vector<judge::JudgedElement>& before = results_[i].comparison.suspects;
    for (size_t k = 0; k < before.size(); ++k)
      times[k] += std::ranges::any_of(again.suspects, [&](const judge::JudgedElement& element) {
        return element.role == before[k].role && element.index == before[k].index;
      });
  }

  static bool conclude(judge::Result& result, const std::vector<int>& times) {
    const auto most = std::ranges::max_element(times);
    result.improbable = *most >= kOftenEnough;
    std::swap(result.comparison.suspects.front(), result.comparison.suspects[most - times.begin()]);
    return result.improbable;
  }

  const Scene& scene_;
  const TrialContext& context_;
  std::vector<judge::Result>& results_;
  std::vector<judge::Rule> rules_;
  judge::Detail detail_ = judge::Detail::kValues;
  bool counts_nonzero_ = false;
  std::vector<judge::Expected<W>> expected_;
  std::optional<judge::Allowances<W>> allowances_;  // of expected_
  judge::DenseOperands<W> dense_;
  KnownResults known_;  // with expected_
};

}  // namespace

void set_scene(const Scene& scene, const TrialContext& context) {
  const run::InStage filling(context.record, Stage::kFill);
  scene.set(context.memory);
}

int run_trial(const Scene& scene, const TrialContext& context, std::vector<judge::Result>& results) {
  const Case& c = scene.the_case();
  return default_accumulator(c) == CONVICT_F64 ? Trial<long double>(scene, context, results).run()
                                               : Trial<double>(scene, context, results).run();
}

void run_illegal_trial(const Scene& scene, const TrialContext& context, std::vector<judge::Result>& results) {
  for (size_t i = 0; i < results.size(); ++i)
    if (results[i].outcome.kind != Kind::kRefused)
      results[i].outcome = run::call_guarded(*results[i].who, results[i].abilities, static_cast<int>(i),
                                             scene.problem_for(results[i].is_target), context.memory, context.record);
}

}  // namespace convict::examine
