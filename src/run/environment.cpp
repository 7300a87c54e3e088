// SPDX-License-Identifier: Apache-2.0
#include "run/environment.h"

#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

namespace convict::run {
namespace {

// Static, because a handler of fork() gets no argument.
volatile bool is_forked_copy = false;

void on_forked() {
  is_forked_copy = true;
  prctl(PR_SET_PDEATHSIG, SIGKILL);
}

/// The setting of floating-point arithmetic that differs, apart from exception flags.
#if defined(__x86_64__)
std::string_view difference(const std::fenv_t& before, const std::fenv_t& now) {
  constexpr unsigned kRounding = 0x6000, kFlushing = 0x8040, kMasks = 0x1f80;  // of MXCSR; flushing: FTZ and DAZ
  constexpr unsigned kX87Rounding = 0x0c00, kX87Others = 0x033f;               // of its control word; precision, masks
  const unsigned sse = before.__mxcsr ^ now.__mxcsr;
  const unsigned x87 = static_cast<unsigned>(before.__control_word ^ now.__control_word);
  if ((sse & kRounding) || (x87 & kX87Rounding)) return "the rounding mode";
  if (sse & kFlushing) return "whether subnormals are flushed to zero";
  if ((sse & kMasks) || (x87 & kX87Others)) return "which exceptions trap, or the precision of the x87 unit";
  return {};
}
#else
std::string_view difference(const std::fenv_t&, const std::fenv_t&) {
  return std::fegetround() == FE_TONEAREST ? std::string_view() : "the rounding mode";  // we never leave it
}
#endif

}  // namespace

std::string_view FloatingPoint::restore() const {
  std::fenv_t now;
  std::fegetenv(&now);
  const std::string_view changed = difference(before_, now);
  if (!changed.empty()) std::fesetenv(&before_);
  return changed;
}

void expect_forks() { pthread_atfork(nullptr, nullptr, on_forked); }

void end_if_unfit(FlightRecord& record) {
  if (is_forked_copy) _exit(0);
  const int32_t ours = record.watched_descriptor;
  if (ours < 0 || fcntl(ours, F_GETFD) >= 0) return;
  record.closed_descriptor = 1;
  _exit(1);
}

uint64_t peak_resident_bytes() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<uint64_t>(usage.ru_maxrss) * 1024;
}

}  // namespace convict::run
