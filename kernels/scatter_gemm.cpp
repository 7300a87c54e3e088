// SPDX-License-Identifier: Apache-2.0
//
// Face X by scattering, the usual definition of transposed convolution: every position of Y is multiplied with all
// weights, which gives a window of sums, and windows are added where they overlap in X. For one image and group,
//
//     C[o][(c, r)] = sum over k of Y[k][o] * W[k][(c, r)]
//     X[c][o*stride - pad + r*dilation] += C[o][(c, r)]
//
// The second step (col2im) is the transpose of unrolling the image, after Chellapilla, Puri and Simard, "High
// Performance Convolutional Neural Networks for Document Processing" (2006). Why this is transposed convolution:
// Dumoulin and Visin, "A guide to convolution arithmetic for deep learning" (2016), chapter 4. implicit_gemm gathers
// instead: it adds nothing in memory, but has to sort the weights by phases of the stride. Here weights are read where
// they lie, side by side for each k. That is faster if there are many weights and few positions.
//
// Blocks of C fit a cache, and are added to X as soon as they are summed. A channel of X belongs to one thread, which
// adds its windows in the order of positions. If there are too few channels, several threads have some weights of a
// channel each, and all but the first add to a copy of X (scatter/plan.h).
//
// Workspace: some images of Y, with the positions of a tile side by side; for each thread a block of C; the weights,
// unless they lie side by side; the copies of X. `plan` prints the bytes. Numeric contract: every output is a sum of
// its products in some order, in the type of the tensors; nothing is multiplied by padding. The order may depend on the
// number of threads.
#include "kernels/border/limits.h"
#include "kernels/border/native.h"
#include "kernels/scatter/plan.h"

namespace convict::kernels {
namespace {

struct ScatterGemm : border::Planned<ScatterGemm> {
  static const char* unsuited(const convict_problem& p) {
    if (const char* complaint = simd::isa_complaint()) return complaint;
    if (face_of(p.op, p.pass) != Face::kX) return "only forward of conv_transpose and backward_data of conv";
    if (border::too_large_to_scatter(p)) return "the weights or the given positions are too large to copy";
    return border::mostly_cropped(p) ? "nearly all sums would be cropped" : nullptr;
  }

  template <class T, class Use>
  static auto with_plan(const Trilinear<T>& form, const Use& use) {
    return use(scatter::Plan<T>(form));
  }
};

}  // namespace

extern const NativeKernel kernel_scatter_gemm = border::native_kernel<ScatterGemm>(
    "scatter_gemm", "matrix multiplication whose sums are added to the image (col2im)");

}  // namespace convict::kernels
