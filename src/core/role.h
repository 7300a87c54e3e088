// SPDX-License-Identifier: Apache-2.0
//
// The operands of the ABI by role, for code that treats them alike.
#pragma once

#include <array>
#include <string_view>

#include "abi/convict.h"

namespace convict::inline core {

struct Role {
  std::string_view name;
  convict_tensor convict_tensors::*tensor;
  bool is_output[4];  // by convict_pass
};

inline constexpr std::array<Role, 11> kRoles = {{
    {"src", &convict_tensors::src, {false, false, false, false}},
    {"wei", &convict_tensors::wei, {false, false, false, false}},
    {"bias", &convict_tensors::bias, {false, false, false, false}},
    {"dst", &convict_tensors::dst, {false, true, false, false}},
    {"diff_src", &convict_tensors::diff_src, {false, false, true, false}},
    {"diff_wei", &convict_tensors::diff_wei, {false, false, false, true}},
    {"diff_bias", &convict_tensors::diff_bias, {false, false, false, true}},
    {"diff_dst", &convict_tensors::diff_dst, {false, false, false, false}},
    {"scale", &convict_tensors::scale, {false, false, false, false}},
    {"multiplier", &convict_tensors::multiplier, {false, false, false, false}},
    {"shift", &convict_tensors::shift, {false, false, false, false}},
}};

}  // namespace convict::inline core
