// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace convict::inline core {

/// The widest vector instruction set of this machine, for the record: "avx512", "avx2", "sse4.2", "neon", "generic".
inline std::string best_isa() {
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw")) return "avx512";
  if (__builtin_cpu_supports("avx2")) return "avx2";
  return __builtin_cpu_supports("sse4.2") ? "sse4.2" : "generic";
#elif defined(__aarch64__)
  return "neon";
#else
  return "generic";
#endif
}

}  // namespace convict::inline core
