// SPDX-License-Identifier: Apache-2.0
//
// Convolution of 8-bit integers by gathered matrix products, with scales, zero points, ReLU and saturation in the
// epilogue (Jacob et al., "Quantization and Training of Neural Networks for Efficient Integer-Arithmetic-Only
// Inference", CVPR 2018, section 2). Both operands are copied to cells of 32 bits, which hold two or four factors
// (int8/cell_form.h); the product is that of implicit_gemm. Instructions that saturate sums of products are not used.
// Face Y gathers X, face X gathers Y by phases modulo the stride (image/correlation.h). Face Y has another way where
// channels lie side by side (int8/channel_product.h).
//
// Workspace: both operands as cells, and what the product of cells wants, as in implicit_gemm. Numeric contract: sums
// are exact in 32 bits; the epilogue rounds in f32, product and sums one by one, and once more to integers, halves to
// even.
#include <string>

#include "kernels/border/limits.h"
#include "kernels/border/native.h"
#include "kernels/gemm/gather_plan.h"
#include "kernels/int8/cell_form.h"
#include "kernels/int8/channel_product.h"

namespace convict::kernels {
namespace {

struct Int8Gemm {
  static const char* unsuited(const convict_problem& p) {
    if (const char* complaint = simd::isa_complaint()) return complaint;
    if (p.pass != CONVICT_FORWARD) return "integers only, and so forward only";
    return border::too_large_to_stage(p) ? "the padded image or the packed weights are too large" : nullptr;
  }

  static std::string plan(const border::QuantizedForm& form) {
    if (int8::ChannelProduct::takes(form)) return int8::ChannelProduct(form).text();
    const int8::CellForm cells(form);
    const gemm::GatherPlan<int32_t> plan(cells.form(), &cells);
    return plan.text() + " members=" + (cells.members_are_taps() ? "taps" : "channels") +
           " cells=" + std::to_string(cells.bytes());
  }

  static int64_t workspace(const border::QuantizedForm& form) {
    if (int8::ChannelProduct::takes(form)) return int8::ChannelProduct(form).bytes();
    const int8::CellForm cells(form);
    return cells.bytes() + gemm::GatherPlan<int32_t>(cells.form(), &cells).workspace.bytes();
  }

  static void run(const border::QuantizedForm& form) {
    if (int8::ChannelProduct::takes(form)) return int8::ChannelProduct(form).run();
    int8::CellForm cells(form);
    cells.prepare();
    gemm::GatherPlan<int32_t>(cells.form(), &cells).compute();
  }
};

}  // namespace

extern const NativeKernel kernel_int8_gemm =
    border::native_kernel<Int8Gemm>("int8_gemm", "matrix multiplication of 8-bit integers, two or four at a time");

}  // namespace convict::kernels
