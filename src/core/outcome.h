// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace convict::inline core {

/// What one implementation did with one problem, if its process survived.
struct Outcome {
  enum class Kind { kComputed, kRefused, kFailed, kWrongShape, kOutOfMemory };
  Kind kind = Kind::kComputed;
  std::string text;              // the reason or error, one line
  std::string_view overrun;      // the output beside which it wrote, if any
  std::string side_effect = {};  // what it has done to the process or to memory beside its task, in words; or empty
};

}  // namespace convict::inline core
