// SPDX-License-Identifier: Apache-2.0
//
// Convolution where Y has one position: the layers that are called fully connected, dense or linear, the squeeze of a
// network, and gradients of these. All faces are a matrix, the weights, times one vector for each image, and take the
// time of reading the weights (matvec/plan.h). `implicit_gemm` would leave all but one lane of its vectors empty.
//
// Workspace: none if the weights of a row and what they are multiplied with lie side by side in memory; else copies of
// some rows for each thread, and of X. Numeric contract: every output is a sum of its products in some order, in the
// type of the tensors; nothing is multiplied by padding.
#include <algorithm>

#include "kernels/border/native.h"
#include "kernels/matvec/plan.h"
#include "kernels/simd/isa.h"

namespace convict::kernels {
namespace {

struct MatrixVector : border::Planned<MatrixVector> {
  static const char* unsuited(const convict_problem& p) {
    if (const char* complaint = simd::isa_complaint()) return complaint;
    const int64_t* extent = p.op == CONVICT_CONV ? p.out : p.in;
    return std::all_of(extent, extent + p.rank, [](int64_t positions) { return positions == 1; })
               ? nullptr
               : "windows at more than one position";
  }

  template <class T, class Use>
  static auto with_plan(const Trilinear<T>& form, const Use& use) {
    return use(matvec::Plan<T>(form));
  }
};

}  // namespace

extern const NativeKernel kernel_matrix_vector =
    border::native_kernel<MatrixVector>("matrix_vector", "a matrix times a vector, for windows at one position");

}  // namespace convict::kernels
