// SPDX-License-Identifier: Apache-2.0
#include "core/earlier.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <optional>
#include <utility>

#include "abi/validity.h"
#include "core/text.h"

namespace convict::inline core {
namespace {

constexpr ChangeableField kChangeable[] = {
    {"n", false, 0, kLargestCount, [](const Case& c, int) { return c.batch; },
     [](Case& c, int, int64_t to) { c.batch = to; }},
    {"ic", false, 0, kLargestCount, [](const Case& c, int) { return c.ic; },
     [](Case& c, int, int64_t to) { c.ic = to; }},
    {"oc", false, 0, kLargestCount, [](const Case& c, int) { return c.oc; },
     [](Case& c, int, int64_t to) { c.oc = to; }},
    {"in", true, 0, kLargestCount, [](const Case& c, int a) { return c.in[a]; },
     [](Case& c, int a, int64_t to) { c.in[a] = to; }},
    {"k", true, 1, kLargestStep, [](const Case& c, int a) { return c.kernel[a]; },
     [](Case& c, int a, int64_t to) { c.kernel[a] = to; }},
    {"s", true, 1, kLargestStep, [](const Case& c, int a) { return c.stride[a]; },
     [](Case& c, int a, int64_t to) { c.stride[a] = to; }},
    {"d", true, 1, kLargestStep, [](const Case& c, int a) { return c.dilation[a]; },
     [](Case& c, int a, int64_t to) { c.dilation[a] = to; }},
};

std::string read_change(std::string_view text, int rank, Change& change) {
  const size_t colon = text.find(':');
  std::string_view name = text.substr(0, colon);
  int64_t axis = 0;
  const size_t bracket = name.find('[');
  if (bracket != std::string_view::npos) {
    const auto number = parse_integer(name.substr(bracket + 1, name.size() - bracket - 2));
    if (name.back() != ']' || !number || *number < 0 || *number >= rank)
      return fmt::format("'{}' has no such axis", printable(name));
    axis = *number;
    name = name.substr(0, bracket);
  }
  const auto found = std::ranges::find(kChangeable, name, &ChangeableField::name);
  if (found == std::end(kChangeable) || found->per_axis != (bracket != std::string_view::npos))
    return fmt::format("'{}' is no field that may change; valid: n ic oc in[0] k[0] s[0] d[0]", printable(name));
  const auto value = colon == std::string_view::npos ? std::nullopt : parse_integer(text.substr(colon + 1));
  if (!value || *value < found->lowest || *value > found->highest)
    return fmt::format("'{}' needs a number from {} to {}", printable(text), found->lowest, found->highest);
  change = {static_cast<uint8_t>(1 + (found - std::begin(kChangeable))), static_cast<uint8_t>(axis), *value};
  return "";
}

}  // namespace

std::span<const ChangeableField> changeable_fields() { return kChangeable; }

const ChangeableField& field_of(const Change& change) { return kChangeable[change.field - 1]; }

bool is_expressible(const Change& change, int rank) {
  const ChangeableField& field = field_of(change);
  return change.axis < (field.per_axis ? rank : 1) && change.value >= field.lowest && change.value <= field.highest;
}

std::vector<Case> earlier_cases(const Case& c) {
  std::vector<Case> cases;
  for (const Earlier& earlier : c.before) {
    if (!earlier.is_used()) break;
    Case one = c;
    one.before = {};
    one.calls = Calls::kOnce;
    for (const Change& change : earlier.changes)
      if (change.field != 0) field_of(change).set(one, change.axis, change.value);
    cases.push_back(one);
  }
  return cases;
}

std::string text_of_earlier(const Case& c) {
  std::string text;
  for (const Earlier& earlier : c.before) {
    if (!earlier.is_used()) break;
    if (!text.empty()) text += '/';
    bool first = true;
    for (const Change& change : earlier.changes) {
      if (change.field == 0) continue;
      const ChangeableField& field = field_of(change);
      text += fmt::format("{}{}{}:{}", std::exchange(first, false) ? "" : ",", field.name,
                          field.per_axis ? fmt::format("[{}]", change.axis) : "", change.value);
    }
  }
  return text;
}

std::string read_earlier(std::string_view text, Case& to) {
  const auto problems = split(text, '/');
  if (problems.size() > to.before.size()) return fmt::format("more than {} problems", to.before.size());
  for (size_t i = 0; i < problems.size(); ++i) {
    const auto changes = split(problems[i], ',');
    if (changes.size() > to.before[i].changes.size())
      return fmt::format("more than {} changes of one problem", to.before[i].changes.size());
    for (size_t k = 0; k < changes.size(); ++k)
      if (std::string why = read_change(changes[k], to.rank, to.before[i].changes[k]); !why.empty()) return why;
  }
  return "";
}

void add_earlier(Case& c, size_t which) {
  for (size_t i = 0; i <= which; ++i)
    if (!c.before[i].is_used()) c.before[i].changes[0] = {1, 0, c.batch + 1};
}

void drop_earlier(Case& c, size_t which) {
  for (size_t i = which; i + 1 < c.before.size(); ++i) c.before[i] = c.before[i + 1];
  c.before.back() = {};
}

}  // namespace convict::inline core
