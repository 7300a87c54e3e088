// SPDX-License-Identifier: Apache-2.0
//
// Q01 to Q11: typical faults of quantized convolutions.
#pragma once

#include "tests/mutants/mutant.h"

namespace convict::mutants {

/// Columns as in public_faults.h.
inline constexpr Mutant kQuantizedFaults[] = {
    {"Q01", Fault::kQ01, kConv, "multiplies zeros in the padding, where the zero point of src belongs",
     "conv2d in=3 k=3 p=1 dt=u8:s8:s32 zp=5:0", "conv2d in=3 k=3 p=1 dt=u8:s8:s32"},
    {"Q02", Fault::kQ02, kConv | kTransposed, "takes off the zero point of src with the weights of group 0",
     "conv2d g=2 ic=2 oc=2 in=3 k=2 dt=u8:s8:s32 zp=5:0", "conv2d ic=2 oc=2 in=3 k=2 dt=u8:s8:s32 zp=5:0"},
    {"Q03", Fault::kQ03, kConv | kTransposed, "scales all channels by the scale of the first",
     "conv2d ic=4 oc=8 in=3 k=2 dt=u8:s8:f32 scale=channel", "conv2d ic=4 oc=8 in=3 k=2 dt=u8:s8:f32 scale=tensor"},
    {"Q04", Fault::kQ04, kConv | kTransposed, "wraps around instead of saturating",
     "conv2d ic=4 oc=4 in=5 k=3 dt=u8:s8:u8 fill=normal", "conv2d ic=4 oc=4 in=5 k=3 dt=u8:s8:f32 fill=normal"},
    {"Q05", Fault::kQ05, kConv | kTransposed, "rounds halves away from zero",
     "conv2d ic=4 oc=8 in=8 k=3 dt=s8 scale=channel", "conv2d ic=4 oc=8 in=8 k=3 dt=s8:s8:f32 scale=channel"},
    {"Q06", Fault::kQ06, kConv | kTransposed, "applies the ReLU before the old contents are added",
     "conv2d ic=4 oc=4 in=5 k=3 beta=1 relu dt=u8:s8:s32", "conv2d ic=4 oc=4 in=5 k=3 relu dt=u8:s8:s32"},
    {"Q07", Fault::kQ07, kConv | kTransposed, "reads src of u8 as s8", "conv2d ic=2 in=5 k=3 dt=u8:s8:s32 fill=normal",
     "conv2d ic=2 in=5 k=3 dt=u8:s8:s32"},
    {"Q08", Fault::kQ08, kConv | kTransposed, "reads wei as u8", "conv2d ic=2 in=5 k=3 dt=u8:s8:s32",
     "conv2d ic=2 in=5 k=3 dt=u8:s8:s32 fill=ones"},
    {"Q09", Fault::kQ09, kConv | kTransposed, "scales the bias as well",
     "conv2d ic=4 oc=4 in=5 k=3 bias dt=u8:s8:f32 scale=tensor", "conv2d ic=4 oc=4 in=5 k=3 dt=u8:s8:f32 scale=tensor"},
    {"Q10", Fault::kQ10, kConv, "keeps the products of two channels in 16 bits, saturated",
     "conv2d ic=2 in=5 dt=u8:s8:s32 fill=positive", "conv2d ic=2 in=5 dt=u8:s8:s32"},
    {"Q11", Fault::kQ11, kConv | kTransposed, "applies the ReLU to what the zero point of dst was added to",
     "conv2d ic=4 oc=4 in=5 k=3 relu dt=u8:s8:s8 zp=0:-9 scale=tensor",
     "conv2d ic=4 oc=4 in=5 k=3 relu dt=u8:s8:s8 scale=tensor"},
};

}  // namespace convict::mutants
