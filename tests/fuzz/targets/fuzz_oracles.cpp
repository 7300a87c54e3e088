// SPDX-License-Identifier: Apache-2.0
//
// bytes -> a legal case -> all native kernels, with LibTorch and oneDNN as witnesses. Prints the witnesses' mismatches
// and goes on. Against their crashes, use -fork=1 -ignore_crashes=1, or `convict fuzz --engine libfuzzer`.
#include <cstddef>
#include <cstdint>

#include "abi/element.h"
#include "core/geometry.h"
#include "core/implementation.h"
#include "fuzz/record.h"
#include "tests/fuzz/targets/examiner.h"

/// Cases known to crash oneDNN (docs/findings/onednn-transposed-view.md, onednn-integers-empty-batch.md,
/// onednn-integers-one-channel.md, onednn-conv3d-dilated-unit-kernel.md), which would end this process. `convict fuzz`
/// runs them too, because there a death costs one case.
static bool is_deadly(const convict::Case& c) {
  const bool integers = convict::is_integer(c.src_type), fused = c.relu || c.beta != 0 || integers;
  const convict_problem p = convict::resolve(c).problem;
  if (integers && (c.ic == 1 || c.oc == 1 || p.in[0] * p.in[1] * p.in[2] == 1 || p.out[0] * p.out[1] * p.out[2] == 1))
    return true;
  if (c.rank == 3 && c.kernel == convict::Axes{1, 1, 1} && c.dilation != convict::Axes{1, 1, 1}) return true;
  return fused && c.op == CONVICT_CONV_TRANSPOSE && (c.views.dst || c.batch == 0);
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
