// SPDX-License-Identifier: Apache-2.0
#include "fill/blocks.h"

#include <utility>

#include "abi/element.h"
#include "core/for_each_isa.h"
#include "fill/values.h"

namespace convict::fill {

Blocks::Blocks(const convict_tensor& tensor, uint64_t key, Touched touched)
    : tensor_(tensor), stride_(tensor.strides[tensor.ndim - 1]), rows_(tensor, key, std::move(touched)) {}

bool Blocks::next() {
  count_ = run_count_ = 0;
  while (has_piece_ || (has_piece_ = rows_.next())) {
    if (count_ + static_cast<size_t>(rows_.count()) > kMost) break;
    add_piece();
    has_piece_ = false;
  }
  return count_ > 0;
}

void Blocks::add_piece() {
  const int64_t count = rows_.count();
  for (int64_t i = 0; i < count; ++i) keys_[count_ + static_cast<size_t>(i)] = rows_.key(i);
  count_ += static_cast<size_t>(count);
  if (rows_.is_whole()) return add_run(rows_.offset(0), count);
  for (int64_t i = 0; i < count; ++i) add_run(rows_.offset(i), 1);
}

/// Rows that lie behind each other are one.
void Blocks::add_run(int64_t offset, int64_t count) {
  Run* const before = run_count_ == 0 ? nullptr : &runs_[run_count_ - 1];
  if (before && before->offset + before->count * stride_ == offset)
    before->count += count;
  else
    runs_[run_count_++] = {offset, count};
}

void Blocks::write(const double* numbers) const {
  with_type(tensor_.dtype, [&](auto zero) {
    using T = decltype(zero);
    for (const Run& run : std::span(runs_).first(run_count_)) {
      T* const to = static_cast<T*>(tensor_.data) + run.offset;
      if (stride_ == 1)
        for (int64_t i = 0; i < run.count; ++i) to[i] = element_of<T>(numbers[i]);
      else
        for (int64_t i = 0; i < run.count; ++i) to[i * stride_] = element_of<T>(numbers[i]);
      numbers += run.count;
    }
  });
}

namespace {

// Ranges are below 2^31: vectors convert 32 bits, and what they get is the same.
CONVICT_FOR_EACH_ISA void integers_of(const uint64_t* __restrict keys, size_t count, int64_t range, double unit,
                                      double* __restrict numbers) {
  const auto width = static_cast<uint64_t>(2 * range + 1);
  const auto middle = static_cast<int32_t>(range);
  for (size_t i = 0; i < count; ++i)
    numbers[i] = unit * static_cast<double>(static_cast<int32_t>(below(mix(keys[i]), width)) - middle);
}

CONVICT_FOR_EACH_ISA void normals_of(const uint64_t* __restrict keys, size_t count, double* __restrict numbers) {
  for (size_t i = 0; i < count; ++i) numbers[i] = normal(mix(keys[i]));
}

CONVICT_FOR_EACH_ISA void counts_of(const uint64_t* __restrict keys, size_t count, uint64_t most,
                                    double* __restrict numbers) {
  for (size_t i = 0; i < count; ++i)
    numbers[i] = static_cast<double>(1 + static_cast<int32_t>(below(mix(keys[i]), most)));
}

}  // namespace

void make_integers(std::span<const uint64_t> keys, int64_t range, double unit, double* numbers) {
  integers_of(keys.data(), keys.size(), range, unit, numbers);
}

void make_normals(std::span<const uint64_t> keys, double* numbers) { normals_of(keys.data(), keys.size(), numbers); }

void make_counts(std::span<const uint64_t> keys, uint64_t count, double* numbers) {
  counts_of(keys.data(), keys.size(), count, numbers);
}

}  // namespace convict::fill
