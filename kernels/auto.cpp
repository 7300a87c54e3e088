// SPDX-License-Identifier: Apache-2.0
//
// Chooses the kernel that should be fastest: a matrix times a vector where windows have one position; else, by the
// estimates of cost/estimate.cpp, plain loops for small problems, sliding windows if there are no channels to sum over,
// minimal filtering for dense kernels of 3 with many channels, Fourier transforms for large kernels, matrix products
// for the rest. They are gathered, or scattered for face X with many weights and few positions. F(6, 3) is never
// chosen, and F(4, 3) not at rank 3: they lose digits and are hardly ever faster.
//
// Workspace and numeric contract: those of the chosen kernel. The choice follows from the problem, its number of
// threads included, from the types and shapes of its tensors, and from factors that `convict bench --calibrate` has
// measured on this machine (abi/calibration.h), if there are any. `contract_for`, `workspace_size`, `plan` and
// `run` make the same choice.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>
#include <string>

#include "abi/calibration.h"
#include "kernels/border/native.h"
#include "kernels/cost/estimate.h"
#include "kernels/simd/cells.h"
#include "kernels/simd/tiles.h"

namespace convict::kernels {

extern const NativeKernel kernel_depthwise, kernel_direct, kernel_fft, kernel_implicit_gemm, kernel_int8_gemm,
    kernel_matrix_vector, kernel_scatter_gemm, kernel_winograd_f2, kernel_winograd_f4;

namespace {

struct Candidate {
  const NativeKernel* kernel;
  double (*cycles)(const convict_problem&, int64_t lanes);
};

double cycles_of_direct(const convict_problem& p, int64_t) { return cost::direct_cycles(p); }

double cycles_of_int8(const convict_problem& p, int64_t lanes) {
  return cost::int8_cycles(p, lanes, simd::cell_kernels().members);
}

double cycles_of_f2(const convict_problem& p, int64_t lanes) { return cost::winograd_cycles(p, lanes, 2); }

/// Infinite at rank 3: never chosen.
double cycles_of_f4(const convict_problem& p, int64_t lanes) {
  return p.rank < 3 ? cost::winograd_cycles(p, lanes, 4) : std::numeric_limits<double>::infinity();
}

/// Infinite for windows of one tap: never chosen, and the estimate takes as long as some of these calls.
double cycles_of_fft(const convict_problem& p, int64_t lanes) {
  const bool one_tap = std::all_of(p.kernel, p.kernel + p.rank, [](int64_t taps) { return taps == 1; });
  return one_tap ? std::numeric_limits<double>::infinity() : cost::fft_cycles(p, lanes);
}

const Candidate kCandidates[] = {{&kernel_implicit_gemm, cost::gemm_cycles},   {&kernel_direct, cycles_of_direct},
                                 {&kernel_scatter_gemm, cost::scatter_cycles}, {&kernel_int8_gemm, cycles_of_int8},
                                 {&kernel_depthwise, cost::window_cycles},     {&kernel_winograd_f2, cycles_of_f2},
                                 {&kernel_winograd_f4, cycles_of_f4},          {&kernel_fft, cycles_of_fft}};

int64_t lanes_for(const convict_tensors& t) {
  return border::presence_of(CONVICT_F64, t).some ? simd::tiles<double>().lanes : simd::tiles<float>().lanes;
}

/// As calibrated.
double cycles_of(const Candidate& one, const convict_problem& p, const convict_tensors& t) {
  static const Calibration of_this_user = read_calibration();
  return one.cycles(p, lanes_for(t)) * of_this_user.factor(calibration_key(one.kernel->name, face_of(p.op, p.pass)));
}

bool takes(const convict_implementation& kernel, const convict_problem& p, const convict_tensors& t) {
  return !kernel.unsupported(&kernel, &p, &t);
}

/// The cheapest of the kernels that take the problem. `direct` takes every problem. Nothing is faster than
/// `matrix_vector` where it can be used, and such calls are so short that estimates would take longer.
const NativeKernel& chosen(const convict_problem& p, const convict_tensors& t) {
  if (takes(kernel_matrix_vector, p, t)) return kernel_matrix_vector;
  const Candidate* best = nullptr;
  double least = 0;
  for (const Candidate& one : kCandidates) {
    const double cycles = cycles_of(one, p, t);
    if ((best && cycles >= least) || !takes(*one.kernel, p, t)) continue;  // few are asked whether they take it
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
  const NativeKernel& kernel = chosen(*p, *t);
  return kernel.run(&kernel, p, t, error, error_size);
}

const convict_contract* auto_contract_for(const convict_implementation*, const convict_problem* p,
                                          const convict_tensors* t) {
  return &chosen(*p, *t).contract;
}

size_t auto_workspace_size(const convict_implementation*, const convict_problem* p, const convict_tensors* t) {
  const NativeKernel& kernel = chosen(*p, *t);
  return kernel.abilities.workspace_size(&kernel, p, t);
}

const char* auto_plan(const convict_implementation*, const convict_problem* p, const convict_tensors* t) {
  thread_local std::string text;
  const NativeKernel& kernel = chosen(*p, *t);
  text = kernel.name;
  if (kernel.plan) text += std::string(": ") + kernel.plan(&kernel, p, t);
  if (&kernel == &kernel_matrix_vector) return text.c_str();  // no estimate was asked for
  text += ", of";
  for (const Candidate& one : kCandidates) {
    const double cycles = cycles_of(one, *p, *t);
    if (std::isinf(cycles) || !takes(*one.kernel, *p, *t)) continue;
    char estimate[64];
    std::snprintf(estimate, sizeof estimate, " %s=%.3g", one.kernel->name, cycles);
    text += estimate;
  }
  text += " cycles";
  return text.c_str();
}

}  // namespace

extern const NativeKernel kernel_auto = {
    {"auto", "the native kernel that should be fastest", "convict", border::kDirectContract, auto_unsupported, auto_run,
     auto_plan, auto_contract_for, /*steps=*/nullptr},
    border::native_abilities(auto_workspace_size)};

}  // namespace convict::kernels
