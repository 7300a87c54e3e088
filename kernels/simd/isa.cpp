// SPDX-License-Identifier: Apache-2.0
#include "kernels/simd/isa.h"

#include <hwy/highway.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <iterator>
#include <string>
#include <string_view>

namespace convict::kernels::simd {
namespace {

struct Cap {
  std::string_view word;
  int64_t forbidden;  // Highway's targets beyond it
};

// The better a target of an architecture, the lower its bit, also those that later versions of Highway know.
constexpr int64_t kBeyondAvx2 = HWY_AVX2 - 1, kBeyondSse4 = HWY_SSE4 - 1;
constexpr Cap kCaps[] = {
    {"baseline", kBeyondSse4 | HWY_SSE4 | HWY_SSSE3}, {"sse4", kBeyondSse4}, {"avx2", kBeyondAvx2}, {"avx512", 0}};

/// Follows CONVICT_ISA and returns what is wrong with it, if anything is.
std::string follow_environment() {
  const char* wanted = std::getenv("CONVICT_ISA");
  const bool unset = !wanted || !*wanted;
  const Cap* cap = std::ranges::find(kCaps, std::string_view(unset ? "avx512" : wanted), &Cap::word);
  if (cap != std::end(kCaps)) {
    if (cap->forbidden != 0) hwy::DisableTargets(cap->forbidden);
    hwy::GetChosenTarget().Update(hwy::SupportedTargets());  // now, or every pointer to a function would ask again
    return "";
  }
  return "CONVICT_ISA is '" + std::string(wanted) + "'; valid: baseline, sse4, avx2, avx512";
}

const std::string& complaint() {
  static const std::string text = follow_environment();
  return text;
}

}  // namespace

void cap_isa() { complaint(); }

const char* isa_complaint() { return complaint().empty() ? nullptr : complaint().c_str(); }

const char* isa_word(long long hwy_target) {
  switch (hwy_target) {
    case HWY_AVX3_DL:
    case HWY_AVX3: return "avx512";
    case HWY_AVX2: return "avx2";
    case HWY_SSE4: return "sse4";
    case HWY_NEON: return "neon";
    default: return "baseline";
  }
}

}  // namespace convict::kernels::simd
