// SPDX-License-Identifier: Apache-2.0
//
// Rounding to nearest is symmetric, so a result of negated input is the negated result bit for bit, whatever the order
// of the sum, the data and the algorithm.
#include <algorithm>
#include <cmath>

#include "relations/shared/calls.h"

namespace convict::relations {
namespace {

bool is_finite(const Array& array) {
  return std::ranges::all_of(array.data, [](double value) { return std::isfinite(value); });
}

const char* unsuited(const Call& call) {
  for (const Array* one : {&call.src, &call.wei, &call.bias, &call.diff_dst})
    if (!is_finite(*one)) return "an input is not finite";
  return nullptr;
}

/// Negates one input, and the bias if there is one.
std::optional<Violation> differs_negated(const Results& original, const Call& call, Array Call::*input,
                                         const char* name, Runner& runner) {
  Call negated = call;
  negated.*input = times(call.*input, -1);
  negated.bias = times(call.bias, -1);
  return differs(original, negated, runner, std::string("minus the result for -") + name, [&](Results& r) {
    r.main = times(r.main, -1);
    if (input == &Call::diff_dst) r.diff_bias = times(r.diff_bias, -1);
  });
}

std::optional<Violation> check(const Call& call, Runner& runner) {
  const std::optional<Results> original = runner.run(call);
  if (!original) return std::nullopt;
  struct NamedInput {
    Array Call::*array;
    const char* name;
  };
  for (const NamedInput& one : {NamedInput{&Call::src, "src"}, {&Call::wei, "wei"}, {&Call::diff_dst, "diff_dst"}}) {
    if ((call.*one.array).dims.empty()) continue;
    if (auto found = differs_negated(*original, call, one.array, one.name, runner)) return found;
  }
  return std::nullopt;
}

}  // namespace

extern const Relation relation_sign_flip = {"sign-flip", "a negated input negates the result, bit for bit", false,
                                            unsuited, check};

}  // namespace convict::relations
