// SPDX-License-Identifier: Apache-2.0
//
// Convolution with one channel per group on one side: depthwise, with any multiplier. Sums are over the window only, so
// matrix products would leave most of their tiles empty. As in Zhang, Franchetti and Low, "High Performance Zero-Memory
// Overhead Direct Convolutions" (ICML 2018), vectors run along rows of positions, and a tile of result rows stays in
// registers while the window slides over it: an image row, once loaded, is used for all rows of the tile
// (depthwise/row_plan.h). The image is sorted by phases of the stride first (image/correlation.h), so that rows are
// dense. If rows are too short for that, or channels lie side by side, vectors run across channels instead
// (depthwise/channel_product.h). For face W vectors run along rows of positions, and lanes of sums are added after the
// last image.
//
// Workspace, for each thread: the staged planes of one image and group, the weights of one result channel, and the sums
// of a tile of rows; for W a plane of Y if its rows are no vectors, and the sums of a group's weights, lane by lane;
// across channels the image, twice, and weights and result of a vector of channels. Numeric contract: every output is a
// sum of its products in some order, in the type of the tensors; products of padding zeros are among them.
#include <algorithm>
#include <string>

#include "kernels/border/limits.h"
#include "kernels/border/native.h"
#include "kernels/depthwise/channel_product.h"
#include "kernels/depthwise/row_plan.h"

namespace convict::kernels {
namespace {

struct Depthwise : border::Planned<Depthwise> {
  static const char* unsuited(const convict_problem& p) {
    if (const char* complaint = simd::isa_complaint()) return complaint;
    if (std::min(p.ic, p.oc) != p.groups) return "more than one channel per group on both sides";
    if (border::too_large_to_stage(p)) return "the padded image is too large";
    return border::mostly_padding(p) ? "nearly all products would be with padding" : nullptr;
  }

  template <class T, class Use>
  static auto with_plan(const Trilinear<T>& form, const Use& use) {
    return depthwise::ChannelPlan<T>::suits(form) ? use(depthwise::ChannelPlan<T>(form))
                                                  : use(depthwise::RowPlan<T>(form));
  }
};

}  // namespace

extern const NativeKernel kernel_depthwise =
    border::native_kernel<Depthwise>("depthwise", "windows sliding over rows, for one channel per group");

}  // namespace convict::kernels
