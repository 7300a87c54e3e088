// SPDX-License-Identifier: Apache-2.0
//
// The tiles of columns of a gathered product: how many columns each has, where it reads B, and what it needs of the
// depth. Columns are read from the image where it lies, or from packed tiles.
#pragma once

#include <cstdint>

#include "kernels/gemm/gather_plan.h"
#include "kernels/work/panel.h"

namespace convict::kernels::gemm {

/// Where some tiles of equally many vectors of columns read B: row p at b + row[p], its vectors `apart` elements from
/// each other, the next tile `next` elements further.
template <class T>
struct TileSource {
  int64_t tiles;
  int vectors;
  const T* b;
  const int64_t* row;
  int64_t apart, next;
  bool packed = false;     // rows follow each other
  int64_t row_stride = 0;  // of rows that are equally far apart and whose vectors lie side by side
};

/// Columns that one thread does at a time, and where their tiles read B.
template <class T>
struct BlockColumns {
  const T* image;
  int64_t first, count;
  int64_t
      straight;  // columns that are stored to the result directly: whole vectors, or whole tiles if these are packed
  int64_t in_place;  // columns that read the image
  int64_t again;     // columns before the last ones that are computed once more, with these: they are a whole vector
  bool packs;        // the others
};

/// How many of some columns are stored to the result directly.
template <class T>
int64_t straight_columns(const GatherPlan<T>& plan, const GatherPart<T>& part, int64_t columns);

/// `image`: the first channel of the group.
template <class T>
BlockColumns<T> block_columns(const GatherPlan<T>& plan, const GatherPart<T>& part, work::Panel columns,
                              const T* image);

/// The tiles from a column of the block on, or one if there are no more `together`; they end at `end` or earlier. `b`:
/// what is packed, of this block of the depth.
template <class T>
TileSource<T> tiles_at(const GatherPlan<T>& plan, const GatherPart<T>& part, const BlockColumns<T>& columns,
                       work::Panel depth, const T* b, int64_t column, bool together, int64_t& end);

/// What some columns of C need of a block of the depth.
template <class T>
work::Panel depth_inside(const GatherPlan<T>& plan, const GatherPart<T>& part, work::Panel block, int64_t column,
                         int64_t end);

}  // namespace convict::kernels::gemm
