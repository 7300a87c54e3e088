// SPDX-License-Identifier: Apache-2.0
//
// The exact reference: the trilinear form summed as it is written, one accumulation per face, in a type so wide that
// exact data stays exact and real data is known far better than any implementation can compute it.
#pragma once

#include <vector>

#include "core/case.h"
#include "judge/expected.h"

namespace convict::judge {

/// How much the reference has to know about its sums.
enum class Detail {
  kValues,      // s
  kMagnitudes,  // and S, for bounds
  kStatistics   // and what its partial sums were, for the probabilistic bound
};

/// The operands of the form, densely and in its order: X[n][c][i], W[k][c][r], Y[n][k][o], c within the group and k of
/// all groups in W. The computed one is empty.
template <class W>
struct DenseOperands {
  std::vector<W> x, w, y;
};

/// All outputs of the pass, the computed face first and diff_bias after it. `tensors` holds the filled operands, old
/// contents of the outputs included where there is beta. Of integers there are always magnitudes. `dense` is filled if
/// it is given.
template <class W>
std::vector<Expected<W>> compute_reference(const convict_problem& p, const convict_tensors& tensors, Detail detail,
                                           DenseOperands<W>* dense = nullptr);

}  // namespace convict::judge
