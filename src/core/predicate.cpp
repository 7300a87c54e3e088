// SPDX-License-Identifier: Apache-2.0
#include "core/predicate.h"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>

#include "core/error.h"
#include "core/fields.h"
#include "core/geometry.h"
#include "core/text.h"

namespace convict::inline core {
namespace {

constexpr std::string_view kAnd = " and ", kAlways = "always", kOnSomeAxis = " on some axis";

/// The words for axes that have no number.
struct AxisWord {
  int axis;
  std::string_view name;
};
constexpr AxisWord kAxisWords[] = {{Condition::kLastAxis, "last"},
                                   {Condition::kBeforeLastAxis, "last-1"},
                                   {Condition::kEveryAxis, "every"},
                                   {Condition::kAnyAxis, "any"}};

std::vector<Quantity> make_quantities() {
  std::vector<Quantity> list;
  for (const Slot& slot : slots())
    if (slot.kind != SlotKind::kSeed && !slot.is_padding() && slot.kind != SlotKind::kOutputPadding)
      list.push_back({slot.name, slot.per_axis, slot.words, nullptr, &slot, slot.lowest, slot.highest});
  for (const DerivedNumber& one : derived_numbers()) {
    const int64_t highest = one.words.empty() ? one.highest : static_cast<int64_t>(one.words.size()) - 1;
    list.push_back({one.name, one.per_axis, one.words, one.value, nullptr, one.lowest, highest});
  }
  return list;
}

[[noreturn]] void refuse(std::string_view part) {
  throw UsageError(fmt::format("predicate: '{}' is not valid; valid: conditions such as 's >= 2', joined by 'and'",
                               printable(part)));
}

/// "s[1]": a quantity and its axis.
std::pair<int, int> parse_quantity(std::string_view text) {
  int axis = Condition::kSomeAxis;
  std::string_view name = text;
  if (const size_t bracket = text.find('['); bracket != std::string_view::npos) {
    const std::string_view inside = text.substr(bracket + 1, text.size() - bracket - 2);
    const auto word = std::ranges::find(kAxisWords, inside, &AxisWord::name);
    const bool is_word = word != std::end(kAxisWords);
    const auto number = parse_integer(inside);
    if (text.back() != ']' || (!is_word && (!number || *number < 0 || *number >= kAxes))) refuse(text);
    axis = is_word ? word->axis : static_cast<int>(*number);
    name = text.substr(0, bracket);
  }
  const int index = quantity_of(name);
  if (index == std::ssize(quantities()) || (axis != Condition::kSomeAxis && !quantities()[index].per_axis))
    refuse(text);
  return {index, axis};
}

/// Whether it is the same axis for all conditions.
bool is_one_axis(int axis) { return axis >= 0 || axis == Condition::kLastAxis || axis == Condition::kBeforeLastAxis; }

/// A number, a word of the quantity's, or another quantity.
void parse_right(std::string_view text, Condition& to) {
  const Quantity& left = quantities()[to.left];
  if (const auto word = std::ranges::find(left.words, text); word != left.words.end()) {
    to.value = word - left.words.begin();
  } else if (const auto number = parse_integer(text)) {
    to.value = *number;
  } else {
    const auto [right, axis] = parse_quantity(text);
    if (!left.per_axis && quantities()[right].per_axis) to.axis = axis;  // "g = k[every]"
    const bool both_named = is_one_axis(axis) && is_one_axis(to.axis);
    if (axis != to.axis && quantities()[right].per_axis && !both_named) refuse(text);
    if (axis != to.axis && both_named) to.right_axis = axis;
    to.right = right;
  }
}

/// A number of at least 2, or a quantity on the axis of the left side.
void parse_modulus(std::string_view text, Condition& to) {
  if (!quantities()[to.left].words.empty()) refuse(text);
  if (const auto number = parse_integer(text)) {
    if (*number < 2) refuse(text);
    to.modulus = *number;
    return;
  }
  const auto [by, axis] = parse_quantity(text);
  if (!quantities()[by].words.empty() || (axis != to.axis && quantities()[by].per_axis)) refuse(text);
  to.modulus_by = by;
}

/// value % modulus, which is not negative. A modulus below 2 leaves nothing.
int64_t remainder_of(int64_t value, int64_t modulus) {
  if (modulus < 2) return 0;
  const int64_t rest = value % modulus;
  return rest < 0 ? rest + modulus : rest;
}

/// The number of an axis, which may not be there: -1, or `rank` and more.
int number_of(int axis, int on_axis, int rank) {
  switch (axis) {
    case Condition::kSomeAxis: return on_axis;
    case Condition::kLastAxis: return rank - 1;
    case Condition::kBeforeLastAxis: return rank - 2;
    default: return axis;
  }
}

Condition parse_condition(std::string_view text) {
  std::vector<std::string_view> words;
  for (const std::string_view word : split(text, ' ')) words.push_back(word);
  const bool modular = words.size() == 5 && words[1] == "%";
  if (words.size() != 3 && !modular) refuse(text);
  Condition condition;
  std::tie(condition.left, condition.axis) = parse_quantity(words[0]);
  if (modular) parse_modulus(words[2], condition);
  const auto relation = std::ranges::find(kComparatorSigns, words[words.size() - 2]);
  if (relation == kComparatorSigns.end()) refuse(text);
  condition.relation = static_cast<Comparator>(relation - kComparatorSigns.begin());
  parse_right(words.back(), condition);
  return condition;
}

}  // namespace

bool compare(Comparator relation, int64_t left, int64_t right) {
  switch (relation) {
    case Comparator::kEqual: return left == right;
    case Comparator::kUnequal: return left != right;
    case Comparator::kAtLeast: return left >= right;
    case Comparator::kAtMost: return left <= right;
    case Comparator::kMore: return left > right;
    case Comparator::kLess: return left < right;
  }
  return false;
}

int64_t Quantity::value(const Case& c, const convict_problem& p, int axis) const {
  return slot ? slot->get(c, axis) : derived(c, p, axis);
}

int64_t Quantity::value(const Case& c, int axis) const {
  return slot ? slot->get(c, axis) : derived(c, resolve(c).problem, axis);
}

std::span<const Quantity> quantities() {
  static const std::vector<Quantity> all = make_quantities();
  return all;
}

int quantity_of(std::string_view name) {
  return static_cast<int>(std::ranges::find(quantities(), name, &Quantity::name) - quantities().begin());
}

bool Condition::is_per_axis() const {
  const auto per_axis = [](int quantity) { return quantity >= 0 && quantities()[quantity].per_axis; };
  return per_axis(left) || per_axis(right) || per_axis(modulus_by);
}

QuantityValues::QuantityValues(const Case& c, const convict_problem& p)
    : rank_(c.rank), quantities_(quantities().size()) {
  values_.reserve(static_cast<size_t>(rank_) * quantities_);
  for (int axis = 0; axis < rank_; ++axis)
    for (const Quantity& one : quantities()) values_.push_back(one.value(c, p, axis));
}

template <class ValueOf>
bool Condition::holds(const ValueOf& value_of, int rank, int on_axis) const {
  if (axis == kEveryAxis || axis == kAnyAxis) {
    const bool any = axis == kAnyAxis;
    Condition one = *this;
    for (one.axis = 0; one.axis < rank; ++one.axis)
      if (one.holds(value_of, rank, one.axis) == any) return any;
    return !any;
  }
  int at = number_of(axis, on_axis, rank), right_at = number_of(right_axis, at, rank);
  if (std::min(at, right_at) < 0 || std::max(at, right_at) >= rank) {
    if (is_per_axis()) return false;
    at = right_at = 0;  // the same as on any other
  }
  int64_t value_left = value_of(left, at);
  if (modulus > 0) value_left = remainder_of(value_left, modulus);
  if (modulus_by >= 0) value_left = remainder_of(value_left, value_of(modulus_by, at));
  return compare(relation, value_left, right < 0 ? value : value_of(right, right_at));
}

bool Condition::holds(const Case& c, int on_axis) const { return holds(c, resolve(c).problem, on_axis); }

bool Condition::holds(const Case& c, const convict_problem& p, int on_axis) const {
  const auto all = quantities();
  return holds([&](int quantity, int at) { return all[quantity].value(c, p, at); }, c.rank, on_axis);
}

bool Condition::holds(const QuantityValues& values, int on_axis) const {
  return holds([&](int quantity, int at) { return values.value(quantity, at); }, values.rank(), on_axis);
}

std::string Condition::text() const {
  const Quantity& quantity = quantities()[left];
  const auto named = [](const Quantity& one, int on_axis) {
    if (!one.per_axis || on_axis == kSomeAxis) return std::string(one.name);
    if (const auto word = std::ranges::find(kAxisWords, on_axis, &AxisWord::axis); word != std::end(kAxisWords))
      return fmt::format("{}[{}]", one.name, word->name);
    return fmt::format("{}[{}]", one.name, on_axis);
  };
  std::string text = named(quantity, axis);
  if (modulus > 0) text += fmt::format(" % {}", modulus);
  if (modulus_by >= 0) text += fmt::format(" % {}", named(quantities()[modulus_by], axis));
  text += fmt::format(" {} ", kComparatorSigns[static_cast<size_t>(relation)]);
  if (right >= 0) return text + named(quantities()[right], right_axis == kSomeAxis ? axis : right_axis);
  const bool word = modulus == 0 && modulus_by < 0 && value >= 0 && value < static_cast<int64_t>(quantity.words.size());
  return text + (word ? std::string(quantity.words[value]) : std::to_string(value));
}

bool Predicate::holds(const Case& c) const { return holds(c, resolve(c).problem); }

bool Predicate::holds(const Case& c, const convict_problem& p) const {
  for (int axis = 0; axis < c.rank; ++axis)
    if (std::ranges::all_of(conditions, [&](const Condition& one) { return one.holds(c, p, axis); })) return true;
  return false;
}

std::string Predicate::text() const {
  std::string text;
  for (const Condition& one : conditions) text += (text.empty() ? "" : std::string(kAnd)) + one.text();
  return text.empty() ? std::string(kAlways) : text;
}

std::string Predicate::in_words() const {
  const bool on_some_axis = std::ranges::any_of(
      conditions, [](const Condition& one) { return one.is_per_axis() && one.axis == Condition::kSomeAxis; });
  return text() + (on_some_axis ? std::string(kOnSomeAxis) : "");
}

Predicate Predicate::parse(std::string_view text) {
  Predicate predicate;
  if (text == kAlways) return predicate;
  if (text.ends_with(kOnSomeAxis)) text.remove_suffix(kOnSomeAxis.size());
  while (true) {
    const size_t end = text.find(kAnd);
    predicate.conditions.push_back(parse_condition(text.substr(0, end)));
    if (end == std::string_view::npos) return predicate;
    text.remove_prefix(end + kAnd.size());
  }
}

}  // namespace convict::inline core
