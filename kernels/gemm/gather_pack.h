// SPDX-License-Identifier: Apache-2.0
//
// Copies both operands of a gathered product to where tiles read them.
#pragma once

#include <cstdint>

#include "kernels/gemm/gather_plan.h"
#include "kernels/simd/tiles.h"
#include "kernels/work/panel.h"

namespace convict::kernels::gemm {

/// Copies the weights of some panels of rows of a group, for a block of the depth.
template <class T>
void pack_weights(const GatherPlan<T>& plan, const GatherPart<T>& part, int64_t group, work::Panel depth,
                  work::Panel panels, T* to);

/// The packed weights of some panels of a group, block after block of the depth. Those that are kept are packed
/// already. Others are packed here. Rows that lie in memory as they are packed come from far away, so that those of the
/// next block are packed beside the tiles of this one, some at a time: they are fetched while a tile is computed.
template <class T>
class PanelWeights {
 public:
  /// `scratch`: as GatherScratch::weights.
  PanelWeights(const GatherPlan<T>& plan, const GatherPart<T>& part, int64_t group, work::Panel panels, T* scratch);

  /// Of this block, from the first panel on. To be called for all blocks in order.
  const T* of_block(int64_t block);

  /// The rows of the next block to be fetched and packed beside some of `all` columns of this one.
  work::Panel rows_beside(int64_t block, work::Panel columns, int64_t all) const;
  simd::RowsToFetch<T> to_fetch(int64_t block, work::Panel rows) const;
  void pack_ahead(int64_t block, work::Panel rows);

 private:
  const T* weights_at(int64_t row, int64_t depth) const;
  T* place(int64_t block, int64_t row) const;
  void pack_rows(int64_t block, work::Panel rows);

  const GatherPlan<T>& plan_;
  const GatherPart<T>& part_;
  int64_t group_, row_stride_;
  work::Panel panels_, rows_;
  T* scratch_;
  bool packs_ahead_;
};

/// Where the vectors of some columns of B are in the image. Columns beyond the last position repeat it.
template <class T>
struct TileLanes {
  int64_t vectors;  // two for each tile
  simd::Lanes<T> vector[2 * kMostTilesOfBlock];
};

/// Precondition: no more columns than kMostTilesOfBlock tiles have.
template <class T>
TileLanes<T> tile_lanes(const GatherPlan<T>& plan, const GatherPart<T>& part, work::Panel columns);

/// Copies these columns of B as tiles, [tile of columns][p][column], for a block of the depth.
template <class T>
void pack_tiles(const GatherPlan<T>& plan, const GatherPart<T>& part, work::Panel depth, const TileLanes<T>& lanes,
                const T* image, T* to);

}  // namespace convict::kernels::gemm
