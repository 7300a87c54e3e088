// SPDX-License-Identifier: Apache-2.0
//
// What the processor of this machine is, as Linux names it in /proc/cpuinfo. Libraries choose their code by it.
#pragma once

#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace convict::inline core {

/// The model of the first processor; "unknown" where Linux does not tell.
std::string processor_model();

/// Its features: "avx2", "avx512_bf16", "amx_tile".
const std::set<std::string>& processor_features();

/// Features that a processor must have, and such that it must not have: "avx512_bf16 without amx_tile".
class ProcessorNeeds {
 public:
  /// Throws UsageError for anything that text() does not print.
  static ProcessorNeeds parse(std::string_view text);

  bool met_by(const std::set<std::string>& features) const;

  /// "" for any processor.
  std::string text() const;

  bool operator==(const ProcessorNeeds&) const = default;

 private:
  std::vector<std::string> with_, without_;
};

/// The widest vector instruction set of this machine, for the record: "avx512", "avx2", "sse4.2", "neon", "generic".
inline std::string best_isa() {
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw")) return "avx512";
  if (__builtin_cpu_supports("avx2")) return "avx2";
  return __builtin_cpu_supports("sse4.2") ? "sse4.2" : "generic";
#elif defined(__aarch64__)
  return "neon";
#else
  return "generic";
#endif
}

}  // namespace convict::inline core
