// SPDX-License-Identifier: Apache-2.0
//
// The elements of a tensor, a piece of a row at a time, and their hashes. What depends on the type of an element is
// compiled here alone, and not once more for each distribution.
#pragma once

#include <array>
#include <cstdint>
#include <set>
#include <vector>

#include "abi/convict.h"
#include "core/random.h"

namespace convict::fill {

/// The part of a huge image that a problem reads: for each dimension, the coordinates. The rest stays untouched pages
/// of zeros.
using Touched = std::vector<std::vector<int64_t>>;

/// The part of X (abi/trilinear.h) that some tap of some output reads, in all images and channels.
inline Touched touched_by(const convict_problem& p, const convict_tensor& x) {
  const bool is_conv = p.op == CONVICT_CONV;
  const int64_t *outputs = is_conv ? p.out : p.in, *extent = is_conv ? p.in : p.out;
  Touched touched(static_cast<size_t>(x.ndim));
  for (const size_t dim : {0, 1})
    for (int64_t i = 0; i < x.dims[dim]; ++i) touched[dim].push_back(i);
  for (int axis = 0; axis < p.rank; ++axis) {
    std::set<int64_t> positions;
    for (int64_t o = 0; o < outputs[axis]; ++o)
      for (int64_t r = 0; r < p.kernel[axis]; ++r)
        positions.insert(o * p.stride[axis] - p.pad_begin[axis] + r * p.dilation[axis]);
    for (const int64_t i : positions)
      if (i >= 0 && i < extent[axis]) touched[static_cast<size_t>(2 + axis)].push_back(i);
  }
  return touched;
}

/// Odd multipliers that give each logical coordinate its own step on the 64-bit circle; mix() does the scattering.
inline constexpr uint64_t kSteps[CONVICT_MAX_DIMS] = {0x9fb21c651e98df25, 0xd6e8feb86659fd93, 0xa0761d6478bd642f,
                                                      0xe7037ed1a0b428db, 0x8ebc6af09c88c6e3};

/// Walks over a tensor in logical row-major order. After each next(), numbers are made of hash(i) and at(i), for i from
/// 0 to count() - 1, and written.
class Rows {
 public:
  /// The most elements of a piece.
  static constexpr int64_t kMost = 64;

  /// All elements of `tensor` or, if `touched` is not empty, those with these coordinates.
  Rows(const convict_tensor& tensor, uint64_t key, Touched touched);

  /// Goes to the next piece. False behind the last one.
  bool next();

  /// Elements of the piece, at least 1.
  int64_t count() const { return count_; }

  /// The coordinates of element i of the piece. The array is the same for all.
  const int64_t* at(int64_t i) {
    at_[last_] = coordinate(last_, begin_ + i);
    return at_.data();
  }

  /// What the key and the coordinates of element i are hashed from.
  uint64_t key(int64_t i) const {
    return row_key_ + static_cast<uint64_t>(coordinate(last_, begin_ + i)) * kSteps[last_];
  }
  uint64_t hash(int64_t i) const { return mix(key(i)); }

  /// Whether neighbours of the piece are neighbours in the tensor.
  bool is_whole() const { return touched_.empty(); }

  /// Where element i lies, in elements.
  int64_t offset(int64_t i) const { return row_offset_ + coordinate(last_, begin_ + i) * tensor_.strides[last_]; }

  /// Writes `count()` numbers to the elements of the piece, each rounded to the tensor's type.
  void write(const double* numbers) const;

 private:
  int64_t coordinate(size_t dim, int64_t index) const {
    return touched_.empty() ? index : touched_[dim][static_cast<size_t>(index)];
  }
  bool next_row();
  void go_to(size_t dim, int64_t coordinate);

  const convict_tensor& tensor_;
  Touched touched_;
  size_t last_;                                         // dimension
  std::array<int64_t, CONVICT_MAX_DIMS> extent_{};      // coordinates of each dimension
  std::array<int64_t, CONVICT_MAX_DIMS> index_{};   // of the row, among the coordinates
  bool is_before_first_ = true;
  int64_t rows_left_ = 1, begin_ = 0, count_ = 0;       // the piece of the row
  std::array<int64_t, CONVICT_MAX_DIMS> at_{};
  uint64_t row_key_ = 0;
  int64_t row_offset_ = 0;  // in elements
};

}  // namespace convict::fill
