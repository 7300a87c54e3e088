// SPDX-License-Identifier: Apache-2.0
#include "trial.h"

#include <algorithm>

#include "comb_reading.h"
#include "core/random.h"
#include "implementation_runner.h"
#include "judge/explain.h"
#include "relation_check.h"
#include "run/guarded_call.h"

namespace convict {
namespace {

using Kind = Outcome::Kind;

/// Draws of other data that a result beyond the probabilistic bound gets, and how many of them it has to exceed it on.
constexpr uint64_t kRedraws = 4;
constexpr int kOftenEnough = 3;

constexpr uint64_t kOtherContents = 0x07e4;  // distinguishes the data of a warming-up call

/// The problem of a call before the one that is judged: the same but for one more position or image.
Case neighbour(const Case& c) {
  Case other = c;
  if ((mix(c.seed) & 2) != 0)
    other.batch += 1;
  else
    other.in[c.rank - 1] += 1;
  return other;
}

/// Sums of type W: double, or long double where f64 takes part.
template <class W>
class Trial {
 public:
  Trial(const Scene& scene, const Courtroom& room, std::vector<Testimony>& testimonies)
      : scene_(scene), room_(room), testimonies_(testimonies) {}

  int run() {
    Detail detail = Detail::kValues;
    for (const Testimony& testimony : testimonies_) {
      rules_.push_back(rule_for(scene_, testimony.contract, room_.yardstick));
      if (testimony.outcome.kind != Kind::kRefused) detail = std::max(detail, detail_for(rules_.back(), scene_));
    }
    expect(detail);
    for (size_t i = 0; i < testimonies_.size(); ++i) hear(i);
    const bool ladder = room_.yardstick == Yardstick::kLadder;
    if (ladder) check_relations();
    return ladder ? redraw() : 0;
  }

 private:
  void expect(Detail detail) {
    detail_ = detail;
    expected_ = compute_reference<W>(scene_.problem(), room_.memory.ours(), detail, &dense_);
  }

  /// Equality needs no magnitudes until something differs. (With beta they are there from the begin, for the old
  /// contents of the outputs are gone by now.)
  void need_magnitudes() {
    if (detail_ == Detail::kValues) expect(Detail::kMagnitudes);
  }

  Outcome call(size_t i) const {
    return call_guarded(*testimonies_[i].who, static_cast<int>(i), scene_.problem(), room_.memory, room_.record);
  }

  /// What the case wants an implementation to have been called for before.
  void warm_up(size_t i) {
    if (scene_.the_case().calls == Calls::kRefilled) {
      scene_.refill(room_.memory, mix(scene_.the_case().seed ^ kOtherContents));
      call(i);
      scene_.refill(room_.memory, scene_.the_case().seed);
    }
    if (scene_.the_case().calls != Calls::kAfter) return;
    const Scene other(neighbour(scene_.the_case()));
    const convict_implementation& who = *testimonies_[i].who;
    const auto position = static_cast<int>(i);
    other.set(room_.memory);
    if (!ask_unsupported(who, position, other.problem(), other.described(), room_.record))
      call_guarded(who, position, other.problem(), room_.memory, room_.record);
    scene_.set(room_.memory);
  }

  void hear(size_t i) {
    Testimony& testimony = testimonies_[i];
    if (testimony.outcome.kind == Kind::kRefused) return;
    warm_up(i);
    testimony.outcome = call(i);
    if (testimony.outcome.kind != Kind::kComputed) return;
    testimony.comparison = compared(i);
    if (room_.yardstick == Yardstick::kLadder) look_closer(i);
  }

  Comparison compared(size_t i) {
    if constexpr (std::is_same_v<W, double>)
      add_transform_bounds(rules_[i], testimonies_[i].contract, scene_.problem(), room_.memory.ours(), dense_);
    return compare<W>(expected_, rules_[i]);
  }

  /// While the results are still in memory.
  void look_closer(size_t i) {
    Testimony& testimony = testimonies_[i];
    Comparison& found = testimony.comparison;
    if (!found.agrees()) {
      need_magnitudes();
      found.magnitude = magnitude_of(*found.offender);
      if (room_.values) take_values(found);
      const bool explainable = rules_[i].kind != Rule::Kind::kSpecial && rules_[i].kind != Rule::Kind::kQuantized;
      if (found.unwritten == 0 && explainable) testimony.weaker_contract = weaker_contract<W>(expected_, rules_[i]);
      if (scene_.the_case().fill == Fill::kComb && rules_[i].kind == Rule::Kind::kExact)
        testimony.read = comb_reading(scene_, room_.memory.ours(), *found.offender);
    }
    if (!found.minus_zeros.empty()) check_minus_zeros(testimony);
    if (found.worst && found.agrees()) found.magnitude = magnitude_of(*found.worst);
    if (scene_.the_case().calls == Calls::kAgain && testimony.contract.deterministic) {
      const auto before = room_.memory.output_bytes();
      testimony.outcome = call(i);
      testimony.repeats_differently =
          testimony.outcome.kind == Kind::kComputed && before != room_.memory.output_bytes();
    }
  }

  /// Of the output with the first errors, unless it is too large for a certificate.
  void take_values(Comparison& found) const {
    for (const Expected<W>& output : expected_) {
      if (output.role != found.places_role || output.value.size() > kLargestMap) continue;
      for (size_t k = 0; k < output.value.size(); ++k) found.expected.push_back(static_cast<double>(output.exact(k)));
      for_each_result(output, [&](size_t, double got) { found.got.push_back(got); });
    }
  }

  double magnitude_of(const Element& element) const {
    for (const Expected<W>& output : expected_)
      if (output.role == element.role && !output.magnitude.empty())
        return static_cast<double>(output.magnitude[element.index]);
    return 0;
  }

  /// A sum is -0 only if every term is: one that is not makes every order of summation end at +0. Where S is not 0,
  /// there is such a term.
  void check_minus_zeros(Testimony& testimony) {
    need_magnitudes();
    auto& noted = testimony.comparison.minus_zeros;
    std::erase_if(noted, [&](const Element& element) { return magnitude_of(element) == 0; });
    testimony.minus_zero = !noted.empty();
    if (testimony.minus_zero && testimony.comparison.agrees())
      testimony.comparison.magnitude = magnitude_of(noted.front());
  }

  /// A relation leaves other operands in memory, so each is asked with the scene set anew.
  void check_relations() {
    for (size_t i = 0; i < testimonies_.size(); ++i) {
      Testimony& testimony = testimonies_[i];
      if (!testimony.is_target || testimony.outcome.kind != Kind::kComputed || !testimony.comparison.agrees()) continue;
      if (!asks_relation(scene_, room_.thorough)) return;
      scene_.set(room_.memory);
      ImplementationRunner runner(*testimony.who, static_cast<int>(i), testimony.contract, room_.memory, room_.record);
      testimony.relation = broken_relation(scene_, runner, room_.memory.ours(), room_.thorough);
    }
  }

  /// Results beyond the probabilistic bound, on other data: what comes back at the same place is no accident.
  int redraw() {
    std::vector<size_t> doubtful;
    for (size_t i = 0; i < testimonies_.size(); ++i)
      if (testimonies_[i].comparison.agrees() && !testimonies_[i].comparison.suspects.empty()) doubtful.push_back(i);
    if (doubtful.empty()) return 0;
    std::vector<std::vector<int>> times(testimonies_.size());
    for (const size_t i : doubtful) times[i].assign(testimonies_[i].comparison.suspects.size(), 0);
    scene_.set(room_.memory);
    for (uint64_t draw = 1; draw <= kRedraws; ++draw) {
      scene_.refill(room_.memory, mix(scene_.the_case().seed + draw * kGoldenGamma));
      expect(Detail::kStatistics);
      for (const size_t i : doubtful) count_returns(i, times[i]);
    }
    int dropped = 0;
    for (const size_t i : doubtful) dropped += conclude(testimonies_[i], times[i]) ? 0 : 1;
    return dropped;
  }

  void count_returns(size_t i, std::vector<int>& times) {
    if (call(i).kind != Kind::kComputed) return;
    const Comparison again = compared(i);
    const std::vector<Element>& before = testimonies_[i].comparison.suspects;
    for (size_t k = 0; k < before.size(); ++k)
      times[k] += std::ranges::any_of(again.suspects, [&](const Element& element) {
        return element.role == before[k].role && element.index == before[k].index;
      });
  }

  static bool conclude(Testimony& testimony, const std::vector<int>& times) {
    const auto most = std::ranges::max_element(times);
    testimony.improbable = *most >= kOftenEnough;
    std::swap(testimony.comparison.suspects.front(), testimony.comparison.suspects[most - times.begin()]);
    return testimony.improbable;
  }

  const Scene& scene_;
  const Courtroom& room_;
  std::vector<Testimony>& testimonies_;
  std::vector<Rule> rules_;
  Detail detail_ = Detail::kValues;
  std::vector<Expected<W>> expected_;
  DenseOperands<W> dense_;
};

}  // namespace

int hear(const Scene& scene, const Courtroom& courtroom, std::vector<Testimony>& testimonies) {
  const Case& c = scene.the_case();
  const bool widest = c.src_type == CONVICT_F64 || c.wei_type == CONVICT_F64 || c.dst_type == CONVICT_F64;
  return widest ? Trial<long double>(scene, courtroom, testimonies).run()
                : Trial<double>(scene, courtroom, testimonies).run();
}

void hear_illegal(const Scene& scene, const Courtroom& courtroom, std::vector<Testimony>& testimonies) {
  for (size_t i = 0; i < testimonies.size(); ++i)
    if (testimonies[i].outcome.kind != Kind::kRefused)
      testimonies[i].outcome =
          call_guarded(*testimonies[i].who, static_cast<int>(i), scene.problem(), courtroom.memory, courtroom.record);
}

}  // namespace convict
