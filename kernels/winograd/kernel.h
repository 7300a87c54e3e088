// SPDX-License-Identifier: Apache-2.0
//
// What the kernels winograd_f2, winograd_f4 and winograd_f6 have in common: all but m.
#pragma once

#include <string>

#include "abi/convict.h"
#include "kernels/border/bias.h"
#include "kernels/border/native.h"
#include "kernels/winograd/plan.h"
#include "kernels/winograd/product.h"

namespace convict {

template <int m>
struct Winograd {
  static const char* unsuited(const convict_problem& p) {
    if (const char* complaint = isa_complaint()) return complaint;
    return winograd_unsuited(p, m);
  }

  static std::string plan(const Trilinear<float>& form) {
    return has_products(form) ? WinogradPlan(form, m).text() : "empty";
  }

  static void run(const Trilinear<float>& form) {
    if (!has_products(form)) return start_output(form);
    WinogradPlan plan(form, m);
    winograd_product(plan);
  }
};

}  // namespace convict
