// SPDX-License-Identifier: Apache-2.0
//
// A forward pass over 8-bit integers as a gathered product of cells (simd/cells.h, gemm/gather_plan.h). The members of
// a cell are
//
//     channels     of the image that follow each other, at the same place; their weights for the same tap; or
//     taps         of the last axis that follow each other, of one channel; what these taps read of the image.
//
// whichever fills cells better: taps are for few channels in a group. They make another convolution, with fewer taps
// that are further apart, and are for face Y only.
#pragma once

#include <cstdint>

#include "abi/trilinear.h"
#include "kernels/border/quantized.h"
#include "kernels/gemm/gather_plan.h"
#include "kernels/int8/members.h"
#include "kernels/simd/cells.h"
#include "kernels/work/workspace.h"

namespace convict::kernels::int8 {

class CellForm : public gemm::CellPort {
 public:
  /// Precondition: has_products(form). Reads no data. `quantized` outlives this.
  explicit CellForm(const border::QuantizedForm& quantized);

  /// Allocates, and makes the weights. Throws std::bad_alloc.
  void prepare();
  int64_t bytes() const { return workspace_.bytes(); }
  bool members_are_taps() const { return members_are_taps_; }

  /// The problem over cells. The result has the strides of dst, but no data. After prepare() the others have.
  const Trilinear<int32_t>& form() const { return cells_; }

  void load(int64_t n, work::Team& team, int member) const override;
  void store(const gemm::CellSums& sums) const override;
  int32_t padding() const override { return members_.padding(); }
  const int32_t* tap_start() const override { return start_; }

 private:
  void describe_operands();
  void carve();

  void make_row_of_taps(int64_t row, uint8_t* buffer) const;
  void make_row(int64_t row) const;
  void make_channel(int64_t group, int64_t channel) const;
  void sum_weights(int64_t group) const;

  void load_taps(int64_t n, int64_t channel, uint8_t* buffer) const;
  void load_planes(int64_t n, int64_t channel) const;
  void share_places(int64_t n, work::Team& team) const;
  void load_places(int64_t n, work::Panel channels, work::Panel places, int32_t* to) const;

  const border::QuantizedForm& quantized_;
  const simd::CellKernels& kernels_;
  const Trilinear<uint8_t> bytes_;  // as it was given, but that elements of the result have other types
  const Members members_;
  bool members_are_taps_;
  Trilinear<int32_t> cells_;
  work::Workspace workspace_;
  int32_t* start_ = nullptr;    // nullptr if all of it is 0
  uint8_t* buffers_ = nullptr;  // by thread, for members that are taps: a row with what lies beside it
  int64_t buffer_size_ = 0;
};

/// Stores sums as elements of dst, through the epilogue. `result`: the strides of dst. `channels`: of one group.
void store(const border::QuantizedForm& form, const Operand<int32_t>& result, int64_t channels,
           const gemm::CellSums& sums);

}  // namespace convict::kernels::int8
