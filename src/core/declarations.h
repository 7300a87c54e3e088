// SPDX-License-Identifier: Apache-2.0
//
// What an implementation declares beside its contract, in memory of our own.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

#include "abi/convict.h"

namespace convict::inline core {

/// Of a tile of Winograd's F(m, r), infinity included: m + r - 1. Implementations use no more, and no bound is known.
inline constexpr int kMostPoints = 8;

/// Of its transforms (convict_transforms).
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

/// Bits of significands to which operands may be rounded: from those of bf16 to those of f64.
inline constexpr int kFewestOperandBits = 8, kMostOperandBits = 53;

/// Of a matrix unit that it computes on (convict_matrix_unit).
struct MatrixUnit {
  int operand_bits = 0;    // to which operands of products are rounded or truncated; 0: they are not
  bool truncates = false;  // additions truncate, several terms at once

  bool operator==(const MatrixUnit&) const = default;
};

/// How certificates and process targets (docs/process-targets.md) name the values of a contract.
template <class T, size_t N>
using ContractWords = std::array<std::pair<std::string_view, T>, N>;
inline constexpr ContractWords<convict_algorithm, 3> kAlgorithmWords = {
    {{"direct", CONVICT_DIRECT}, {"winograd", CONVICT_WINOGRAD}, {"fft", CONVICT_FFT}}};
inline constexpr ContractWords<convict_summation, 4> kSummationWords = {{{"any_order", CONVICT_ANY_ORDER},
                                                                         {"blocked", CONVICT_BLOCKED},
                                                                         {"pairwise", CONVICT_PAIRWISE},
                                                                         {"fixed_order", CONVICT_FIXED_ORDER}}};
inline constexpr ContractWords<convict_dtype, 4> kAccumulatorWords = {
    {{"f32", CONVICT_F32}, {"f64", CONVICT_F64}, {"f16", CONVICT_F16}, {"bf16", CONVICT_BF16}}};

/// What an implementation declares beside its contract.
struct Declarations {
  Transforms transforms = {};
  MatrixUnit matrix_unit = {};
};

}  // namespace convict::inline core
