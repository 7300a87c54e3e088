// SPDX-License-Identifier: Apache-2.0
#include "kernels/simd/isa.h"

#include <hwy/highway.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <iterator>
#include <string>
#include <string_view>

#include "kernels/simd/machine.h"

// What dispatching needs of Highway's library, which measures a clock whenever a process loads it: 5 of the 12 ms that
// a worker took to start. So the linker drops the library. Elsewhere than on x86 it is loaded.
#if HWY_ARCH_X86
namespace hwy {

/// Of the instruction sets that kernels are compiled for. All processors with these bits have the rest of what Highway
/// compiles for: LZCNT and F16C came with AVX2.
int64_t SupportedTargets() {
  int64_t targets = HWY_SSE4;  // CMakeLists.txt compiles the whole program for it
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("bmi2"))
    targets |= HWY_AVX2;
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512cd") &&
      __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl"))
    targets |= HWY_AVX3;
  return targets;
}

ChosenTarget& GetChosenTarget() {
  static ChosenTarget chosen;
  return chosen;
}

}  // namespace hwy
#endif

namespace convict::kernels::simd {
namespace {

struct Cap {
  std::string_view word;
  int64_t forbidden;  // Highway's targets beyond it
  bool vnni;          // Highway has no target for AVX-512 with no more than VNNI
};

// The better a target of an architecture, the lower its bit, also those that later versions of Highway know.
constexpr int64_t kBeyondAvx2 = HWY_AVX2 - 1, kBeyondSse4 = HWY_SSE4 - 1;
constexpr Cap kCaps[] = {
    {"baseline", kBeyondSse4, false}, {"avx2", kBeyondAvx2, false}, {"avx512", 0, false}, {"avx512_vnni", 0, true}};

/// What CONVICT_ISA leaves, and what is wrong with it, if anything is.
struct Followed {
  bool vnni = false;
  std::string complaint;
};

Followed follow_environment() {
  const char* wanted = std::getenv("CONVICT_ISA");
  const bool unset = !wanted || !*wanted;
  const Cap* cap = std::ranges::find(kCaps, std::string_view(unset ? "avx512_vnni" : wanted), &Cap::word);
  if (cap == std::end(kCaps))
    return {false, "CONVICT_ISA is '" + std::string(wanted) + "'; valid: baseline, avx2, avx512, avx512_vnni"};
  const Machine machine = this_machine();
  hwy::GetChosenTarget().Update(machine.targets & ~cap->forbidden);  // now, or every table would ask again
  return {cap->vnni && machine.vnni, ""};
}

const Followed& followed() {
  static const Followed once = follow_environment();
  return once;
}

}  // namespace

void cap_isa() { followed(); }

bool has_vnni() { return followed().vnni; }

int64_t narrow_target(int64_t bytes) { return bytes <= 16 ? HWY_SSE4 : bytes <= 32 ? HWY_AVX2 : 0; }

const char* isa_complaint() {
  const std::string& complaint = followed().complaint;
  return complaint.empty() ? nullptr : complaint.c_str();
}

const char* isa_word(long long hwy_target) {
  switch (hwy_target) {
    case HWY_AVX3_DL:
    case HWY_AVX3: return "avx512";
    case HWY_AVX2: return "avx2";
    case HWY_NEON: return "neon";
    default: return "baseline";
  }
}

}  // namespace convict::kernels::simd
