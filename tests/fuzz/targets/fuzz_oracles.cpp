// SPDX-License-Identifier: Apache-2.0
//
// bytes -> a legal case -> all native kernels, with LibTorch and oneDNN as witnesses. Prints the witnesses' mismatches
// and goes on. Against their crashes, use -fork=1 -ignore_crashes=1, or `convict fuzz --engine libfuzzer`.
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

#include "abi/native_kernel.h"
#include "core/cause.h"
#include "fuzz/record.h"
#include "tests/fuzz/targets/examiner.h"

/// Whether a known cause damages memory with this case, at once or where a later call meets it: that would end this
/// process. `convict fuzz` runs such cases too, because there a death costs one case.
static bool is_deadly(const convict::Case& c) {
  using convict::Verdict;
  constexpr std::array kDeadly = {Verdict::kCrash,      Verdict::kHang,         Verdict::kOom,
                                  Verdict::kOutOfBounds, Verdict::kInputWritten, Verdict::kSideEffect};
  return std::ranges::any_of(convict::shipped_causes(), [&](const convict::Cause& cause) {
    return (cause.suspect.starts_with("onednn") || cause.suspect.starts_with("libtorch")) &&
           std::ranges::find_first_of(cause.verdicts, kDeadly) != cause.verdicts.end() &&
           std::ranges::any_of(cause.when, [&](const convict::Predicate& when) { return when.holds(c); });
  });
}

/// LeakSanitizer: suppresses memory that the vendors' libraries never free, by library. Reports our own leaks.
extern "C" const char* __lsan_default_suppressions() {
  return "leak:libtorch_cpu.so\n"  // operator registries, filled by static initialisers and never freed
         "leak:libdnnl.so\n"       // the cache of primitives lives as long as the process
         "leak:libgomp.so\n"       // teams of threads
         "leak:libomp.so\n";
}

/// AddressSanitizer's fill of allocations is a large part of its cost here, and not needed to find reads out of bounds.
extern "C" const char* __asan_default_options() { return "max_malloc_fill_size=0:malloc_context_size=4"; }

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static convict::fuzz::Examiner examiner(convict::run::load_roster({}, convict::native_kernels()).subjects);
  const convict::Case c = convict::fuzz::decode({data, size});
  if (!is_deadly(c)) examiner.examine(c);
  return 0;
}
