// SPDX-License-Identifier: Apache-2.0
#include "core/intervals.h"

#include <algorithm>
#include <iterator>
#include <nlohmann/json.hpp>

#include "core/error.h"

namespace convict::inline core {

using nlohmann::json;

void Intervals::add(uint64_t first, uint64_t count) {
  if (count == 0) return;
  uint64_t end = first + count;
  auto next = end_of_.upper_bound(first);
  if (next != end_of_.begin() && std::prev(next)->second >= first) --next;  // the run that it continues
  while (next != end_of_.end() && next->first <= end) {
    first = std::min(first, next->first);
    end = std::max(end, next->second);
    count_ -= next->second - next->first;
    next = end_of_.erase(next);
  }
  end_of_.emplace(first, end);
  count_ += end - first;
}

void Intervals::add(const Intervals& other) {
  for (const auto& [first, end] : other.end_of_) add(first, end - first);
}

void Intervals::remove(uint64_t first, uint64_t count) {
  Intervals rest;
  for (const auto& [begin, end] : end_of_) {
    const uint64_t left = std::min(end, first), right = std::max(begin, first + count);
    if (begin < left) rest.add(begin, left - begin);
    if (right < end) rest.add(right, end - right);
  }
  *this = std::move(rest);
}

Intervals Intervals::common_with(const Intervals& other) const {
  Intervals both;
  for (auto mine = end_of_.begin(), its = other.end_of_.begin(); mine != end_of_.end() && its != other.end_of_.end();) {
    const uint64_t first = std::max(mine->first, its->first), end = std::min(mine->second, its->second);
    if (first < end) both.add(first, end - first);
    mine->second < its->second ? ++mine : ++its;
  }
  return both;
}

Intervals::Gap Intervals::gap(uint64_t from) const {
  const auto next = end_of_.upper_bound(from);
  if (next != end_of_.begin()) from = std::max(from, std::prev(next)->second);
  return {from, (next == end_of_.end() ? UINT64_MAX : next->first) - from};
}

json Intervals::to_json() const {
  json list = json::array();
  for (const auto& [first, end] : end_of_) list.push_back({first, end - first});
  return list;
}

Intervals Intervals::from_json(const json& list) {
  const UsageError malformed("not a list of [first, count] in ascending order");
  if (!list.is_array()) throw malformed;
  Intervals result;
  uint64_t end = 0;
  for (const json& one : list) {
    if (!one.is_array() || one.size() != 2 || !one[0].is_number_unsigned() || !one[1].is_number_unsigned())
      throw malformed;
    const uint64_t first = one[0], count = one[1];
    if (first < end || count == 0 || count > UINT64_MAX - first) throw malformed;
    result.add(first, count);
    end = first + count;
  }
  return result;
}

}  // namespace convict::inline core
