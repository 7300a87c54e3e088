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

/// Prefetches the weights of some rows of a group, which pack_weights() will copy, beyond the first-level cache.
template <class T>
void fetch_weights(const GatherPlan<T>& plan, int64_t group, work::Panel depth, work::Panel rows);

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
