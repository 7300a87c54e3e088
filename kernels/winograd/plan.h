// SPDX-License-Identifier: Apache-2.0
//
// Faces Y and X by minimal filtering F(m, 3) on every axis, nested (minimal_filter.h). The image is cut into tiles that
// overlap, each of which gives m results per axis:
//
//     result(tile, row) = A^T [ sum over channels c of  U(row, c) . V(c, tile) ],   U = G w,   V = B^T x
//
// For every element of the transformed tile, the sums over channels are a matrix product:
//
//     S[product][tile][row] = sum over c of V[product][tile][c] * U[product][c][row]
//
// For X the image is Y, padded by 2*dilation - pad, and the kernel is mirrored. Lanes are channels everywhere, so all
// three maps run on whole vectors (transforms.h). This file decides how, and computes it.
//
// A dilated window reads positions that are equal modulo the dilation d: they are an image of their own. On each axis,
// d tiles beside each other, one for each remainder, give d*m results that follow each other: a span.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "abi/trilinear.h"
#include "kernels/simd/tiles.h"
#include "kernels/winograd/transforms.h"
#include "kernels/work/panel.h"
#include "kernels/work/workspace.h"

namespace convict::kernels::winograd {

/// Why F(m, 3) does not apply to a legal problem, or would nearly only multiply padding; or nullptr. Safe for any
/// sizes.
const char* unsuited(const convict_problem& p, int m);

/// The first axis that is transformed; all later ones are, too. Leading axes of extent 1 are left out.
int first_transformed_axis(const Trilinear<float>& form);

/// Tiles of one image that follow each other on the last axis, from remainder 0 to the last one.
struct TileRun {
  int64_t number;  // of the first one, of all images
  int64_t n;
  Axes first;  // result position of the first one
  int64_t count;
  int64_t columns;  // of results, some of which may be behind the last one; of the image 2*dilation more
};

/// The memory of one thread.
struct Scratch {
  float* box;      // [position][lane], the input or output of a transform
  float* mapped;   // [position][lane], weights between two axes
  float* image;    // V of a block of tiles, or of the whole image, which all threads may share
  float* weights;  // U of one piece, or of a group, if weights_once
  float* sums;     // S of a block of tiles and a panel of rows
};

/// What is to be computed, and how.
struct Plan {
  /// Precondition: has_products(form), the face is X or Y, and F(m, 3) applies. Reads no data.
  Plan(const Trilinear<float>& form, int m);

  /// Computes the face of form completely, bias and beta included. Throws std::bad_alloc.
  void compute();
  /// The memory of a thread, for a group that all threads share.
  Scratch shared_scratch(int thread) const;
  std::string text() const;

  TileRun run(int64_t index) const;
  int64_t panel_lanes(const work::Panel& panel) const { return panel.count * lanes; }
  int64_t runs_of_row() const { return work::panels_of(spans, spans_of_run); }
  int64_t pieces() const { return work::panels_of(image_channels, depth); }  // of the channels of the image

  Trilinear<float> form;
  Operand<float> image, result;
  Axes image_extent, result_extent, pad;    // pad: zeros before the image
  int64_t image_channels, result_channels;  // of one group
  int m;
  int first_axis;
  Axes points, step, dilation;  // of a tile: t, m, the dilation; or 1 on an axis that is not transformed
  int64_t products;             // of a tile
  const simd::Tiles<float>& tiles;
  const Transforms& transforms;
  int64_t lanes;

  Axes tile_count;                                       // of an image
  std::array<std::vector<int64_t>, kAxes> first_result;  // of each tile on an axis
  int64_t spans, spans_of_run;                           // of a row, of a run
  int64_t runs;                                          // of all images
  int64_t blocks;                                        // share the runs
  int64_t most_tiles;                                    // of a block
  std::vector<work::Panel> panels;                       // vectors of result channels whose sums are computed together
  int64_t depth;                                         // most channels of the image whose weights are a piece
  // Either all weights are transformed first, and then the image block by block; or the whole image is, as one block,
  // and then the weights panel by panel, piece by piece.
  bool weights_once;
  bool image_by_all;     // every thread transforms the whole image: that takes less time than fetching it from others
  int64_t groups_apart;  // each is computed by one thread; all threads together compute the others
  int threads;

  // Elements from one tile, product, panel and piece to the next.
  int64_t image_tile, image_product, weights_product, weights_piece, sums_product;

  work::Workspace workspace;
  int64_t* tile_place = nullptr;  // [most_tiles], in V
  std::vector<Scratch> scratch;   // by thread

 private:
  void prepare();
  void choose_axes();
  void choose_threads();
  void choose_panels(int64_t unit);
  void choose_depth(int64_t bytes);
  void choose_blocks();
  bool weights_first_is_cheaper(int64_t tile_blocks) const;
  void carve();
  int64_t box_positions() const;
  int shares() const { return groups_apart == form.groups ? 1 : threads; }  // of a group
};

inline constexpr int64_t kWeightsAtOnce = 16;  // channels of the image whose weights are transformed together

}  // namespace convict::kernels::winograd
