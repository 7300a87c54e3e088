// SPDX-License-Identifier: Apache-2.0
#include "fill/rows.h"

#include <algorithm>
#include <utility>

#include "abi/element.h"

namespace convict::fill {

Rows::Rows(const convict_tensor& tensor, uint64_t key, Touched touched)
    : tensor_(tensor), touched_(std::move(touched)), last_(static_cast<size_t>(tensor.ndim) - 1), row_key_(key) {
  for (size_t dim = 0; dim <= last_; ++dim) {
    extent_[dim] = touched_.empty() ? tensor.dims[dim] : static_cast<int64_t>(touched_[dim].size());
    if (dim < last_ || extent_[dim] == 0) rows_left_ *= extent_[dim];
  }
  for (size_t dim = 0; dim < last_ && rows_left_ > 0; ++dim) go_to(dim, coordinate(dim, 0));
  begin_ = extent_[last_];  // behind a row
}

bool Rows::next() {
  begin_ += std::exchange(count_, 0);
  if (begin_ == extent_[last_] && !next_row()) return false;
  count_ = std::min(kMost, extent_[last_] - begin_);
  return true;
}

bool Rows::next_row() {
  if (rows_left_ == 0) return false;
  --rows_left_;
  begin_ = 0;
  if (std::exchange(is_before_first_, false)) return true;
  for (size_t dim = last_; dim-- > 0;) {
    index_[dim] = index_[dim] + 1 < extent_[dim] ? index_[dim] + 1 : 0;
    go_to(dim, coordinate(dim, index_[dim]));
    if (index_[dim] > 0) break;
  }
  return true;
}

void Rows::go_to(size_t dim, int64_t coordinate) {
  const int64_t steps = coordinate - at_[dim];
  at_[dim] = coordinate;
  row_key_ += static_cast<uint64_t>(steps) * kSteps[dim];
  row_offset_ += steps * tensor_.strides[dim];
}

void Rows::write(const double* numbers) const {
  const int64_t stride = tensor_.strides[last_];
  with_type(tensor_.dtype, [&](auto zero) {
    using T = decltype(zero);
    T* row = static_cast<T*>(tensor_.data) + row_offset_;
    const auto write_to = [&](T* to, auto place) {
      for (int64_t i = 0; i < count_; ++i) to[place(i) * stride] = element_of<T>(numbers[i]);
    };
    if (touched_.empty())  // nearly always: told apart once, not for each element
      write_to(row + begin_ * stride, [](int64_t i) { return i; });
    else
      write_to(row, [this](int64_t i) { return coordinate(last_, begin_ + i); });
  });
}

}  // namespace convict::fill
