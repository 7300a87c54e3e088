// SPDX-License-Identifier: Apache-2.0
//
// Convolution of 8-bit integers by matrix products of 16-bit pairs, with scales, zero points, ReLU and saturation in
// the epilogue (Jacob et al., "Quantization and Training of Neural Networks for Efficient Integer-Arithmetic-Only
// Inference", CVPR 2018, section 2). Bytes less their zero point need 9 bits. They are widened to 16 bits, whose
// products are added exactly in pairs. Instructions that multiply bytes and saturate sums of 16 bits are not used. Face
// Y gathers X, face X gathers Y by phases modulo the stride (image/correlation.h), as in implicit_gemm.
//
// Workspace: the image in 16 bits with its padding, the weights as pairs; for each thread a tile of columns over the
// whole depth, and a tile of sums. Numeric contract: sums are exact in 32 bits; the epilogue rounds in f32, product and
// sums one by one, and once more to integers, halves to even.
#include <string>

#include "kernels/border/limits.h"
#include "kernels/border/native.h"
#include "kernels/int8/product.h"

namespace convict::kernels {
namespace {

struct Int8Gemm {
  static const char* unsuited(const convict_problem& p) {
    if (const char* complaint = simd::isa_complaint()) return complaint;
    if (p.pass != CONVICT_FORWARD) return "integers only, and so forward only";
    return border::too_large_to_stage(p) ? "the padded image or the packed weights are too large" : nullptr;
  }

  static std::string plan(const border::QuantizedForm& form) { return int8::Plan(form).text(); }

  static void run(const border::QuantizedForm& form) {
    int8::Plan plan(form);
    int8::compute(plan);
  }
};

}  // namespace

extern const convict_implementation kernel_int8_gemm =
    border::native_kernel<Int8Gemm>("int8_gemm", "matrix multiplication of 8-bit integers in 16-bit pairs");

}  // namespace convict::kernels
