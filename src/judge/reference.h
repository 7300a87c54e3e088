// SPDX-License-Identifier: Apache-2.0
//
// The exact reference: sums the trilinear form as it is written, one accumulation per face. The type is so wide that
// exact data stays exact, and that errors on real data are far below those of any implementation.
#pragma once

#include <vector>

#include "abi/trilinear.h"
#include "judge/expected.h"

namespace convict::judge {

/// The operands of the form, dense and in its order: X[n][c][i], W[k][c][r], Y[n][k][o]. In W, c counts within the
/// group and k over all groups. The computed operand is empty.
template <class W>
struct DenseOperands {
  std::vector<W> x, w, y;
};

/// What the reference computes about its sums. Each level includes the ones before.
enum class Detail {
  kValues,      // s
  kMagnitudes,  // S, for bounds
  kStatistics   // statistics of the partial sums, for the probabilistic bound
};

/// All outputs of the pass: first the computed face, then diff_bias. `tensors` holds the filled operands and, with
/// beta, the old contents of the outputs. Integers always get magnitudes. Fills `dense` if it is given.
template <class W>
std::vector<Expected<W>> compute_reference(const convict_problem& p, const convict_tensors& tensors, Detail detail,
                                           DenseOperands<W>* dense = nullptr);

/// Counts the products of each element without a factor that is zero (Expected::nonzero); of a gradient of the bias,
/// the elements that are not. `dense` is of the same call of compute_reference(). Does nothing for a huge image.
template <class W>
void count_nonzero(const convict_problem& p, const convict_tensors& tensors, const DenseOperands<W>& dense,
                   std::vector<Expected<W>>& outputs);

}  // namespace convict::judge
