// SPDX-License-Identifier: Apache-2.0
#include "examine/reshaped_call.h"

#include <algorithm>

#include "core/geometry.h"
#include "core/random.h"

namespace convict::examine {
namespace {

constexpr uint64_t kOtherShape = 0x5a9e;  // distinguishes the data and the draws of the problem that is prepared

/// `before`, with the operands that both problems share at one place.
convict_tensors with_shared(convict_tensors before, const convict_tensors& judged) {
  for (const auto shared : {&convict_tensors::wei, &convict_tensors::bias, &convict_tensors::scale,
                            &convict_tensors::multiplier, &convict_tensors::shift})
    before.*shared = judged.*shared;
  return before;
}

}  // namespace

Case prepared_case(const Case& c) {
  const uint64_t draw = mix(c.seed ^ kOtherShape);
  Case same = c;
  same.before = {};
  Case other = same;
  int64_t& size = (draw & 1) != 0 ? other.batch : other.in[c.rank - 1];
  size += (draw & 2) != 0 ? 1 : -1;
  if (size >= 0 && !resolve(other).why_not) return other;
  same.batch += 1;  // which is always legal
  return same;
}

ReshapedCall::ReshapedCall(const convict_implementation& who, const convict_abilities& abilities, const Scene& prepared,
                           const convict_problem& p)
    : convict_implementation(who),
      who_(who),
      abilities_(abilities),
      prepared_(p),
      operands_(prepared, mix(prepared.the_case().seed ^ kOtherShape)) {
  run = take_steps;
}

convict_status ReshapedCall::take_steps(const convict_implementation* self, const convict_problem* p,
                                        const convict_tensors* t, char* error, size_t error_size) {
  const ReshapedCall& call = *static_cast<const ReshapedCall*>(self);
  const convict_tensors operands = with_shared(call.operands_.tensors(), *t);
  void* const steps = call.who_.steps->prepare(&call.who_, &call.prepared_, &operands, error, error_size);
  if (!steps) return CONVICT_REFUSED;
  const convict_status used = call.use(steps, *p, *t, error, error_size);
  const convict_status finished = call.who_.steps->finish(steps);
  return used == CONVICT_OK ? finished : used;
}

convict_status ReshapedCall::use(void* steps, const convict_problem& p, const convict_tensors& t, char* error,
                                 size_t error_size) const {
  convict_status status = who_.steps->execute(steps, error, error_size);
  if (status == CONVICT_OK) status = abilities_.reshape(&who_, steps, &p, &t, error, error_size);
  return status == CONVICT_OK ? who_.steps->execute(steps, error, error_size) : status;
}

}  // namespace convict::examine
