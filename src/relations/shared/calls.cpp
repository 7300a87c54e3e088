// SPDX-License-Identifier: Apache-2.0
#include "relations/shared/calls.h"

#include <algorithm>
#include <cassert>
#include <cmath>

#include "abi/validity.h"
#include "core/geometry.h"

namespace convict::relations {
namespace {

constexpr double kMostWork = 1e8;          // multiply-adds
constexpr double kMostElements = 1 << 24;  // of one operand

bool same(double a, double b) { return a == b || (std::isnan(a) && std::isnan(b)); }

std::vector<int64_t> coordinates(const Array& array, size_t index) {
  std::vector<int64_t> at(array.dims.size());
  auto rest = static_cast<int64_t>(index);
  for (size_t i = at.size(); i-- > 0; rest /= array.dims[i]) at[i] = rest % array.dims[i];
  return at;
}

}  // namespace

void fit(convict_problem& p) {
  const auto side = sides(p);
  for (int i = 0; i < p.rank; ++i) {
    const int64_t used = (side.y[i] - 1) * p.stride[i] + window(p.kernel[i], p.dilation[i]);
    const int64_t least = used - p.pad_begin[i] - side.x[i];  // the end padding if X has nothing beyond its last window
    const bool is_conv = p.op == CONVICT_CONV;
    const int64_t most_spare = (is_conv ? p.stride[i] : std::max(p.stride[i], p.dilation[i])) - 1;
    const int64_t spare = std::clamp<int64_t>(-least, 0, most_spare);
    p.pad_end[i] = least + spare;
    p.output_padding[i] = is_conv ? 0 : spare;
  }
}

const char* empty(const Call& call) {
  const convict_problem& p = call.problem;
  int64_t least = std::min({p.batch, p.ic, p.oc});
  for (int i = 0; i < p.rank; ++i) least = std::min({least, p.in[i], p.out[i]});
  return least < 1 ? "an operand is empty" : nullptr;
}

const char* too_large(const convict_problem& p) {
  double in = static_cast<double>(p.batch * p.ic), out = static_cast<double>(p.batch * p.oc);
  double wei = static_cast<double>(p.ic / p.groups * p.oc);
  for (int i = 0; i < p.rank; ++i) {
    in *= static_cast<double>(p.in[i]);
    out *= static_cast<double>(p.out[i]);
    wei *= static_cast<double>(p.kernel[i]);
  }
  return multiply_adds(p) > kMostWork || std::max({in, out, wei}) > kMostElements ? "too large for this" : nullptr;
}

std::optional<Violation> difference(const Array& got, const Array& expected, std::string text) {
  assert(got.dims == expected.dims);
  const auto [here, there] = std::ranges::mismatch(got.data, expected.data, same);
  if (here == got.data.end()) return std::nullopt;
  return Violation{std::move(text), coordinates(got, static_cast<size_t>(here - got.data.begin())), *here, *there};
}

std::optional<Violation> difference(const Results& got, const Results& expected, const std::string& text) {
  if (auto found = difference(got.main, expected.main, text)) return found;
  if (got.diff_bias.dims.empty() || expected.diff_bias.dims.empty()) return std::nullopt;
  auto found = difference(got.diff_bias, expected.diff_bias, text);
  if (!found) return std::nullopt;
  found->text += ", diff_bias of channel " + std::to_string(found->at[0]);
  found->at.clear();
  return found;
}

std::optional<Violation> differs(const Results& original, const Call& other, Runner& runner, const std::string& text,
                                 const Back& back) {
  std::optional<Results> results = runner.run(other);
  if (!results) return std::nullopt;
  back(*results);
  return difference(original, *results, text);
}

std::optional<Violation> differs(const Call& original, const Call& other, Runner& runner, const std::string& text,
                                 const Back& back) {
  const std::optional<Results> results = runner.run(original);
  return results ? differs(*results, other, runner, text, back) : std::nullopt;
}

}  // namespace convict::relations
