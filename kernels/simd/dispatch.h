// SPDX-License-Identifier: Apache-2.0
//
// Compiles a .cpp file once for every instruction set, and chooses one at run time (Highway). Such a file defines
// HWY_TARGET_INCLUDE as its own path and includes this header before any of Highway's. Its vector code stands in
// <namespace>::HWY_NAMESPACE, between HWY_BEFORE_NAMESPACE() and HWY_AFTER_NAMESPACE(); CONVICT_DISPATCH follows.
//
// The least of them is what the whole program is compiled for: x86-64-v2 or NEON. Left out are targets that differ in
// nothing used here from a neighbour, which are all beyond AVX-512 as Skylake has it and beyond NEON: the better a
// target, the lower its bit, also those that later versions of Highway know. Targets whose vectors have no constant
// size are left out, too, because sums are kept in arrays of vectors.
//
// No include guard: Highway includes the .cpp file, and so this header, once for each target.
#include "kernels/simd/isa.h"

#undef HWY_DISABLED_TARGETS
#define HWY_DISABLED_TARGETS (((HWY_ARCH_ARM ? HWY_NEON : HWY_AVX3) - 1) | HWY_RVV)
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include <algorithm>
#include <utility>

/// Defines `Type accessor()`: what function() returns for the best instruction set that CONVICT_ISA allows. It is a
/// macro because HWY_EXPORT is one, and so only a macro can name the function in every target's namespace.
#undef CONVICT_DISPATCH
#undef CONVICT_DISPATCH_BY_BYTES
#undef CONVICT_DISPATCH_TYPES
#if HWY_ONCE
#define CONVICT_DISPATCH(Type, accessor, function) \
  HWY_EXPORT(function);                            \
  Type accessor() {                                \
    ::convict::kernels::simd::cap_isa();           \
    return HWY_DYNAMIC_DISPATCH(function)();       \
  }

/// Defines `Type accessor(int64_t bytes)`: the same for narrow_target(bytes), if that is not beyond CONVICT_ISA.
#if HWY_IDE || (HWY_TARGETS & (HWY_TARGETS - 1)) == 0  // there is one version
#define CONVICT_DISPATCH_BY_BYTES(Type, accessor, function) \
  HWY_EXPORT(function);                                     \
  Type accessor(int64_t) { return HWY_STATIC_DISPATCH(function)(); }
#else
#define CONVICT_DISPATCH_BY_BYTES(Type, accessor, function)                                        \
  HWY_EXPORT(function);                                                                            \
  Type accessor(int64_t bytes) {                                                                   \
    ::convict::kernels::simd::cap_isa();                                                           \
    const size_t best = hwy::GetChosenTarget().GetIndex(); /* the worse a target, the larger */    \
    const int64_t target = ::convict::kernels::simd::narrow_target(bytes) & HWY_TARGETS;           \
    hwy::ChosenTarget narrow;                                                                      \
    narrow.Update(target);                                                                         \
    return HWY_DISPATCH_TABLE(function)[target == 0 ? best : std::max(best, narrow.GetIndex())](); \
  }
#endif

/// Defines `template <class T> const Table<T>& accessor()` for float and double: function() returns a reference to a
/// std::pair of both tables.
#define CONVICT_DISPATCH_TYPES(Table, accessor, function)        \
  HWY_EXPORT(function);                                          \
  template <class T>                                             \
  const Table<T>& accessor() {                                   \
    ::convict::kernels::simd::cap_isa();                         \
    return std::get<Table<T>>(HWY_DYNAMIC_DISPATCH(function)()); \
  }                                                              \
  template const Table<float>& accessor();                       \
  template const Table<double>& accessor();
#else
#define CONVICT_DISPATCH(Type, accessor, function)
#define CONVICT_DISPATCH_BY_BYTES(Type, accessor, function)
#define CONVICT_DISPATCH_TYPES(Table, accessor, function)
#endif
