// SPDX-License-Identifier: Apache-2.0
//
// Face X as a matrix product whose result is scattered and added. In each group,
//
//     C[o][(c, r)] = sum over k of Y[k][o] * W[k][(c, r)]
//     X[c][o*stride - pad + r*dilation] += C[o][(c, r)]
//
// Rows of C are positions of Y, of several images one after another. Columns are the weights of a channel of Y as they
// lie in memory: (c, r) side by side. Rows and columns of C are computed in blocks, so that the sums fit a cache until
// they are added to X. This file decides how, and computes it.
//
// Threads divide the channels of X. If these are too few, the columns of a channel are divided into *parts*. The first
// part is added to X, each other one to a copy of X, and the copies are added to X in order. The parts follow from the
// problem and plan.threads. So the same number of threads gives the same bits, and another number may differ in the
// last bits.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "abi/trilinear.h"
#include "kernels/scatter/overlap_add.h"
#include "kernels/simd/tiles.h"
#include "kernels/work/panel.h"
#include "kernels/work/workspace.h"

namespace convict::kernels::scatter {

/// Columns of C that are computed at a time, which lie side by side: all columns of some channels; or some rows of taps
/// of one channel, a row being the taps that differ only along the last axis; or some taps of one row.
struct ColumnBlock {
  work::Panel channels, rows, taps;
  int64_t columns() const { return channels.count * rows.count * taps.count; }
};

/// Images that are computed together. C has `rows` rows, the positions of them all.
struct Images {
  int64_t first, count, rows;
};

/// The memory of one thread.
template <class T>
struct Scratch {
  T* c;            // of a block: [row][column], `pitch` apart
  T* weights;      // of less than a vector of columns: [k][column], a vector apart, of a block of the depth
  T* copy;         // of a tile of weights: [k][column], of a block of the depth
  SumRow* window;  // [rows of taps of a block]
};

/// What is to be computed, and how.
template <class T>
struct Plan {
  /// Precondition: has_products(form), and the face is X. Reads no data.
  explicit Plan(const Trilinear<T>& form);

  /// Computes face X of form completely, bias and beta included: packs, multiplies tile by tile, adds to the image.
  /// Throws std::bad_alloc.
  void compute();
  std::string text() const;

  int64_t depth_blocks() const { return work::panels_of(form.y_channels, simd::kMostDepth<T>); }
  work::Panel depth_block(int64_t index) const { return work::panel_of(form.y_channels, simd::kMostDepth<T>, index); }
  int64_t channel_blocks() const { return work::panels_of(form.x_channels, channels_at_once); }
  work::Panel channel_block(int64_t index) const { return work::piece_of(form.x_channels, channels_at_once, index); }
  /// Blocks of the columns of a channel. A part is some that follow each other.
  int64_t column_blocks() const {
    return work::panels_of(window_rows, window_rows_at_once) * work::panels_of(form.kernel[2], taps_at_once);
  }
  ColumnBlock column_block(work::Panel channels, int64_t index) const {
    const int64_t blocks_of_row = work::panels_of(form.kernel[2], taps_at_once);
    return {channels, work::piece_of(window_rows, window_rows_at_once, index / blocks_of_row),
            work::piece_of(form.kernel[2], taps_at_once, index % blocks_of_row)};
  }
  int64_t parts() const { return work::panels_of(column_blocks(), blocks_of_part); }
  work::Panel part(int64_t index) const { return work::panel_of(column_blocks(), blocks_of_part, index); }

  /// What a part is added to: X from the first of these images on, or a copy of that.
  Operand<T> target(const Images& images, int64_t part) const;

  int64_t panels(const Images& images) const { return work::panels_of(images.rows, tiles.most_rows); }
  work::Panel panel(const Images& images, int64_t index) const {
    return work::larger_first(images.rows, tiles.most_rows, index);
  }

  /// Whether the first of so many panels copies a tile of weights for the others: rows of weights are far apart.
  bool copies_weights(int64_t panels) const { return panels >= simd::kFewestPanelsToCopyFor && has_even_tiles; }

  /// Where the packed rows of Y begin, for a block of the depth: by panel, each [k][row].
  T* packed_y(const Images& images, int64_t group, work::Panel depth) const {
    return y + images.rows * (group * form.y_channels + depth.first);
  }

  Trilinear<T> form;
  const simd::Tiles<T>& tiles;
  OverlapAdd<T> overlap_add;
  int64_t positions, window_rows, taps;  // of a plane of Y; rows of taps, and taps, of a window
  int64_t images_at_once;
  int64_t channels_at_once, window_rows_at_once, taps_at_once;  // columns of a block
  int64_t blocks_of_part;
  int64_t panels_at_once;  // rows of a block
  int64_t pitch;           // from one row of C to the next
  bool has_even_tiles;     // of as many rows as panels have, if there are some
  bool copied;             // the weights do not lie side by side, and are copied to where they do
  int64_t weight_pitch;    // from one channel of Y to the next
  int threads;
  work::Workspace workspace;
  // Tables and copies, in the workspace.
  int64_t* weight_row = nullptr;    // [kMostDepth + simd::kRowsAhead], of weights where they lie
  int64_t* rest_row = nullptr;      // [kMostDepth], of weights in the scratch
  T* zeros = nullptr;               // [rows of a block]
  T* y = nullptr;                   // of images_at_once
  T* weights = nullptr;             // if copied: [channel of Y of all groups][(c, r)]
  T* copies = nullptr;              // of X, for all parts but the first, of images_at_once
  std::vector<Scratch<T>> scratch;  // by thread

 private:
  void prepare();
  void choose_columns();
  void choose_parts();
  int64_t numbers_of_copy() const { return images_at_once * form.groups * form.x_channels * volume(form.x_extent); }
  void choose_rows();
  void carve();
};

}  // namespace convict::kernels::scatter
