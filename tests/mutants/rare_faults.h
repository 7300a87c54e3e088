// SPDX-License-Identifier: Apache-2.0
//
// R01 to R07: faults that few cases can show, because they take a long sum, a kernel of more than sixteen taps along an
// axis, or a result within a rounding error of a half. Columns as in public_faults.h.
#pragma once

#include "tests/mutants/mutant.h"

namespace convict::mutants {

inline constexpr Mutant kRareFaults[] = {
    {"R01", Fault::kR01, kConv | kConvData | kTransposed, "loses product 4,096 of a sum, and its multiples",
     "conv1d ic=4096 in=1", "conv1d ic=4095 in=1"},
    {"R02", Fault::kR02, kConv | kConvData | kTransposed, "loses product 20,000 of a sum, and its multiples",
     "conv1d ic=20000 in=1", "conv1d ic=19999 in=1"},
    {"R03", Fault::kR03, kEverywhere, "has no weights beyond index 15 of an axis", "conv1d in=17 k=17",
     "conv1d in=17 k=16"},
    {"R04", Fault::kR04, kEverywhere, "has no weights beyond index 16 of an axis", "conv1d in=18 k=18",
     "conv1d in=18 k=17"},
    {"R05", Fault::kR05, kEverywhere, "has no weights beyond index 17 of an axis", "conv1d in=19 k=19",
     "conv1d in=19 k=18"},
    {"R06", Fault::kR06, kConv | kTransposed, "keeps the sums of 8-bit integers in f32",
     "conv1d ic=3000 in=1 dt=s8:s8:s32 fill=positive", "conv1d ic=500 in=1 dt=s8:s8:s32 fill=positive"},
    {"R07", Fault::kR07, kConv | kTransposed, "loses the lowest bit of the multiplier of a requantization",
     "conv1d oc=64 in=1 bias dt=u8:s8:s8 requant=single scale=channel fill=zero",
     "conv1d oc=64 in=1 bias dt=u8:s8:s8 scale=channel fill=zero"},
};

}  // namespace convict::mutants
