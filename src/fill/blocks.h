// SPDX-License-Identifier: Apache-2.0
//
// The elements of a tensor, some hundred at a time, and distributions over as many hashes. This is where fills spend
// their time: rows are short, and vectors are not.
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "fill/rows.h"

namespace convict::fill {

/// Walks over a tensor in logical row-major order. After each next(), numbers are made of the keys, and written.
class Blocks {
 public:
  /// The most elements of a block.
  static constexpr size_t kMost = 256;

  /// As Rows.
  Blocks(const convict_tensor& tensor, uint64_t key, Touched touched);

  /// Goes to the next block. False behind the last one.
  bool next();

  /// mix() of a key is the hash of its element.
  std::span<const uint64_t> keys() const { return std::span(keys_).first(count_); }

  /// Writes one number for each key to its element, rounded to the tensor's type.
  void write(const double* numbers) const;

 private:
  /// Elements that are equally far apart in memory.
  struct Run {
    int64_t offset, count;
  };
  void add_piece();
  void add_run(int64_t offset, int64_t count);

  const convict_tensor& tensor_;
  int64_t stride_;  // of a row, in elements
  Rows rows_;
  bool has_piece_ = false;  // of a row, that is in no block so far
  size_t count_ = 0, run_count_ = 0;
  std::array<uint64_t, kMost> keys_;
  std::array<Run, kMost> runs_;
};

/// numbers[i] = unit * integer(mix(keys[i]), range), as in fill/values.h.
void make_integers(std::span<const uint64_t> keys, int64_t range, double unit, double* numbers);

/// numbers[i] = normal(mix(keys[i])).
void make_normals(std::span<const uint64_t> keys, double* numbers);

/// numbers[i] = 1 + below(mix(keys[i]), count).
void make_counts(std::span<const uint64_t> keys, uint64_t count, double* numbers);

}  // namespace convict::fill
