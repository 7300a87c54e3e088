// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "abi/convict.h"

namespace convict::inline core {

/// What one implementation did with one problem, as far as its process survived it.
struct Outcome {
  enum class Kind { kComputed, kRefused, kFailed, kWrongShape, kOutOfMemory };
  Kind kind = Kind::kComputed;
  std::string text;            // its reason or error, one line
  std::string_view overrun;    // the output beside which it wrote, if any
  std::string_view left = {};  // what of the floating-point environment it did not put back, if anything
};

}  // namespace convict::inline core
