// SPDX-License-Identifier: Apache-2.0
#include "explain/refine.h"

#include <algorithm>

#include "core/geometry.h"

namespace convict::explain {
namespace {

/// The axis on which most conditions hold.
int axis_of(const Predicate& predicate, const Case& c) {
  const auto holding = [&](int axis) {
    return std::ranges::count_if(predicate.conditions, [&](const Condition& one) { return one.holds(c, axis); });
  };
  int best = c.rank - 1;
  for (int axis = c.rank - 1; axis >= 0; --axis)
    if (holding(axis) > holding(best)) best = axis;
  return best;
}

/// One round after the other draws on from where the last one ended.
class Refinement {
 public:
  Refinement(std::vector<Sample>& samples, const Draw& draw, const Fails& fails, const std::function<bool()>& go_on,
             const RefinementLimits& limits)
      : samples_(samples), draw_(draw), fails_(fails), go_on_(go_on), limits_(limits) {}

  /// Adds the samples of a round. Returns for how many of them the predicate is wrong.
  size_t round(const Predicate& predicate) {
    size_t tried[2] = {0, 0}, wrong = 0, refused = 0;  // tried: by what the predicate says
    for (const uint64_t end = next_ + limits_.drawn; next_ < end && refused < limits_.refused && go_on_(); ++next_) {
      const Case c = with_data_of(samples_.front().c, draw_(next_));
      if (!is_suitable(c)) continue;
      const bool said = predicate.holds(c);
      if (tried[said] >= limits_.cases) continue;
      const auto failed = fails_(c);
      note_refusal(c, !failed);
      refused += failed ? 0 : 1;
      if (!failed) continue;
      samples_.push_back({c, *failed, axis_of(predicate, c)});
      wrong += *failed == said ? 0 : 1;
      ++tried[said];
      if (tried[0] >= limits_.cases && tried[1] >= limits_.cases) break;
    }
    return wrong;
  }

 private:
  /// A rank of which so many cases are refused, and none is taken, is not asked for any more.
  static constexpr int kHopeless = 20, kTaken = -1;

  void note_refusal(const Case& c, bool refused) {
    int& count = refused_of_rank_[c.rank];
    count = !refused || count == kTaken ? kTaken : count + 1;
  }

  /// Data say nothing of a problem: `fails_` tries several.
  static Case with_data_of(const Case& failing, Case c) {
    c.fill = failing.fill;
    c.seed = failing.seed;
    return c;
  }

  bool is_suitable(const Case& c) const {
    const Case& failing = samples_.front().c;
    if (c.op != failing.op || c.pass != failing.pass || refused_of_rank_[c.rank] >= kHopeless) return false;
    const Resolved resolved = resolve(c);
    if (resolved.why_not || multiply_adds(resolved.problem) > limits_.largest_cost) return false;
    // Where there is nothing to compute, nothing can be wrong.
    if (multiply_adds(resolved.problem) <= 0 && multiply_adds(resolve(failing).problem) > 0) return false;
    return limits_.is_within(c);
  }

  std::vector<Sample>& samples_;
  const Draw& draw_;
  const Fails& fails_;
  const std::function<bool()>& go_on_;
  const RefinementLimits& limits_;
  int refused_of_rank_[kAxes + 1] = {};
  uint64_t next_ = 0;
};

}  // namespace

LearntPredicate refine(LearntPredicate learnt, std::vector<Sample>& samples, const Draw& draw, const Fails& fails,
                       const std::function<bool()>& go_on, const RefinementLimits& limits) {
  Refinement refinement(samples, draw, fails, go_on, limits);
  for (int round = 0; round < limits.rounds && go_on(); ++round) {
    const size_t wrong = refinement.round(learnt.predicate);
    if (wrong == 0) break;
    learnt = learn_predicate(samples);
  }
  return learnt;
}

}  // namespace convict::explain
