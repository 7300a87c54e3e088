// SPDX-License-Identifier: Apache-2.0
//
// The kernels winograd_f2, winograd_f4 and winograd_f6, which differ only in m.
#pragma once

#include "kernels/border/native.h"
#include "kernels/winograd/plan.h"

namespace convict::kernels::winograd {

template <int m>
struct Kernel : border::Planned<Kernel<m>> {
  static const char* unsuited(const convict_problem& p) {
    if (const char* complaint = simd::isa_complaint()) return complaint;
    return winograd::unsuited(p, m);
  }

  template <class Use>
  static auto with_plan(const Trilinear<float>& form, const Use& use) {
    return use(Plan(form, m));
  }
};

}  // namespace convict::kernels::winograd
