// SPDX-License-Identifier: Apache-2.0
//
// Minimal filtering F(6, 3): 6 results of a kernel of 3 from 8 products instead of 18, on every axis.
// winograd/minimal_filter.h has the coefficients, winograd/plan.h the products. S. Winograd, "Arithmetic Complexity of
// Computations", SIAM 1980; A. Lavin, S. Gray, "Fast algorithms for convolutional neural networks", CVPR 2016
// (arXiv 1509.09308).
//
// Workspace: the transformed weights, 8^rank for the 3^rank of a kernel, of all channels of a group or of a piece of
// them; transformed tiles, of a block or of all images if these are few, and the sums of a panel for each thread.
// Numeric contract: F(6, 3) with the points of bounds.md and tiles from position 0 on (of each remainder modulo
// the dilation), sums over channels in order, in f32.
#include "kernels/winograd/kernel.h"

namespace convict::kernels {

extern const NativeKernel kernel_winograd_f6 = border::native_kernel<winograd::Kernel<6>>(
    "winograd_f6", "minimal filtering F(6, 3), for kernels of 3 (Lavin, Gray 2016)",
    border::transform_contract(CONVICT_WINOGRAD, 6, winograd::kTaps));

}  // namespace convict::kernels
