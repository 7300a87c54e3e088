// SPDX-License-Identifier: Apache-2.0
//
// Convolution as matrix multiplication without the matrix: columns of the unrolled image (Chellapilla, Puri, Simard,
// "High Performance Convolutional Neural Networks for Document Processing", 2006) are gathered tile by tile while they
// are used, as in Chetlur et al., "cuDNN: Efficient Primitives for Deep Learning" (2014), section 3.1. The product is
// blocked after Goto and van de Geijn, "Anatomy of High-Performance Matrix Multiplication" (2008).
//
//     Y   rows are output channels, the depth is (channel, tap), columns are output positions     gemm/gather_plan.h
//     X   the same by phases modulo the stride: X gathers Y, and nothing is scattered or added    image/correlation.h
//     W   rows are output channels, columns are (channel, tap), or the other way round;
//         the depth is (image, position)                                                          gemm/weight_plan.h
//
// Workspace: one padded image, unless the tensor can be read as it is; the weights in panels, unless they are used only
// once; for each thread blocks of both operands and of sums that fit a second-level cache. For W: one padded image,
// under the same condition; for each thread a block of one operand and the sums of a slice of the weights; or the sums
// of all weights, if they are kept from image to image, or if threads divide the positions. `plan` prints the bytes.
// Numeric contract: every output is a sum of its products in some order, in the type of the tensors; products of
// padding zeros are among them. For W the order may depend on the number of threads.
#include "kernels/border/limits.h"
#include "kernels/border/native.h"
#include "kernels/gemm/gather_plan.h"
#include "kernels/gemm/weight_plan.h"

namespace convict::kernels {
namespace {

struct ImplicitGemm : border::Planned<ImplicitGemm> {
  static const char* unsuited(const convict_problem& p) {
    if (const char* complaint = simd::isa_complaint()) return complaint;
    if (border::too_large_to_stage(p)) return "the padded image or the packed weights are too large";
    return border::mostly_padding(p) ? "nearly all products would be with padding" : nullptr;
  }

  template <class T, class Use>
  static auto with_plan(const Trilinear<T>& form, const Use& use) {
    return form.face == Face::kW ? use(gemm::WeightPlan<T>(form)) : use(gemm::GatherPlan<T>(form));
  }
};

}  // namespace

extern const NativeKernel kernel_implicit_gemm = border::native_kernel<ImplicitGemm>(
    "implicit_gemm", "matrix multiplication with a gathered image, packed and blocked");

}  // namespace convict::kernels
