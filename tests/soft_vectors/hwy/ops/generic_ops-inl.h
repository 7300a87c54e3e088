// SPDX-License-Identifier: Apache-2.0
//
// What Highway makes of a target's operations: nothing of those in x86_512-inl.h, which has all that is needed. No
// include guard: it is included once for each target.
#if HWY_TARGET != HWY_AVX3
#include_next <hwy/ops/generic_ops-inl.h>
#else

// Highway 1.0 tells by these, which change with each target, whether it has been here for the present one.
#ifdef HWY_NATIVE_LOAD_STORE_INTERLEAVED
#undef HWY_NATIVE_LOAD_STORE_INTERLEAVED
#else
#define HWY_NATIVE_LOAD_STORE_INTERLEAVED
#endif
#ifdef HWY_NATIVE_AES
#undef HWY_NATIVE_AES
#else
#define HWY_NATIVE_AES
#endif
#ifdef HWY_NATIVE_POPCNT
#undef HWY_NATIVE_POPCNT
#else
#define HWY_NATIVE_POPCNT
#endif
#ifdef HWY_NATIVE_I64MULLO
#undef HWY_NATIVE_I64MULLO
#else
#define HWY_NATIVE_I64MULLO
#endif
#ifdef HWY_NATIVE_COMPRESS8
#undef HWY_NATIVE_COMPRESS8
#else
#define HWY_NATIVE_COMPRESS8
#endif
#endif
