// SPDX-License-Identifier: Apache-2.0
#include "core/earlier.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <utility>

#include "abi/validity.h"
#include "core/names.h"
#include "core/text.h"

namespace convict::inline core {
namespace {

// Words that stand for several numbers are numbered in the order of these, the last one fastest.

constexpr int64_t kTypeCount = std::size(kDataTypes);
int64_t number_of_types(const Case& c, int) {
  return (place_of(c.src_type) * kTypeCount + place_of(c.wei_type)) * kTypeCount + place_of(c.dst_type);
}
void set_types(Case& c, int, int64_t to) {
  c.src_type = kDataTypes[to / kTypeCount / kTypeCount];
  c.wei_type = kDataTypes[to / kTypeCount % kTypeCount];
  c.dst_type = kDataTypes[to % kTypeCount];
}

std::string text_of_requant(const Case& c) { return std::string(kRequantNames[static_cast<size_t>(c.requant)]); }
void parse_requant(std::string_view text, Case& to) {
  const auto found = std::ranges::find(kRequantNames, text);
  if (found == kRequantNames.end()) throw BadValue("unknown word");
  to.requant = static_cast<Requant>(found - kRequantNames.begin());
}

constexpr int64_t kClampEnds = int64_t{kNoClampHigh} - kNoClampLow + 1;
int64_t number_of_clamp(const Case& c, int) {
  return (c.clamp_low - kNoClampLow) * kClampEnds + (c.clamp_high - kNoClampLow);
}
void set_clamp(Case& c, int, int64_t to) {
  c.clamp_low = static_cast<int>(to / kClampEnds + kNoClampLow);
  c.clamp_high = static_cast<int>(to % kClampEnds + kNoClampLow);
}

int64_t number_of_layouts(const Case& c, int) {
  return static_cast<int64_t>(c.src_layout) * 8 + static_cast<int64_t>(c.wei_layout) * 2 +
         static_cast<int64_t>(c.dst_layout);
}
void set_layouts(Case& c, int, int64_t to) {
  c.src_layout = static_cast<ActivationLayout>(to / 8);
  c.wei_layout = static_cast<WeightLayout>(to / 2 % 4);
  c.dst_layout = static_cast<ActivationLayout>(to % 2);
}
/// All three, because those of the case may be read later.
void parse_all_layouts(std::string_view text, Case& to) {
  if (split(text, ':').size() != 3) throw BadValue("not of the form src:wei:dst");
  parse_layouts(text, to);
}

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
    {"bias", false, 0, 1, [](const Case& c, int) { return int64_t{c.bias}; },
     [](Case& c, int, int64_t to) { c.bias = to != 0; }},
    {"relu", false, 0, 1, [](const Case& c, int) { return int64_t{c.relu}; },
     [](Case& c, int, int64_t to) { c.relu = to != 0; }},
    {"threads", false, 1, kLargestThreads, [](const Case& c, int) { return c.threads; },
     [](Case& c, int, int64_t to) { c.threads = to; }},
    {"dt", false, 0, kTypeCount * kTypeCount * kTypeCount - 1, number_of_types, set_types, text_of_types, parse_types},
    {"requant", false, 0, std::size(kRequantNames) - 1,
     [](const Case& c, int) { return static_cast<int64_t>(c.requant); },
     [](Case& c, int, int64_t to) { c.requant = static_cast<Requant>(to); }, text_of_requant, parse_requant},
    {"clamp", false, 0, kClampEnds * kClampEnds - 1, number_of_clamp, set_clamp, text_of_clamp, parse_clamp},
    {"lay", false, 0, 15, number_of_layouts, set_layouts, text_of_layouts, parse_all_layouts},
};

std::string read_number(std::string_view text, std::string_view value, const ChangeableField& field, Change& change) {
  const auto number = parse_integer(value);
  if (!number || *number < field.lowest || *number > field.highest)
    return fmt::format("'{}' needs a number from {} to {}", printable(text), field.lowest, field.highest);
  change.value = *number;
  return "";
}

std::string read_word(std::string_view text, std::string_view value, const ChangeableField& field, Case c,
                      Change& change) {
  try {
    field.parse(value, c);
  } catch (const BadValue& bad) {
    return fmt::format("'{}': {}", printable(text), bad.what());
  }
  change.value = field.get(c, change.axis);
  return "";
}

std::string text_of(const Change& change, Case c) {
  const ChangeableField& field = field_of(change);
  if (field.is_number())
    return fmt::format("{}{}:{}", field.name, field.per_axis ? fmt::format("[{}]", change.axis) : "", change.value);
  field.set(c, change.axis, change.value);
  return fmt::format("{}:{}", field.name, field.print(c));
}

std::string read_change(std::string_view text, const Case& c, Change& change) {
  const size_t colon = text.find(':');
  std::string_view name = text.substr(0, colon);
  int64_t axis = 0;
  const size_t bracket = name.find('[');
  if (bracket != std::string_view::npos) {
    const auto number = parse_integer(name.substr(bracket + 1, name.size() - bracket - 2));
    if (name.back() != ']' || !number || *number < 0 || *number >= c.rank)
      return fmt::format("'{}' has no such axis", printable(name));
    axis = *number;
    name = name.substr(0, bracket);
  }
  const auto found = std::ranges::find(kChangeable, name, &ChangeableField::name);
  if (found == std::end(kChangeable) || found->per_axis != (bracket != std::string_view::npos))
    return fmt::format(
        "'{}' is no field that may change; valid: n ic oc in[0] k[0] s[0] d[0] bias relu threads dt requant clamp lay",
        printable(name));
  const std::string_view value = colon == std::string_view::npos ? "" : text.substr(colon + 1);
  change = {static_cast<uint8_t>(1 + (found - std::begin(kChangeable))), static_cast<uint8_t>(axis), 0};
  return found->is_number() ? read_number(text, value, *found, change) : read_word(text, value, *found, c, change);
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
    for (const Change& change : earlier.changes)
      if (change.field != 0) text += (std::exchange(first, false) ? "" : ",") + text_of(change, c);
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
      if (std::string why = read_change(changes[k], to, to.before[i].changes[k]); !why.empty()) return why;
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
