// SPDX-License-Identifier: Apache-2.0
//
// What an implementation declares of its transforms (convict_transforms), in memory of our own.
#pragma once

#include <cstdint>
#include <vector>

namespace convict::inline core {

/// Of a tile of Winograd's F(m, r), infinity included: m + r - 1. Implementations use no more, and no bound is known.
inline constexpr int kMostPoints = 8;

struct Transforms {
  bool moves_tiles = false;         // Winograd: the last tile of an axis may overlap the one before
  bool pairs_planes = false;        // FFT: two real planes may share one complex transform
  std::vector<double> points = {};  // Winograd: the finite ones; empty: the usual ones

  bool operator==(const Transforms&) const = default;
};

/// Whether the points are those of tiles F(m, r), and not for tiles of another size.
inline bool has_points(const Transforms& transforms, int64_t m, int64_t r) {
  return !transforms.points.empty() && static_cast<int64_t>(transforms.points.size()) == m + r - 2;
}

}  // namespace convict::inline core
