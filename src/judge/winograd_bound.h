#pragma once
#include <span>
#include <vector>
#include "abi/trilinear.h"
namespace convict {
inline bool winograd_applies(const Trilinear<double>&, int, int) { return false; }
inline std::vector<double> winograd_bounds(const Trilinear<double>&, std::span<const double>, std::span<const double>,
                                           std::span<const double>, int, int, double) {
  return {};
}
}  // namespace convict
