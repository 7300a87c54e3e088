// SPDX-License-Identifier: Apache-2.0
#include "run/floating_point.h"

namespace convict::run {
namespace {

#if defined(__x86_64__)
FloatingPointState state() {
  FloatingPointState now;
  asm volatile("fnstenv %0\n\tfldcw %0" : "=m"(now.x87));  // FNSTENV masks exceptions, the control word unmasks them
  now.mxcsr = __builtin_ia32_stmxcsr();
  return now;
}

/// What differs, apart from exception flags. Bits as in Intel's Software Developer's Manual, volume 1, 8.1 and 10.2.3.
std::string_view difference(const FloatingPointState& before, const FloatingPointState& now) {
  constexpr unsigned kRounding = 0x6000, kFlushing = 0x8040, kMasks = 0x1f80;  // of MXCSR; flushing: FTZ and DAZ
  constexpr unsigned kX87Rounding = 0x0c00, kX87Others = 0x033f;               // of its control word; precision, masks
  constexpr unsigned kTop = 0x3800;                                            // of its status word
  const unsigned sse = before.mxcsr ^ now.mxcsr;
  const unsigned x87 = static_cast<unsigned>(before.x87.control ^ now.x87.control);
  const unsigned status = static_cast<unsigned>(before.x87.status ^ now.x87.status);
  if ((sse & kRounding) || (x87 & kX87Rounding)) return "the rounding mode";
  if (sse & kFlushing) return "whether subnormals are flushed to zero";
  if (before.x87.tags != now.x87.tags || (status & kTop))
    return "values on the x87 register stack, as MMX code without EMMS does";
  if ((sse & kMasks) || (x87 & kX87Others)) return "which exceptions trap, or the precision of the x87 unit";
  return {};
}

/// The direction of string instructions, which the ABI wants forward.
bool string_instructions_run_backward() {
  constexpr unsigned long long kDirection = 0x400;
  return (__builtin_ia32_readeflags_u64() & kDirection) != 0;
}
#endif

}  // namespace

#if defined(__x86_64__)
FloatingPoint::FloatingPoint() : before_(state()) {}

std::string_view FloatingPoint::restore() const {
  const bool backward = string_instructions_run_backward();
  if (backward) asm volatile("cld");  // before any code that copies
  const std::string_view changed = difference(before_, state());
  if (!changed.empty()) {
    asm volatile("fninit\n\tfldcw %0" : : "m"(before_.x87.control));  // an empty register stack, as we have it
    __builtin_ia32_ldmxcsr(before_.mxcsr);
  }
  return backward ? "the direction flag" : changed;
}
#else
FloatingPoint::FloatingPoint() { std::fegetenv(&before_); }

std::string_view FloatingPoint::restore() const {
  if (std::fegetround() == FE_TONEAREST) return {};  // we never leave it
  std::fesetenv(&before_);
  return "the rounding mode";
}
#endif

}  // namespace convict::run
