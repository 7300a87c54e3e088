// SPDX-License-Identifier: Apache-2.0
//
// Output padding only enlarges dst of conv_transpose at its end: the result without it is a prefix of the result with
// it. The extra positions are computed like all others, so output padding equals that much less end padding.
#include "relations/shared/calls.h"

namespace convict::relations {
namespace {

const char* unsuited(const Call& call) {
  const convict_problem& p = call.problem;
  if (!any_axis(call, [&](int i) { return p.output_padding[i] > 0; })) return "no output padding";
  if (any_axis(call, [&](int i) { return p.out[i] <= p.output_padding[i]; })) return "nothing but output padding";
  return nullptr;
}

/// The forward result without output padding, against the begin of the original. A wrong element lies where it says:
/// prefixes keep coordinates.
std::optional<Violation> prefix_differs(const Results& original, const Call& call, Runner& runner) {
  Call shorter = call;
  Results prefix = original;
  for (int i = 0; i < call.problem.rank; ++i) {
    shorter.problem.out[i] -= call.problem.output_padding[i];
    shorter.problem.output_padding[i] = 0;
    prefix.main = part(prefix.main, kSpatialDims + i, 0, shorter.problem.out[i]);
  }
  return differs(prefix, shorter, runner, "the result without output padding", [](Results&) {});
}

std::optional<Violation> check(const Call& call, Runner& runner) {
  const std::optional<Results> original = runner.run(call);
  if (!original) return std::nullopt;
  if (call.problem.pass == CONVICT_FORWARD)
    if (auto found = prefix_differs(*original, call, runner)) return found;
  Call uncropped = call;
  for (int i = 0; i < call.problem.rank; ++i) {
    uncropped.problem.pad_end[i] -= call.problem.output_padding[i];
    uncropped.problem.output_padding[i] = 0;
  }
  return differs(*original, uncropped, runner, "the result with less end padding instead", [](Results&) {});
}

}  // namespace

extern const Relation relation_output_padding_prefix = {
    "output-padding-prefix", "the result without output padding is the begin of the result with it", true, unsuited,
    check};

}  // namespace convict::relations
