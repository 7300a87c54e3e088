// SPDX-License-Identifier: Apache-2.0
//
// All faces by fast Fourier transforms of tiles (sizes.h). For every group and every frequency
//
//     sum(row, column) = sum over p < depth of a(row, p) * b(p, column)
//
//            rows                depth            columns         a    b    sums
//     Y      tiles of all images channels of X    channels of Y   X    W    Y
//     X      tiles of all images channels of Y    channels of X   Y    W    X
//     W      channels of X       images           channels of Y   X    Y    W
//
// The lanes of a vector are different signals: channels of a group, or different groups if these have few channels. In
// the first case spectra are transposed after the transform, so that the channels of a frequency lie side by side, and
// products are matrix products. In the second case products are lane by lane.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "abi/trilinear.h"
#include "kernels/fft/fourier.h"
#include "kernels/fft/sizes.h"
#include "kernels/simd/tiles.h"
#include "kernels/work/panel.h"
#include "kernels/work/workspace.h"

namespace convict::kernels::fft {

/// One of the three operands. Signal (first, second) of a group: for a these are (row, depth), for b (depth, column),
/// for sum (row, column). A row that is a tile lies in its image.
struct SpectrumOperand {
  Signal signal;
  Operand<float> tensor;
  int64_t group, first, second;  // strides in the tensor
  bool first_is_tile;
  bool lanes_are_first;  // if lanes are channels: whether they are counted by `first`, not `second`
  int64_t channels;      // of a group, in the dimension of the lanes

  // Its spectra: frequency f of vector (i, j) is at f*frequency + i*to_first + j*to_second, its imaginary part
  // `imaginary` further. The dimension of the lanes is counted in vectors.
  int64_t frequency = 0, to_first = 0, to_second = 0, imaginary = 0;
  int64_t numbers = 0;  // elements of all

  int64_t to(int64_t i, int64_t j) const { return i * to_first + j * to_second; }
};

/// The memory of one thread: the spectra of a, b and sum, which it may share with all threads, and a box if lanes are
/// channels.
struct Scratch {
  float *a, *b, *sum, *box;
};

/// What is to be computed, and how.
struct Plan {
  /// Precondition: has_products(form), and not too_large(form). Reads no data.
  explicit Plan(const Trilinear<float>& form);

  /// Computes the face of form completely, bias and beta included, but not diff_bias. Throws std::bad_alloc.
  void compute();
  std::string text() const;

  /// What is computed with the same spectra: groups, or vectors of groups.
  int64_t calls() const { return sizes.lanes_are_groups ? work::panels_of(form.groups, lanes) : form.groups; }
  int64_t blocks() const { return work::panels_of(rows, rows_at_once); }  // of rows
  /// How many vectors hold so many channels.
  int64_t vectors(int64_t channels) const {
    return sizes.lanes_are_groups ? channels : work::panels_of(channels, lanes);
  }
  bool is_w() const { return form.face == Face::kW; }

  Trilinear<float> form;
  const simd::Tiles<float>& tiles;
  const Fourier& fourier;
  int64_t lanes;
  Sizes sizes;
  int64_t rows, depth, columns;
  int64_t rows_at_once;  // the most of a block
  SpectrumOperand a, b, sum;
  int64_t row_pitch, box;  // elements of a row and of all of the transformed points of a vector
  int threads;
  // The first calls_apart calls are computed by one thread each, the others by all threads together. Then threads
  // divide the blocks of rows (blocks_apart), or else every step.
  int64_t calls_apart = 0;
  bool blocks_apart;

  work::Workspace workspace;
  std::array<float*, kAxes> line_roots = {};
  float* real_roots = nullptr;
  std::vector<Scratch> scratch;  // by thread

 private:
  void prepare();
  void choose_operands();
  void choose_rows();
  void choose_sharing();
  void lay_out(SpectrumOperand& operand, int64_t first_vectors, int64_t second_vectors) const;
  void carve();
};

}  // namespace convict::kernels::fft
