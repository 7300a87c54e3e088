// SPDX-License-Identifier: Apache-2.0
//
// The kernel that should be fastest, by a cost model that fits on one page (shared/estimate.cpp): plain loops where
// there is little to do, windows where there are no channels to sum over, matrix products elsewhere.
//
// Workspace and numeric contract: those of the kernel chosen, which are all direct sums in any order.
#include <cstdio>
#include <string>

#include "kernels/shared/estimate.h"
#include "kernels/shared/native.h"
#include "kernels/shared/tiles.h"

namespace convict {

extern const convict_implementation kernel_depthwise, kernel_direct, kernel_implicit_gemm;

namespace {

struct Candidate {
  const convict_implementation* kernel;
  double (*cycles)(const convict_problem&, int64_t lanes);
};

double cycles_of_direct(const convict_problem& p, int64_t) { return direct_cycles(p); }

const Candidate kCandidates[] = {
    {&kernel_direct, cycles_of_direct}, {&kernel_implicit_gemm, gemm_cycles}, {&kernel_depthwise, window_cycles}};

int64_t lanes_for(const convict_tensors& t) {
  return presence_of(CONVICT_F64, t).some ? tiles<double>().lanes : tiles<float>().lanes;
}

/// The cheapest of those who take the problem: `direct` takes every one.
const convict_implementation& chosen(const convict_problem& p, const convict_tensors& t) {
  const Candidate* best = nullptr;
  double least = 0;
  for (const Candidate& one : kCandidates) {
    if (one.kernel->unsupported(one.kernel, &p, &t)) continue;
    const double cycles = one.cycles(p, lanes_for(t));
    if (best && cycles >= least) continue;
    best = &one;
    least = cycles;
  }
  return *best->kernel;
}

const char* auto_unsupported(const convict_implementation*, const convict_problem* p, const convict_tensors* t) {
  return kernel_direct.unsupported(&kernel_direct, p, t);
}

convict_status auto_run(const convict_implementation*, const convict_problem* p, const convict_tensors* t, char* error,
                        size_t error_size) {
  const convict_implementation& kernel = chosen(*p, *t);
  return kernel.run(&kernel, p, t, error, error_size);
}

const char* auto_plan(const convict_implementation*, const convict_problem* p, const convict_tensors* t) {
  thread_local std::string text;
  const convict_implementation& kernel = chosen(*p, *t);
  text = kernel.name;
  if (kernel.plan) text += std::string(": ") + kernel.plan(&kernel, p, t);
  text += ", of";
  for (const Candidate& one : kCandidates) {
    if (one.kernel->unsupported(one.kernel, p, t)) continue;
    char cycles[64];
    std::snprintf(cycles, sizeof cycles, " %s=%.2g", one.kernel->name, one.cycles(*p, lanes_for(*t)));
    text += cycles;
  }
  text += " cycles";
  return text.c_str();
}

}  // namespace

extern const convict_implementation kernel_auto = {"auto",           "the native kernel that should be fastest",
                                                   "convict",        kDirectContract,
                                                   auto_unsupported, auto_run,
                                                   auto_plan,        nullptr,
                                                   nullptr};

}  // namespace convict
