// SPDX-License-Identifier: Apache-2.0
//
// The kernels winograd_f2, winograd_f4 and winograd_f6, which differ only in m.
#pragma once

#include <string>

#include "kernels/border/native.h"
#include "kernels/winograd/plan.h"

namespace convict::kernels::winograd {

template <int m>
struct Kernel {
  static const char* unsuited(const convict_problem& p) {
    if (const char* complaint = simd::isa_complaint()) return complaint;
    return winograd::unsuited(p, m);
  }

  static std::string plan(const Trilinear<float>& form) { return Plan(form, m).text(); }

  static int64_t workspace(const Trilinear<float>& form) { return Plan(form, m).workspace.bytes(); }

  static void run(const Trilinear<float>& form) {
    Plan plan(form, m);
    compute(plan);
  }
};

}  // namespace convict::kernels::winograd
