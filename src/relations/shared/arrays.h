// SPDX-License-Identifier: Apache-2.0
//
// Operations of relations on operands: cut, join, flip, stuff, permute. An array without dimensions stands for an
// operand that the call does not have. No operation changes it, so a law reads the same for every pass.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "relations/relation.h"

namespace convict::relations {

int64_t element_count(const Array& array);

/// Positions [begin, end) of dimension `dim`. Positions beyond either end of the array are zeros.
Array part(const Array& array, int dim, int64_t begin, int64_t end);

/// The array reversed along `dim`.
Array flipped(const Array& array, int dim);

/// Puts `step` - 1 zeros between neighbours along `dim`, none at the ends: extent n becomes (n - 1) * step + 1.
Array stuffed(const Array& array, int dim, int64_t step);

/// Every `step`-th position along `dim`, from the first on. Undoes stuffed().
Array thinned(const Array& array, int dim, int64_t step);

/// Concatenates `parts` along `dim`. Precondition: at least one part; other dimensions and types are the same.
Array joined(std::span<const Array> parts, int dim);

/// Dimension i of the result is dimension order[i] of the array.
Array permuted(const Array& array, std::span<const int> order);

/// The same elements in row-major order under other dimensions. Precondition: as many elements.
Array reshaped(const Array& array, std::vector<int64_t> dims);

/// The sum by element; exact for integers below 2^53. Precondition: the same dimensions.
Array sum(const Array& a, const Array& b);
Array times(const Array& array, double factor);

}  // namespace convict::relations
