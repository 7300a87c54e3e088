// SPDX-License-Identifier: Apache-2.0
//
// bytes -> a legal case -> all native kernels, judged by the exact reference and the metamorphic relations.
#include <cstddef>
#include <cstdint>
#include <vector>

#include "abi/native_kernel.h"
#include "fuzz/record.h"
#include "tests/fuzz/targets/examiner.h"

namespace {

std::vector<convict::run::Subject> all_kernels() {
  std::vector<convict::run::Subject> subjects;
  for (const convict::NativeKernel* kernel : convict::native_kernels())
    subjects.push_back({.implementation = kernel, .is_target = true, .abilities = kernel->abilities});
  return subjects;
}

}  // namespace

/// AddressSanitizer's fill of allocations is a large part of its cost here, and not needed to find reads out of bounds.
extern "C" const char* __asan_default_options() { return "max_malloc_fill_size=0:malloc_context_size=4"; }

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static convict::fuzz::Examiner examiner(all_kernels());
  examiner.examine(convict::fuzz::decode({data, size}));
  return 0;
}
