// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "generate/draft.h"

namespace convict::generate {

using namespace feature;
using namespace levels;

void draw_operation(Draft& draft) {
  const Plan& plan = draft.plan;
  Random& random = draft.random;
  Case& c = draft.c;
  draft.enter(Step::kOperation);
  c.op = random.chance(draft.profile.transposed) ? CONVICT_CONV_TRANSPOSE : CONVICT_CONV;
  if (draft.profile.transposed < 1 && !plan.is_free(kRemainder) && plan[kRemainder] != kNothingLeft)
    c.op = CONVICT_CONV;
  if (!plan.is_free(kOutputPadding) && plan[kOutputPadding] != kNoOutputPadding) c.op = CONVICT_CONV_TRANSPOSE;
  if (!plan.is_free(kOp) && (draft.profile.transposed < 1 || plan.wishes(kOp)))
    c.op = static_cast<convict_op>(CONVICT_CONV + plan[kOp]);
  draft.enter(Step::kPass);
  c.pass = static_cast<convict_pass>(CONVICT_FORWARD + (plan.is_free(kPass) ? random.below(3) : plan[kPass]));
  if (plan.is_free(kPass) && plan.is(kBias, 1) && c.pass == CONVICT_BACKWARD_DATA)
    c.pass = random.chance(0.5) ? CONVICT_FORWARD : CONVICT_BACKWARD_WEIGHTS;
  if (draft.profile.integers) c.pass = CONVICT_FORWARD;
  draft.enter(Step::kRank);
  c.rank = plan.is_free(kRank) ? static_cast<int>(random.pick(draft.profile.ranks)) : 1 + plan[kRank];
  const bool needs_axes = plan[kKernelAxes] >= kOddDiffer || plan[kStride] >= kDifferLastOne ||
                          plan.is(kDilation, kDilationsDiffer) || plan.is(kInAxes, kDiffer) ||
                          plan.is(kOutputPadding, kSomeAxes);
  if (plan.is_free(kRank) && needs_axes) c.rank = std::max(c.rank, 2);
  c.wei_layout = default_weight_layout(c.op);
}

}  // namespace convict::generate
