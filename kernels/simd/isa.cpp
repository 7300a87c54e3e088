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
