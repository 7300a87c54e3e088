// SPDX-License-Identifier: Apache-2.0
//
// Products of 8-bit integers by tiles of 32-bit *cells*. A cell holds the members of a sum that one instruction
// multiplies and adds to a sum of 32 bits:
//
//     four bytes, those of the image unsigned, those of the weights signed       vpdpbusd (AVX-512 with VNNI)
//     two numbers of 16 bits, signed                                             pmaddwd (x86), or two products
//
// Neither saturates on the way, so sums are exact modulo 2^32. Bytes less a zero point need 9 bits: they fit the 16,
// but not the 8. There the zero point stays in the image, and sums start at what it adds to them.
#pragma once

#include <cstdint>

#include "kernels/simd/tiles.h"

namespace convict::kernels::simd {

inline constexpr int kMostMembers = 4;
inline constexpr int kNarrowLanes = 8;

/// How a byte becomes a member: byte ^ flip, of which `less` is subtracted if members have 16 bits.
struct MemberOf {
  uint8_t flip;
  int32_t less;
};

/// Lines of bytes that become lines of cells: member i of cell j of line l is first[l*from_line + i*member + j].
struct ByteLines {
  const uint8_t* first;
  int64_t member;
  int64_t members;  // that there are; further ones of a cell repeat the last
  int64_t count;    // cells of a line
  int64_t lines = 1, from_line = 0, to_line = 0;
};

/// The code of an instruction set for cells of one kind.
struct CellKernels {
  int members;           // of a cell
  Tiles<int32_t> tiles;  // of A, the weights, rows are interleaved; there is no `correlate`

  /// The sums of some positions, whose lanes are channels of the result:
  /// c[(v*positions + i)*lanes + lane] = start[v*lanes + lane] + sum over p < depth of the products of the cell of the
  /// image at a + i*a_row + a_place[p], in bytes, with b[(p*vectors + v)*lanes + lane]. Indexed by vectors v, 1 or 2,
  /// and positions i, from 1. Index 0 of the vectors is one, too, of which only the first kNarrowLanes lanes are
  /// computed, if it has more.
  using MultiplyPositions = void (*)(int64_t depth, const uint8_t* a, int64_t a_row, const int64_t* a_place,
                                     const int32_t* b, const int32_t* start, int32_t* c);
  MultiplyPositions positions[3][kMostTileRows + 1];

  /// to[l*to_line + j] = cell j of line l.
  void (*interleave)(const ByteLines& from, MemberOf change, int32_t* to);

  /// to[j] = the cell of from[j*members] and those that follow it, for all of `count` bytes. Members beyond them are 0.
  void (*join)(const uint8_t* from, int64_t count, MemberOf change, int32_t* to);

  /// to[t] = the sum of the members of cells of weights [line*stride + t] over all lines, for t < count. Reads up to
  /// kMostLanes bytes beyond the last one. Only for members of 8 bits.
  void (*sum_members)(int64_t lines, int64_t stride, int64_t count, const int32_t* cells, int32_t* to);
};

/// The best code for this machine, by CONVICT_ISA.
const CellKernels& cell_kernels();

/// The code of the target that Highway has chosen, of two or four members; nullptr if it has none.
const CellKernels* cell_kernels_of(int members);

}  // namespace convict::kernels::simd
