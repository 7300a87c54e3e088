// SPDX-License-Identifier: Apache-2.0
//
// How counts are cut into tiles and blocks: evenly, so that the last one is not much smaller than the others.
#pragma once

#include <cstdint>

namespace convict::kernels::work {

/// The numbers from `first` to first + count - 1.
struct Panel {
  int64_t first, count;
};

/// Share `index` of `total` things in `shares` shares, whose sizes differ by at most one. Some may be empty.
constexpr Panel share_of(int64_t total, int64_t shares, int64_t index) {
  const int64_t first = total * index / shares;
  return {first, total * (index + 1) / shares - first};
}

/// `total` things in as few panels as possible, of at most `most` each, whose sizes differ by at most one.
constexpr int64_t panels_of(int64_t total, int64_t most) { return (total + most - 1) / most; }
constexpr Panel panel_of(int64_t total, int64_t most, int64_t index) {
  return share_of(total, panels_of(total, most), index);
}
static_assert(panel_of(17, 14, 0).count == 8 && panel_of(17, 14, 1).first == 8 && panel_of(17, 14, 1).count == 9);

/// Like panel_of, but the larger ones come first: there are at most two runs of equal panels.
constexpr Panel larger_first(int64_t total, int64_t most, int64_t index) {
  const int64_t panels = panels_of(total, most), least = total / panels, larger = total % panels;
  return {index * least + (index < larger ? index : larger), least + (index < larger ? 1 : 0)};
}
static_assert(larger_first(17, 6, 1).count == 6 && larger_first(17, 6, 2).first == 12);
static_assert(larger_first(17, 6, 2).count == 5);

/// Like panel_of, but all pieces but the last have `most` things, so that they begin where vectors do.
constexpr Panel piece_of(int64_t total, int64_t most, int64_t index) {
  return {index * most, total - index * most < most ? total - index * most : most};
}

}  // namespace convict::kernels::work
