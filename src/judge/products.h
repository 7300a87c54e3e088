// SPDX-License-Identifier: Apache-2.0
//
// The sums of the trilinear form, with what the judge wants to know about them. This is where the exact reference
// spends its time, so rows of products are added at once.
#pragma once

#include "abi/trilinear.h"
#include "judge/expected.h"

namespace convict::judge {

/// The operands of the form, dense and in its order: X[n][c][i], W[k][c][r], Y[n][k][o]. In W, c counts within the
/// group and k over all groups. The computed operand is empty.
template <class W>
struct DenseOperands {
  std::vector<W> x, w, y;
};

/// Adds one more term to an element.
template <class W>
void add_term(Expected<W>& expected, size_t index, W term);

/// Adds all products of two operands to the elements of the third. The products of an element of X or Y are added in
/// the order of batch, k, c and taps; so are those of W if there are statistics, and in another order if there are
/// none.
template <class W>
void add_products(const Trilinear<W>& form, const DenseOperands<W>& operands, Expected<W>& expected);

}  // namespace convict::judge
