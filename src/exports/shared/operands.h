// SPDX-License-Identifier: Apache-2.0
//
// What every export is made of: the operands of a case as numbers, and what must come out.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "exports/exporter.h"

namespace convict::exports {

/// A tensor of the pass: where the case puts its elements, and which numbers they are.
struct NamedTensor {
  std::string_view role;
  convict_tensor layout{};     // without data
  std::vector<double> values;  // in logical row-major order; numbers that layout.dtype holds exactly
};

/// An output and what it is held to. A result `got` is right if it equals `values`, NaN for NaN, or if its bound is
/// not 0 and |got - exact| <= bound. Where exact + bound leaves the range of the type, an infinity is right too.
struct RequiredTensor {
  NamedTensor tensor;         // the exact values, rounded once to its type
  std::vector<double> exact;  // the exact values, rounded to double
  std::vector<double> bounds;
  std::vector<double> old;  // its contents before the call, where there is beta

  bool by_equality() const;  // all bounds are 0
};

struct Operands {
  convict_problem problem{};
  std::vector<NamedTensor> inputs;      // in the order of kRoles
  std::vector<RequiredTensor> outputs;  // the main output first
  std::string rule;                     // what outputs are held to, in words

  const NamedTensor* input(std::string_view role) const;  // or nullptr
};

/// Draws the data and computes every output exactly. The element that a certificate speaks of is held to the bound
/// stated there; the others to that of a plain sum in the declared accumulator, or to nothing if the bound is one of a
/// transform. Precondition: the case is legal and not too_large().
Operands operands_of(const ExportRequest& request);

/// Why a case is too large to be exported at all, with the number; or nothing.
std::string too_large(const Case& c);

/// The same for formats in which every number is spelt out: more than 2^20 elements.
std::string too_long_to_spell(const Case& c);

}  // namespace convict::exports
