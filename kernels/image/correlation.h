// SPDX-License-Identifier: Apache-2.0
//
// A face of the trilinear form as a correlation, axis by axis: which elements of the *image*, one of the operands, are
// read for which elements of the result.
//
// Y (and W) gather X: output o reads the image X at o*stride - pad + r*dilation. X gathers Y: with u = i + pad, its
// element i reads Y at (u - r*dilation) / stride through those taps that leave no remainder. Elements i with the same
// u modulo the stride, one *phase*, read through the same taps at distances that do not depend on i: u = stride*q +
// phase and r*dilation = stride*t + phase give Y at q - t. So both are
//
//     result(position, row) = sum over taps of weight(row, tap) * image(position*step + offset(tap))
//
// Phases that read at the same offsets t are one *class*: rows of one matrix, just like channels. If the kernel is a
// multiple of the stride, all phases are one class (Shi et al., "Is the deconvolution layer the same as a convolutional
// layer?", 2016); otherwise an axis has a few classes. Taps that meet only padding are left out.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "abi/trilinear.h"

namespace convict::kernels::image {

/// Result positions first + p*out_step, for begin <= p < end.
struct AxisPhase {
  int64_t first, begin, end;
  std::vector<int64_t> kernel_index;  // of each tap of the class
};

/// Phases of one axis that read the image at the same places.
struct AxisClass {
  int64_t positions;             // p counts from 0; some phases lack the first or the last one
  std::vector<int64_t> offsets;  // of the taps: position p reads the image at p*step + offset
  std::vector<AxisPhase> phases;
};

/// Image coordinates that differ by the step, side by side: place j holds coordinate first + j*step, which is inside
/// the image for begin <= j < end.
struct StagedRun {
  int64_t first, begin, end;
};

/// One axis. Its staged image has a run of `length` places for each remainder modulo the step that taps have.
struct CorrelationAxis {
  int64_t step, out_step, image_extent;
  std::vector<AxisClass> classes;
  int64_t length = 0;
  std::vector<StagedRun> runs;  // ascending

  /// Places of the staged axis.
  int64_t places() const { return length * static_cast<int64_t>(runs.size()); }
  /// Where the first position of a tap with this offset reads in the staged axis.
  int64_t place_of(int64_t offset) const;
  /// Whether no position of any class reads outside the image.
  bool stays_inside() const;
};

using Correlation = std::array<CorrelationAxis, kAxes>;

/// The axes of a form for the face it computes. W is like Y, but keeps every tap. Reads only the geometry.
template <class T>
Correlation correlation(const Trilinear<T>& form);

/// The same axis with a class for each range of positions that reads inside the image through the same taps, and has
/// only these: no padding is read. Positions through whose taps nothing is read have a class without taps.
CorrelationAxis without_padding(const CorrelationAxis& axis);

}  // namespace convict::kernels::image
