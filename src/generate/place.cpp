// SPDX-License-Identifier: Apache-2.0
#include "generate/place.h"

namespace convict::generate {

Place::Place(const Sampling& sampling, uint64_t index) : sampling_(sampling), index_(index) {
  const Share* share = share_of(sampling, index);
  if (share) target_ = share->target;
  const bool is_asked = share && !open(sampling, sampling.seed, index).is_illegal;
  if (is_asked && share->domain.is_walked()) {
    walk_.emplace(sampling, *share, index);
    if (walk_->is_over()) decide(walk_->found());
  } else {
    case_ = generate(sampling, index);
    decided_ = !is_asked;
  }
}

void Place::answer(bool accepted) {
  if (walk_) {
    if (accepted) answers_ |= uint32_t{1} << walk_->step();
    walk_->answer(accepted);
    if (walk_->is_over()) decide(walk_->found());
  } else if (accepted) {
    decided_ = true;
  } else if (++answers_ < kMostDraws) {
    case_ = generate(sampling_, index_, answers_);
  } else {  // given up: the case is for no target
    answers_ = 0;
    target_ = -1;
    decide(generate(sampling_, index_));
  }
}

}  // namespace convict::generate
