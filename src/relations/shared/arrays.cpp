// SPDX-License-Identifier: Apache-2.0
#include "relations/shared/arrays.h"

#include <algorithm>
#include <cassert>
#include <functional>
#include <utility>

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

}  // namespace convict::relations
