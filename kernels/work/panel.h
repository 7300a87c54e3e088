// SPDX-License-Identifier: Apache-2.0
//
// How counts are cut into tiles and blocks: evenly, so that none is left with a sliver.
#pragma once

#include <cstdint>

namespace convict::kernels::work {

/// Things first to first + count.
struct Panel {
  int64_t first, count;
};

/// `total` things in so many shares, of sizes that differ by at most one; some are empty if there are too many.
constexpr Panel share_of(int64_t total, int64_t shares, int64_t index) {
  const int64_t first = total * index / shares;
  return {first, total * (index + 1) / shares - first};
}

/// `total` things in as few panels as `most` to one allow, of sizes that differ by at most one.
constexpr int64_t panels_of(int64_t total, int64_t most) { return (total + most - 1) / most; }
constexpr Panel panel_of(int64_t total, int64_t most, int64_t index) {
  return share_of(total, panels_of(total, most), index);
}
static_assert(panel_of(17, 14, 0).count == 8 && panel_of(17, 14, 1).first == 8 && panel_of(17, 14, 1).count == 9);

/// Like panel_of, but all pieces have `most` things while these last, so that they begin where vectors do.
constexpr Panel piece_of(int64_t total, int64_t most, int64_t index) {
  return {index * most, total - index * most < most ? total - index * most : most};
}

}  // namespace convict::kernels::work
