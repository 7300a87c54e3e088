// SPDX-License-Identifier: Apache-2.0
//
// Which of Highway's targets the vector code is compiled for; to be included before any of Highway's headers. Left out:
// those that differ in nothing that is used here from a neighbour, and those whose vectors have no constant size, for
// sums are kept in arrays of vectors.
#pragma once

#define HWY_DISABLED_TARGETS (HWY_SSSE3 | HWY_AVX3_DL | HWY_SVE | HWY_SVE2 | HWY_SVE_256 | HWY_SVE2_128 | HWY_RVV)
