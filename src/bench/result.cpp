// SPDX-License-Identifier: Apache-2.0
#include "bench/result.h"

namespace convict::bench {

std::optional<double> BenchRow::gflops(const std::string& name) const {
  const auto timing = timings.find(name);
  return timing == timings.end() ? std::nullopt : std::optional(1e-9 * flops / timing->second.best);
}

}  // namespace convict::bench
