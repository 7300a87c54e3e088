// SPDX-License-Identifier: Apache-2.0
#include "workers/assigned.h"

#include <variant>

namespace convict::workers {
namespace {

/// The same cases of an order.
Order part_of(const Order& order, const Work& part, uint64_t begin) {
  const auto* given = std::get_if<GivenCases>(&order);
  if (!given) return std::holds_alternative<Work>(order) ? Order(part) : order;
  GivenCases some = *given;
  some.first = part.first;
  const auto first = given->cases.begin() + static_cast<std::ptrdiff_t>(begin);
  some.cases.assign(first, first + static_cast<std::ptrdiff_t>(part.count));
  return some;
}

}  // namespace

Work part_of(const Work& work, uint64_t begin, uint64_t end) {
  return {work.first + begin * work.step, end - begin, work.step, work.without};
}

Assigned part_of(const Assigned& one, uint64_t begin, uint64_t end) {
  const Work part = part_of(one.work, begin, end);
  return {part, part_of(one.order, part, begin)};
}

}  // namespace convict::workers
