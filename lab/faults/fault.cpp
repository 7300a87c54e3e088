// SPDX-License-Identifier: Apache-2.0
#include "lab/faults/fault.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "abi/validity.h"
#include "core/case_text.h"
#include "core/geometry.h"
#include "core/layout.h"
#include "fill/data_numbers.h"

namespace convict::faults {
namespace {

constexpr std::array<std::string_view, kEffectCount> kEffects = {
    "tap lost", "channel lost", "wrong index", "wrong axis", "stale value", "unwritten tail", "small error"};

/// Channels lie side by side, and not just because there is one of them or one position.
bool is_channels_last(const convict_tensor& tensor) {
  if (tensor.ndim < 3 || tensor.dims[1] < 2) return false;
  for (int dim = 2; dim < tensor.ndim; ++dim)
    if (tensor.dims[dim] > 1) return tensor.strides[1] < tensor.strides[dim];
  return false;
}

ActivationLayout layout_of(const convict_tensor& tensor) {
  return is_channels_last(tensor) ? ActivationLayout::kChannelsLast : ActivationLayout::kChannelsFirst;
}

}  // namespace

std::string_view name_of(Effect effect) { return kEffects[static_cast<size_t>(effect)]; }

int Fault::conditions() const {
  return static_cast<int>(fields.conditions.size()) + scope.has_value() + rank.has_value() + data.has_value() +
         history.has_value() + (every > 1);
}

std::string Fault::text() const {
  std::vector<std::string> parts;
  if (scope) {
    Case c;
    c.op = scope->op;
    c.pass = scope->pass;
    const std::string operation = operation_text(c);  // with a rank behind the op, which is no condition here
    parts.push_back(operation.substr(0, operation.find("2d")) + operation.substr(operation.find("2d") + 2));
  }
  if (rank) parts.push_back(fmt::format("rank = {}", *rank));
  if (!fields.conditions.empty()) parts.push_back(fields.text());
  if (data)
    parts.push_back(fmt::format("{} >= {}", fill::data_numbers()[static_cast<size_t>(data->number)].name, data->least));
  if (history) {
    const std::string_view name = quantities()[static_cast<size_t>(history->quantity)].name;
    parts.push_back(
        fmt::format("before.{} {} {}", name, kComparatorSigns[static_cast<size_t>(history->comparator)], name));
  }
  if (every > 1) parts.push_back(fmt::format("every call number {}", every));
  return fmt::format("{}: {}", fmt::join(parts, " and "), name_of(effect));
}

bool Fault::concerns(const Case& seen, const convict_problem& p) const {
  if (scope && *scope != FaultScope{p.op, p.pass}) return false;
  if (rank && *rank != p.rank) return false;
  return fields.holds(seen, p);
}

bool Fault::holds_after(const Case* before, const Case& seen) const {
  if (!history) return true;
  if (!before) return false;
  const Quantity& quantity = quantities()[static_cast<size_t>(history->quantity)];
  const int axes = quantity.per_axis ? std::min(before->rank, seen.rank) : 1;
  for (int axis = 0; axis < axes; ++axis)
    if (compare(history->comparator, quantity.value(*before, axis), quantity.value(seen, axis))) return true;
  return false;
}

Case seen_case(const convict_problem& p, const convict_tensors& t) {
  Case c = as_case(p);
  const convict_tensor& src = p.pass == CONVICT_BACKWARD_DATA ? t.diff_src : t.src;
  const convict_tensor& dst = p.pass == CONVICT_FORWARD ? t.dst : t.diff_dst;
  const convict_tensor& wei = p.pass == CONVICT_BACKWARD_WEIGHTS ? t.diff_wei : t.wei;
  const OperandTypes types = types_of(p, t);
  c.src_type = types.src;
  c.wei_type = types.wei;
  c.dst_type = types.dst;
  c.src_layout = layout_of(src);
  c.dst_layout = layout_of(dst);
  c.wei_layout = is_channels_last(wei) ? WeightLayout::kOhwi : default_weight_layout(p.op);
  c.views = {has_gaps(src), has_gaps(wei), has_gaps(dst)};
  return c;
}

}  // namespace convict::faults
