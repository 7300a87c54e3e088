// SPDX-License-Identifier: Apache-2.0
#include "certificate/theorem.h"

#include <algorithm>
#include <vector>

namespace convict::certificate {
namespace {

/// Equality is for direct sums, in which nothing rounds and nothing is flushed; and for sums of nothing.
std::string why_not_equal(const DeclaredContract& contract, const Case& c, const judge::ExactElement& exact) {
  if (exact.nonzero == 0) return "";
  if (contract.algorithm != CONVICT_DIRECT) return "the contract declares a transform, which rounds";
  if (contract.flushes_subnormals && c.fill == Fill::kSubnormal) return "the contract flushes subnormals";
  if (contract.matrix_unit.operand_bits > 0) return "the contract rounds operands of the case";
  return "";
}

/// The larger bound is for those who declare it, and the smaller one would frame them.
std::string why_not_winograd(bool moved, const DeclaredContract& contract) {
  const Transforms& own = contract.transforms;
  if (contract.algorithm != CONVICT_WINOGRAD) return "the contract declares no Winograd";
  if (moved && !own.moves_tiles) return "the contract declares no tiles that are moved";
  if (!moved && own.moves_tiles) return "the contract declares that the last tile may be moved";
  if (own.points.empty()) return "";
  std::vector<double> points = own.points;
  std::ranges::sort(points);
  if (static_cast<int64_t>(points.size()) != contract.winograd_m + contract.winograd_r - 2 ||
      std::ranges::adjacent_find(points) != points.end())
    return "its points are not those of a tile: winograd_m + winograd_r - 2 distinct numbers";
  return "";
}

std::string why_not_fft(bool paired, const DeclaredContract& contract) {
  const bool pairs = contract.transforms.pairs_planes;
  if (contract.algorithm != CONVICT_FFT) return "the contract declares no FFT";
  if (paired && !pairs) return "the contract declares no planes that share a transform";
  if (!paired && pairs) return "the contract declares that two planes may share a transform";
  return "";
}

}  // namespace

std::string why_not_given(Bound bound, const DeclaredContract& contract, const Case& c,
                          const judge::ExactElement& exact) {
  const auto only_if = [](bool given, const char* otherwise) { return given ? std::string() : otherwise; };
  switch (bound) {
    case Bound::kEquality: return why_not_equal(contract, c, exact);
    case Bound::kGamma: return "";  // of any order
    case Bound::kGammaBlocked:
      return only_if(contract.summation == CONVICT_BLOCKED && contract.sum_block >= 1,
                     "the contract declares no runs of a block");
    case Bound::kGammaPairwise:
      return only_if(contract.summation == CONVICT_PAIRWISE && !contract.matrix_unit.truncates,
                     "the contract declares no tree of roundings");
    case Bound::kWinograd:
    case Bound::kWinogradMoved: return why_not_winograd(bound == Bound::kWinogradMoved, contract);
    case Bound::kFft:
    case Bound::kFftPaired: return why_not_fft(bound == Bound::kFftPaired, contract);
    case Bound::kSpecialValues:
      return only_if(contract.algorithm == CONVICT_DIRECT, "special values are judged in direct sums only");
    case Bound::kStatistical:
      return only_if(contract.algorithm == CONVICT_DIRECT && contract.summation != CONVICT_ANY_ORDER &&
                         contract.matrix_unit == MatrixUnit(),
                     "roundings are taken for random only in direct sums of one order");
    case Bound::kQuantized:
    case Bound::kTolerance:
    case Bound::kUnknown: break;
  }
  return "it is no theorem about such sums";
}

convict_dtype accumulator_of(const DeclaredContract& contract, const SumTypes& types) {
  const convict_dtype held[] = {contract.min_accumulator, types.output,
                                types.has_products ? types.factors[0] : types.output,
                                types.has_products ? types.factors[1] : types.output};
  if (std::ranges::find(held, CONVICT_F64) != std::end(held)) return CONVICT_F64;
  const bool all_alike = std::ranges::all_of(held, [&](convict_dtype type) { return type == held[0]; });
  return all_alike ? held[0] : CONVICT_F32;  // which holds f16 and bf16, that do not hold each other
}

}  // namespace convict::certificate
