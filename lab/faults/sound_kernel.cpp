// SPDX-License-Identifier: Apache-2.0
#include "lab/faults/sound_kernel.h"

#include <algorithm>
#include <string_view>

#include "abi/native_kernel.h"

namespace convict::faults {

const convict_implementation& sound_kernel() {
  static const convict_implementation& sound =
      **std::ranges::find(native_kernels(), std::string_view("direct"),
                          [](const convict_implementation* one) { return std::string_view(one->name); });
  return sound;
}

}  // namespace convict::faults
