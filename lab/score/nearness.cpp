// SPDX-License-Identifier: Apache-2.0
#include "lab/score/nearness.h"

#include <algorithm>

namespace convict::score {

Nearness::Nearness(const faults::Fault& fault) {
  if (fault.scope) parts_.emplace_back().alone.scope = fault.scope;
  if (fault.rank) parts_.emplace_back().alone.rank = fault.rank;
  for (const Condition& one : fault.fields.conditions) parts_.emplace_back().alone.fields.conditions = {one};
}

void Nearness::look(const Case& seen, const convict_problem& p) {
  std::vector<ConditionCount*> missed;
  for (ConditionCount& one : parts_)
    if (one.alone.concerns(seen, p))
      ++one.met;
    else
      missed.push_back(&one);
  ++cases_;
  met_ += missed.empty();
  if (missed.empty())
    for (ConditionCount& one : parts_) ++one.all_others;
  if (missed.size() == 1) ++missed.front()->all_others;
}

double Nearness::chance() const {
  if (cases_ == 0) return 0;
  const auto cases = static_cast<double>(cases_);
  if (met_ > 0 || parts_.empty()) return parts_.empty() ? 1 : static_cast<double>(met_) / cases;
  double sum = 0;
  for (const ConditionCount& one : parts_) sum += static_cast<double>(one.met) * static_cast<double>(one.all_others);
  return sum / static_cast<double>(parts_.size()) / cases / cases;
}

Nearness::Rarest Nearness::rarest() const {
  const auto found = std::ranges::min_element(parts_, {}, &ConditionCount::met);
  if (found == parts_.end() || cases_ == 0) return {};
  std::string text = found->alone.text();
  return {text.substr(0, text.rfind(": ")), static_cast<double>(found->met) / static_cast<double>(cases_)};
}

}  // namespace convict::score
