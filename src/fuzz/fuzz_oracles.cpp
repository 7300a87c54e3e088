// SPDX-License-Identifier: Apache-2.0
//
// The same as fuzz_kernels, with LibTorch and oneDNN loaded as witnesses. What they get wrong is printed and does not
// end the run; where they crash, run it with -fork=1 -ignore_crashes=1, or as `convict fuzz --engine libfuzzer`.
#include <cstddef>
#include <cstdint>

#include "abi/element.h"
#include "core/implementation.h"
#include "fuzz/shared/examiner.h"
#include "fuzz/shared/record.h"

/// What oneDNN is known to die of (docs/findings-by-hand.md, 14 and 17): in one process nothing would come after it.
/// `convict fuzz`, where each death costs one case, leaves nothing out.
static bool is_deadly(const convict::Case& c) {
  const bool fused = c.relu || c.beta != 0 || convict::is_integer(c.src_type);
  return fused && c.op == CONVICT_CONV_TRANSPOSE && (c.views.dst || c.batch == 0);
}

/// LeakSanitizer: what the vendors' libraries keep for good, by library. Our own leaks are reported.
extern "C" const char* __lsan_default_suppressions() {
  return "leak:libtorch_cpu.so\n"  // operator registries, filled by static initialisers and never freed
         "leak:libdnnl.so\n"       // the cache of primitives lives as long as the process
         "leak:libgomp.so\n"       // teams of threads
         "leak:libomp.so\n";
}

/// AddressSanitizer would fill what is allocated, a good part of its cost here; reads beyond are found all the same.
extern "C" const char* __asan_default_options() { return "max_malloc_fill_size=0:malloc_context_size=4"; }

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static convict::fuzz::Examiner examiner(convict::run::load_roster({}, convict::native_kernels()).subjects);
  const convict::Case c = convict::fuzz::decode({data, size});
  if (!is_deadly(c)) examiner.examine(c);
  return 0;
}
