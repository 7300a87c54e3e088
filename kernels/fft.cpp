// SPDX-License-Identifier: Apache-2.0
//
// Convolution by fast Fourier transforms: products of spectra instead of sums over windows, so that the time hardly
// depends on the size of the window. M. Mathieu, M. Henaff, Y. LeCun, "Fast training of convolutional networks through
// FFTs", ICLR 2014 (arXiv 1312.5851); tiles of a few points as in A. Zlateski, K. Li, H. S. Seung, "FFT convolutions
// are faster than Winograd on modern CPUs, here is why" (arXiv 1809.07851). All faces (fft/plan.h), real transforms of
// vectors (fft/fourier.h), tiles by overlap-save, with as many points as are estimated to be cheapest (fft/sizes.h).
//
// Workspace: tables of roots; the spectra of one group's weights (W: of its gradients Y), or of one vector of groups;
// the spectra of the image and of the sums, for a block of rows. Each thread has its own of all these if there are
// enough groups, and of the latter two if there are enough blocks. If lanes are channels, each thread also has a box of
// transformed points. Numeric contract: transforms of f32 with roots from sine and cosine, at most as large as
// bounds.md assumes; products of spectra are summed over channels in order, before the backward transform.
#include <string>

#include "kernels/border/native.h"
#include "kernels/fft/plan.h"

namespace convict::kernels {
namespace {

struct Fft : border::Planned<Fft> {
  static const char* unsuited(const convict_problem& p) {
    if (const char* complaint = simd::isa_complaint()) return complaint;
    return fft::too_large(trilinear<float>(p, {})) ? "the windows or the spectra are too large" : nullptr;
  }

  template <class Use>
  static auto with_plan(const Trilinear<float>& form, const Use& use) {
    return use(fft::Plan(form));
  }
};

}  // namespace

extern const NativeKernel kernel_fft = border::native_kernel<Fft>(
    "fft", "products of spectra, tile by tile (Mathieu et al. 2014)", border::transform_contract(CONVICT_FFT));

}  // namespace convict::kernels
