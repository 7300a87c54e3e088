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
#include <array>
#include <cmath>
#include <cstdio>
#include <iterator>
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

constexpr double kNever = std::numeric_limits<double>::infinity();

struct Candidate {
  const NativeKernel* kernel;
  double (*cycles)(const cost::Job&, int64_t lanes);
  bool takes_one_tap = true;  // windows of one tap
};

double cycles_of_direct(const cost::Job& job, int64_t) { return cost::direct_cycles(job); }

double cycles_of_int8(const cost::Job& job, int64_t lanes) {
  return cost::int8_cycles(job, lanes, simd::cell_kernels().members);
}

double cycles_of_f2(const cost::Job& job, int64_t lanes) { return cost::winograd_cycles(job, lanes, 2); }

double cycles_of_f4(const cost::Job& job, int64_t lanes) {
  return job.rank == 3 ? kNever : cost::winograd_cycles(job, lanes, 4);
}

const Candidate kCandidates[] = {{&kernel_implicit_gemm, cost::gemm_cycles},
                                 {&kernel_direct, cycles_of_direct},
                                 {&kernel_scatter_gemm, cost::scatter_cycles},
                                 {&kernel_int8_gemm, cycles_of_int8},
                                 {&kernel_depthwise, cost::window_cycles},
                                 {&kernel_winograd_f2, cycles_of_f2, /*takes_one_tap=*/false},
                                 {&kernel_winograd_f4, cycles_of_f4, /*takes_one_tap=*/false},
                                 {&kernel_fft, cost::fft_cycles, /*takes_one_tap=*/false}};
constexpr size_t kFaces = 3;

/// What this user's calibration multiplies the estimates with, by face.
using Factors = std::array<std::array<double, std::size(kCandidates)>, kFaces>;

Factors read_factors() {
  const Calibration calibration = read_calibration();
  Factors factors;
  for (const Face face : {Face::kX, Face::kW, Face::kY})
    for (size_t i = 0; i < std::size(kCandidates); ++i)
      factors[static_cast<size_t>(face)][i] = calibration.factor(calibration_key(kCandidates[i].kernel->name, face));
  return factors;
}

int64_t lanes_for(const convict_tensors& t) {
  return border::presence_of(CONVICT_F64, t).some ? simd::tiles<double>().lanes : simd::tiles<float>().lanes;
}

bool takes(const convict_implementation& kernel, const convict_problem& p, const convict_tensors& t) {
  return !kernel.unsupported(&kernel, &p, &t);
}

/// The estimates of all candidates, as calibrated. Infinite, which is never chosen, for kernels that do not take
/// windows of one tap: these would be asked each time, and the estimate of `fft` takes as long as some of these calls.
class Estimates {
 public:
  Estimates(const convict_problem& p, const convict_tensors& t)
      : job_(p),
        lanes_(lanes_for(t)),
        one_tap_(volume(job_.form.kernel) == 1),
        factors_(factors()[static_cast<size_t>(job_.form.face)]) {}

  double cycles(size_t candidate) const {
    const Candidate& one = kCandidates[candidate];
    return one_tap_ && !one.takes_one_tap ? kNever : one.cycles(job_, lanes_) * factors_[candidate];
  }

 private:
  static const Factors& factors() {
    static const Factors of_this_user = read_factors();
    return of_this_user;
  }

  cost::Job job_;
  int64_t lanes_;
  bool one_tap_;
  const Factors::value_type& factors_;
};

/// The cheapest of the kernels that take the problem. `direct` takes every problem. Nothing is faster than
/// `matrix_vector` where it can be used, and such calls are so short that estimates would take longer.
const NativeKernel& chosen(const convict_problem& p, const convict_tensors& t) {
  if (takes(kernel_matrix_vector, p, t)) return kernel_matrix_vector;
  const Estimates estimates(p, t);
  const NativeKernel* best = nullptr;
  double least = 0;
  for (size_t i = 0; i < std::size(kCandidates); ++i) {
    const double cycles = estimates.cycles(i);
    if ((best && cycles >= least) || !takes(*kCandidates[i].kernel, p, t)) continue;  // few are asked
    best = kCandidates[i].kernel;
    least = cycles;
  }
  return *best;
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
  const Estimates estimates(*p, *t);
  for (size_t i = 0; i < std::size(kCandidates); ++i) {
    const NativeKernel& one = *kCandidates[i].kernel;
    const double cycles = estimates.cycles(i);
    if (std::isinf(cycles) || !takes(one, *p, *t)) continue;
    char estimate[64];
    std::snprintf(estimate, sizeof estimate, " %s=%.3g", one.name, cycles);
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
