// SPDX-License-Identifier: Apache-2.0
#include "workers/worker_slot.h"

#include <iterator>
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

bool Backlog::put_again(std::deque<Assigned> left, uint64_t index, uint64_t reported, bool from_outside,
                        int most_kills) {
  const Assigned died_of = std::move(left.front());
  left.pop_front();
  const uint64_t position = position_in(died_of.work, index);
  const bool is_reported = position < reported;
  const bool again = from_outside && !is_reported && ++kills_[index] <= most_kills;
  const uint64_t next = again ? position : std::max(position + 1, reported);
  if (next < died_of.work.count) left.push_front(part_of(died_of, next, died_of.work.count));
  // A process that sent nonsense may have lost the reports of the cases before.
  if (reported < position) left.push_front(part_of(died_of, reported, position));
  works_.insert(works_.begin(), std::make_move_iterator(left.begin()), std::make_move_iterator(left.end()));
  return !again && !(from_outside && is_reported);
}

}  // namespace convict::workers
