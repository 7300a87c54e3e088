// SPDX-License-Identifier: Apache-2.0
#include "judge/compare.h"

#include <cmath>
#include <cstring>

namespace convict {
namespace {

template <class T>
bool is_poison(T value) {
  unsigned char bytes[sizeof(T)], poison[sizeof(T)];
  std::memcpy(bytes, &value, sizeof(T));
  std::memset(poison, 0xff, sizeof(T));
  return std::memcmp(bytes, poison, sizeof(T)) == 0;
}

/// Walks one output tensor and adds what it finds to `result`.
template <class T>
class TensorComparison {
 public:
  TensorComparison(const Expected<T>& expected, Comparison& result)
      : expected_(expected), tensor_(*expected.tensor), result_(result) {}

  void run() {
    if (expected_.value.empty()) return;
    if (tensor_.ndim == 1) {  // diff_bias
      for (int64_t i = 0; i < tensor_.dims[0]; ++i) element(i, 0, 0, 0, 0);
      return;
    }
    const Axes extent = detail::lifted(tensor_.dims + 2, tensor_.ndim - 2, 1);
    for (int64_t a = 0; a < tensor_.dims[0]; ++a)
      for (int64_t b = 0; b < tensor_.dims[1]; ++b)
        for (int64_t i0 = 0; i0 < extent[0]; ++i0)
          for (int64_t i1 = 0; i1 < extent[1]; ++i1)
            for (int64_t i2 = 0; i2 < extent[2]; ++i2) element(a, b, i0, i1, i2);
  }

 private:
  /// Elements come in the row-major order of `expected_`, so the index just counts.
  void element(int64_t a, int64_t b, int64_t i0, int64_t i1, int64_t i2) {
    const size_t index = next_++;
    const T got = at(a, b, i0, i1, i2);
    const Wide<T> exact = expected_.value[index];
    if (expected_.bound.empty()
            ? got == static_cast<T>(exact)
            : std::abs(static_cast<double>(got - exact)) <= expected_.bound[index])  // false for NaN
      return;
    record(got, index, a, b, i0, i1, i2);
  }

  T at(int64_t a, int64_t b, int64_t i0, int64_t i1, int64_t i2) const {
    const int64_t* s = tensor_.strides;
    int64_t offset = a * s[0];
    if (tensor_.ndim > 1) offset += b * s[1] + i2 * s[tensor_.ndim - 1];
    if (tensor_.ndim > 3) offset += i1 * s[tensor_.ndim - 2];
    if (tensor_.ndim > 4) offset += i0 * s[2];
    return static_cast<const T*>(tensor_.data)[offset];
  }

  void record(T got, size_t index, int64_t a, int64_t b, int64_t i0, int64_t i1, int64_t i2) {
    const bool unwritten = is_poison(got);
    const bool first = unwritten ? result_.unwritten == 0 : result_.agrees();
    ++(unwritten ? result_.unwritten : result_.wrong);
    if (!first) return;
    const int64_t lifted[] = {i0, i1, i2};
    result_.role = expected_.role;
    result_.index = index;
    result_.at = {a};
    if (tensor_.ndim > 1) result_.at.push_back(b);
    for (int dim = 2; dim < tensor_.ndim; ++dim) result_.at.push_back(lifted[kAxes - tensor_.ndim + dim]);
    result_.got = static_cast<double>(got);
    result_.exact = static_cast<double>(expected_.value[index]);
    result_.terms = expected_.terms(i0, i1, i2);
    result_.bound = expected_.bound.empty() ? 0 : expected_.bound[index];
  }

  const Expected<T>& expected_;
  const convict_tensor& tensor_;
  Comparison& result_;
  size_t next_ = 0;
};

}  // namespace

template <class T>
Comparison compare(std::span<const Expected<T>> expected) {
  Comparison result;
  result.compared = true;
  for (const Expected<T>& output : expected) {
    result.elements += static_cast<int64_t>(output.value.size());
    TensorComparison<T>(output, result).run();
  }
  return result;
}

template Comparison compare(std::span<const Expected<float>>);
template Comparison compare(std::span<const Expected<double>>);

}  // namespace convict
