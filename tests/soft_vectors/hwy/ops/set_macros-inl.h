// SPDX-License-Identifier: Apache-2.0
//
// Highway's settings of each target, but code for AVX-512 is compiled for AVX2. No include guard: the settings change
// with HWY_TARGET.
#include_next <hwy/ops/set_macros-inl.h>

#if HWY_TARGET == HWY_AVX3
#undef HWY_TARGET_STR
#define HWY_TARGET_STR HWY_TARGET_STR_AVX2
#endif
