// SPDX-License-Identifier: Apache-2.0
#include "relations/shared/calls.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <utility>

#include "abi/validity.h"
#include "core/geometry.h"

namespace convict::relations {
namespace {

constexpr int64_t kZero = -1;  // stands for a position outside the array, which is zero

int64_t product(std::span<const int64_t> extents) {
  int64_t count = 1;
  for (const int64_t extent : extents) count *= extent;
  return count;
}

/// An array with position from(i) of the given one, or zero, at position i along `dim`.
template <class From>
Array gathered(const Array& array, int dim, int64_t extent, const From& from) {
  if (array.dims.empty()) return {array.type, {}, {}};
  const auto d = static_cast<size_t>(dim);
  const std::span<const int64_t> dims = array.dims;
  const int64_t rows = product(dims.first(d)), inner = product(dims.subspan(d + 1)), old = dims[d];
  Array result{array.type, array.dims, {}};
  result.dims[d] = extent;
  result.data.assign(static_cast<size_t>(rows * extent * inner), 0.0);
  for (int64_t row = 0; row < rows; ++row)
    for (int64_t i = 0; i < extent; ++i)
      if (const int64_t at = from(i); at != kZero)
        std::copy_n(array.data.begin() + (row * old + at) * inner, inner,
                    result.data.begin() + (row * extent + i) * inner);
  return result;
}

int64_t extent_of(const Array& array, int dim) { return array.dims.empty() ? 0 : array.dims[static_cast<size_t>(dim)]; }

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

int64_t element_count(const Array& array) { return array.dims.empty() ? 0 : product(array.dims); }

Array part(const Array& array, int dim, int64_t begin, int64_t end) {
  const int64_t extent = extent_of(array, dim);
  return gathered(array, dim, end - begin, [=](int64_t i) {
    const int64_t at = begin + i;
    return at >= 0 && at < extent ? at : kZero;
  });
}

Array flipped(const Array& array, int dim) {
  const int64_t extent = extent_of(array, dim);
  return gathered(array, dim, extent, [=](int64_t i) { return extent - 1 - i; });
}

Array stuffed(const Array& array, int dim, int64_t step) {
  const int64_t extent = extent_of(array, dim);
  return gathered(array, dim, extent == 0 ? 0 : (extent - 1) * step + 1,
                  [=](int64_t i) { return i % step == 0 ? i / step : kZero; });
}

Array thinned(const Array& array, int dim, int64_t step) {
  return gathered(array, dim, (extent_of(array, dim) + step - 1) / step, [=](int64_t i) { return i * step; });
}

Array joined(std::span<const Array> parts, int dim) {
  const std::span<const int64_t> dims = parts.front().dims;
  if (dims.empty()) return {};
  const int64_t rows = product(dims.first(static_cast<size_t>(dim)));
  Array result{parts.front().type, parts.front().dims, {}};
  result.dims[static_cast<size_t>(dim)] = 0;
  for (const Array& one : parts) result.dims[static_cast<size_t>(dim)] += extent_of(one, dim);
  result.data.reserve(static_cast<size_t>(product(result.dims)));
  for (int64_t row = 0; row < rows; ++row)
    for (const Array& one : parts) {
      const auto length = static_cast<int64_t>(one.data.size()) / rows;
      result.data.insert(result.data.end(), one.data.begin() + row * length, one.data.begin() + (row + 1) * length);
    }
  return result;
}

Array permuted(const Array& array, std::span<const int> order) {
  if (array.dims.empty()) return array;
  const size_t count = array.dims.size();
  std::vector<int64_t> strides(count, 1), steps(count);
  for (size_t i = count - 1; i > 0; --i) strides[i - 1] = strides[i] * array.dims[i];
  Array result{array.type, array.dims, {}};
  for (size_t i = 0; i < count; ++i) {
    result.dims[i] = array.dims[static_cast<size_t>(order[i])];
    steps[i] = strides[static_cast<size_t>(order[i])];
  }
  result.data.reserve(array.data.size());
  std::vector<int64_t> at(count, 0);
  for (size_t n = 0; n < array.data.size(); ++n) {
    int64_t from = 0;
    for (size_t i = 0; i < count; ++i) from += at[i] * steps[i];
    result.data.push_back(array.data[static_cast<size_t>(from)]);
    for (size_t i = count; i-- > 0 && ++at[i] == result.dims[i];) at[i] = 0;
  }
  return result;
}

Array reshaped(const Array& array, std::vector<int64_t> dims) {
  if (array.dims.empty()) return array;
  assert(product(dims) == element_count(array));
  return {array.type, std::move(dims), array.data};
}

Array sum(const Array& a, const Array& b) {
  assert(a.dims == b.dims);
  Array result = a;
  std::ranges::transform(a.data, b.data, result.data.begin(), std::plus<>());
  return result;
}

Array times(const Array& array, double factor) {
  Array result = array;
  for (double& value : result.data) value *= factor;
  return result;
}

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
