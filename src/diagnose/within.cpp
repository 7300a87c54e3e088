// SPDX-License-Identifier: Apache-2.0
#include "diagnose/within.h"

#include <algorithm>

namespace convict::diagnose {
namespace {

constexpr int kMostTries = 8;  // for each condition

}  // namespace

Within::Within(const std::string& where, const Case& start) : where_(Where::parse(where)) {
  if (!where_.holds(start)) where_ = Where();
  for (const Condition& one : where_.predicate().conditions) limits_.push_back({one});
}

void Within::look_beyond(const Case& c, const std::function<bool(const Case&)>& is_computed) {
  Limit* crossed = nullptr;
  for (Limit& one : limits_) {
    if (one.condition.holds(c, 0)) continue;
    if (crossed) return;  // a refusal would have no known reason
    crossed = &one;
  }
  if (!crossed || crossed->is_crossed || crossed->tries == kMostTries) return;
  ++crossed->tries;
  crossed->is_crossed = is_computed(c);
}

Predicate Within::limits() const {
  Predicate predicate;
  for (const Limit& one : limits_)
    if (one.is_crossed) predicate.conditions.push_back(one.condition);
  return predicate;
}

}  // namespace convict::diagnose
