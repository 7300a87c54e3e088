// SPDX-License-Identifier: Apache-2.0
//
// Register tiles of integer matrix products, compiled once for every instruction set. Operands are pairs of 16-bit
// numbers; one instruction adds both products of a pair to a sum of 32 bits (pmaddwd on x86). 8-bit operands less their
// zero point are exact in 16 bits. Sums wrap around as in two's complement.
#pragma once

#include <cstdint>

namespace convict::kernels::int8 {

inline constexpr int kMostPairRows = 12;
inline constexpr int64_t kMostPairLanes = 16;

/// Where the columns of one vector are found in an image.
struct PairLanes {
  bool side_by_side;              // place[0] and the following
  int64_t place[kMostPairLanes];  // of all lanes
};

/// The tiles of the instruction set in use. A pair is two 16-bit numbers in one of 32 bits, the first in the low half.
struct PairTiles {
  const char* isa;
  int64_t lanes;  // sums of a vector
  int64_t most_rows;

  /// C[i][j] = sum over p < pairs of a[p*rows + i] * b[p*vectors*lanes + j], both products of a pair, for one or two
  /// vectors of j; C[i] begins at c + i*vectors*lanes. Indexed by vectors and rows, from 1.
  using Multiply = void (*)(int64_t pairs, const int32_t* a, const int32_t* b, int32_t* c);
  Multiply multiply[3][kMostPairRows + 1];

  /// Packs rows of B to `to`, as `multiply` reads them: rows 2p and 2p + 1 become pairs, and the last row of an odd
  /// depth is paired with zeros. Column j of row p lies at image[row[p] + place of j].
  void (*gather)(int64_t depth, const int16_t* image, const int64_t* row, int64_t vectors, const PairLanes* vector,
                 int32_t* to);
};

const PairTiles& pair_tiles();

/// Two 16-bit numbers as a pair.
constexpr int32_t pair_of(int16_t first, int16_t second) {
  return static_cast<int32_t>(static_cast<uint32_t>(static_cast<uint16_t>(first)) |
                              static_cast<uint32_t>(static_cast<uint16_t>(second)) << 16);
}

}  // namespace convict::kernels::int8
