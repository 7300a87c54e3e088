// SPDX-License-Identifier: Apache-2.0
#include "fill/rows.h"

#include <algorithm>
#include <utility>

#include "abi/element.h"

namespace convict::fill {

Rows::Rows(const convict_tensor& tensor, uint64_t key, Touched touched)
    : tensor_(tensor), key_(key), touched_(std::move(touched)), last_(static_cast<size_t>(tensor.ndim) - 1) {
  for (size_t dim = 0; dim <= last_; ++dim) {
    extent_[dim] = touched_.empty() ? tensor.dims[dim] : static_cast<int64_t>(touched_[dim].size());
    if (dim < last_ || extent_[dim] == 0) rows_left_ *= extent_[dim];
  }
  begin_ = extent_[last_];  // behind a row
}

bool Rows::next() {
  begin_ += count_;
  if (begin_ == extent_[last_] && !next_row()) return false;
  count_ = std::min(kMost, extent_[last_] - begin_);
  return true;
}

bool Rows::next_row() {
  if (rows_left_ == 0) return false;
  --rows_left_;
  begin_ = row_offset_ = 0;
  row_key_ = key_;
  for (size_t dim = 0; dim < last_; ++dim) {
    at_[dim] = coordinate(dim, next_index_[dim]);
    row_key_ += static_cast<uint64_t>(at_[dim]) * kSteps[dim];
    row_offset_ += at_[dim] * tensor_.strides[dim];
  }
  for (size_t dim = last_; dim-- > 0;) {
    if (++next_index_[dim] < extent_[dim]) break;
    next_index_[dim] = 0;
  }
  return true;
}

void Rows::write(const double* numbers) const {
  const int64_t stride = tensor_.strides[last_];
  with_type(tensor_.dtype, [&](auto zero) {
    using T = decltype(zero);
    T* row = static_cast<T*>(tensor_.data) + row_offset_;
    for (int64_t i = 0; i < count_; ++i) row[coordinate(last_, begin_ + i) * stride] = element_of<T>(numbers[i]);
  });
}

}  // namespace convict::fill
