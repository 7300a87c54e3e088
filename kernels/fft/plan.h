// SPDX-License-Identifier: Apache-2.0
//
// All faces by fast Fourier transforms of tiles (fft_sizes.h). Of every group, and for every frequency on its own,
//
//     sum(row, column) = sum over p < depth of a(row, p) * b(p, column)
//
//            rows                depth            columns         a    b    sums
//     Y      tiles of all images channels of X    channels of Y   X    W    Y
//     X      tiles of all images channels of Y    channels of X   Y    W    X
//     W      channels of X       images           channels of Y   X    Y    W
//
// A lane is a signal of its own: one of the channels of a group, or, where groups have few, one of the groups. In the
// first case spectra are turned around after the transform, so that the channels of a frequency lie together: a matrix
// product. In the second one they stay as they are, and products are those of vectors.
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

/// One of the three operands: signal (first, second) of a group, first being a row or of the depth, second of the depth
/// or a column; rows that are tiles lie with their image.
struct SpectrumOperand {
  Signal signal;
  Operand<float> tensor;
  int64_t group, first, second;  // strides in the tensor
  bool first_is_tile;
  bool lanes_are_first;  // where lanes are channels; else second
  int64_t channels;      // of a group, in that dimension

  // Its spectra: frequency f of vector (i, j) at f*frequency + i*to_first + j*to_second, counting vectors where lanes
  // are; imaginary parts so much further.
  int64_t frequency = 0, to_first = 0, to_second = 0, imaginary = 0;
  int64_t numbers = 0;  // elements of all

  int64_t to(int64_t i, int64_t j) const { return i * to_first + j * to_second; }
};

/// The memory of one thread: spectra, those of a, b and sum, its own or of all threads; and a box if lanes are
/// channels.
struct Scratch {
  float *a, *b, *sum, *box;
};

/// What is to be computed, and how.
struct Plan {
  /// Precondition: has_products(form), and not too_large. Data is not looked at.
  explicit Plan(const Trilinear<float>& form);

  /// Allocates, and fills the tables of roots. Throws std::bad_alloc.
  void prepare();
  std::string text() const;

  /// Groups, or vectors of groups: what is computed with the same spectra.
  int64_t calls() const { return sizes.lanes_are_groups ? work::panels_of(form.groups, lanes) : form.groups; }
  int64_t blocks() const { return work::panels_of(rows, rows_at_once); }  // of rows
  /// Vectors that so many channels are.
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
  // So many calls are computed by one thread each, the others by all threads together: after b, each its blocks of
  // rows, or else a part of every step.
  int64_t calls_apart = 0;
  bool blocks_apart;

  work::Workspace workspace;
  std::array<float*, kAxes> line_roots = {};
  float* real_roots = nullptr;
  std::vector<Scratch> scratch;  // by thread

 private:
  void choose_operands();
  void choose_rows();
  void choose_sharing();
  void lay_out(SpectrumOperand& operand, int64_t first_vectors, int64_t second_vectors) const;
  void carve();
};

}  // namespace convict::kernels::fft
