// SPDX-License-Identifier: Apache-2.0
//
// Forward passes over 8-bit integers as matrix products (pair_tiles.h): rows are result channels, the depth is (image
// channel, tap), columns are positions of one phase (image/correlation.h). The image is copied as 16-bit numbers less
// its zero point, with zeros for the padding, so sums need no correction afterwards.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "kernels/border/quantized.h"
#include "kernels/image/correlation.h"
#include "kernels/image/staged_image.h"
#include "kernels/int8/pair_tiles.h"
#include "kernels/work/panel.h"
#include "kernels/work/workspace.h"

namespace convict::kernels::int8 {

/// One phase of each axis: a matrix of weights, and the positions it is for.
struct Part {
  std::array<const image::AxisClass*, kAxes> one;
  std::array<const image::AxisPhase*, kAxes> phase;
  int64_t taps, depth;
  Axes positions;  // of this phase
  int64_t columns;
  int64_t tiles;                // of columns
  std::vector<int64_t> weight;  // [tap], elements from the first weight of a channel
  std::vector<int64_t> place;   // [tap], elements from position 0 of the class to what it reads

  int64_t pairs() const { return (depth + 1) / 2; }
};

struct Plan {
  /// Precondition: has_products(form), of whose tensors only the description is looked at.
  explicit Plan(const border::QuantizedForm& form);
  Plan(const Plan&) = delete;  // parts point into axes

  void prepare();  // Throws std::bad_alloc.
  std::string text() const;

  const border::QuantizedForm& quantized;
  Trilinear<float> form;  // for its geometry and strides: its elements are not floats
  Operand<float> image, result;
  int64_t image_channels, result_channels;  // of one group
  image::Correlation axes;
  image::ImageShape shape;
  const PairTiles& tiles;
  std::vector<work::Panel> panels;  // of result channels: the tiles' rows
  std::vector<Part> parts;
  int threads;
  work::Workspace workspace;
  int16_t* staged = nullptr;        // [channel of all groups]
  std::vector<int32_t*> weights;    // by part: [group][panel][pair][row of the panel]
  std::vector<int64_t*> image_row;  // by part: [depth], from position 0 of the first channel of a group

  /// The memory of one thread.
  struct Scratch {
    int32_t* columns;  // a tile of B
    int32_t* sums;     // a tile of C
  };
  std::vector<Scratch> scratch;

 private:
  void add_part(const std::array<const image::AxisClass*, kAxes>& one,
                const std::array<const image::AxisPhase*, kAxes>& phase);
  void carve();
};

/// Computes dst completely. Throws std::bad_alloc.
void compute(Plan& plan);

}  // namespace convict::kernels::int8
