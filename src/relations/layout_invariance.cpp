// SPDX-License-Identifier: Apache-2.0
//
// Results do not depend on where elements lie: every layout of activations and weights gives the same numbers.
#include "core/names.h"
#include "relations/shared/calls.h"

namespace convict::relations {
namespace {

constexpr ActivationLayout kActivations[] = {ActivationLayout::kChannelsFirst, ActivationLayout::kChannelsLast};
constexpr WeightLayout kWeights[] = {WeightLayout::kOihw, WeightLayout::kIohw, WeightLayout::kOhwi,
                                     WeightLayout::kHwio};

const char* unsuited(const Call&) { return nullptr; }

std::string text_of(const Call& call) {
  const int rank = call.problem.rank;
  return "the result in layouts " + layout_name(call.src_layout, rank) + ":" + layout_name(call.wei_layout, rank) +
         ":" + layout_name(call.dst_layout, rank);
}

/// Every other pair of activation layouts under these weights, and every other weight layout under these activations.
std::vector<Call> in_other_layouts(const Call& call) {
  std::vector<Call> others;
  const auto add = [&](ActivationLayout src, WeightLayout wei, ActivationLayout dst) {
    if (src == call.src_layout && wei == call.wei_layout && dst == call.dst_layout) return;
    Call& other = others.emplace_back(call);
    other.src_layout = src;
    other.wei_layout = wei;
    other.dst_layout = dst;
  };
  for (const ActivationLayout src : kActivations)
    for (const ActivationLayout dst : kActivations) add(src, call.wei_layout, dst);
  for (const WeightLayout wei : kWeights) add(call.src_layout, wei, call.dst_layout);
  return others;
}

std::optional<Violation> check(const Call& call, Runner& runner) {
  const std::optional<Results> original = runner.run(call);
  if (!original) return std::nullopt;
  for (const Call& other : in_other_layouts(call))
    if (auto found = differs(*original, other, runner, text_of(other), [](Results&) {})) return found;
  return std::nullopt;
}

}  // namespace

extern const Relation relation_layout_invariance = {"layout-invariance", "every memory layout gives the same numbers",
                                                    true, unsuited, check};

}  // namespace convict::relations
