// SPDX-License-Identifier: Apache-2.0
#include "core/predicate.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <tuple>

#include "core/error.h"
#include "core/fields.h"
#include "core/geometry.h"
#include "core/layout.h"
#include "core/text.h"

namespace convict::inline core {
namespace {

constexpr std::string_view kAnd = " and ", kAlways = "always", kOnSomeAxis = " on some axis";
constexpr std::array<std::string_view, 6> kRelations = {"=", "!=", ">=", "<=", ">", "<"};  // by Comparator

/// The words for axes that have no number.
struct AxisWord {
  int axis;
  std::string_view name;
};
constexpr AxisWord kAxisWords[] = {
    {Condition::kLastAxis, "last"}, {Condition::kEveryAxis, "every"}, {Condition::kAnyAxis, "any"}};

int64_t output_extent(const Case& c, int axis) { return resolve(c).problem.out[axis]; }
int64_t pad_begin(const Case& c, int axis) { return resolve(c).problem.pad_begin[axis]; }
int64_t pad_end(const Case& c, int axis) { return resolve(c).problem.pad_end[axis]; }
int64_t output_padding(const Case& c, int axis) { return resolve(c).problem.output_padding[axis]; }
int64_t window_extent(const Case& c, int axis) { return window(c.kernel[axis], c.dilation[axis]); }
int64_t group_ic(const Case& c, int) { return c.ic / std::max<int64_t>(c.groups, 1); }
int64_t group_oc(const Case& c, int) { return c.oc / std::max<int64_t>(c.groups, 1); }

int64_t taps(const Case& c, int) {
  int64_t count = 1;
  for (int axis = 0; axis < c.rank; ++axis) count *= c.kernel[axis];
  return count;
}

constexpr std::string_view kNoYes[] = {"no", "yes"};
constexpr std::string_view kOperations[] = {"conv", "conv_transpose"};
constexpr std::string_view kPasses[] = {"forward", "backward_data", "backward_weights"};

/// The operand or, in the pass that has only that, its gradient.
template <convict_tensor convict_tensors::*Operand, convict_tensor convict_tensors::*Gradient>
int64_t contiguous(const Case& c, int) {
  const Resolved resolved = resolve(c);
  const convict_tensors tensors = describe_tensors(c, resolved.problem);
  return is_contiguous((tensors.*Operand).ndim > 0 ? tensors.*Operand : tensors.*Gradient) ? 1 : 0;
}

/// Which pass of a convolution runs the same loops: a transposed convolution is the data gradient of one.
int64_t as_conv(const Case& c, int) {
  constexpr int64_t kOther[] = {1, 0, 2};
  const int64_t pass = c.pass - CONVICT_FORWARD;
  return c.op == CONVICT_CONV ? pass : kOther[pass];
}

std::vector<Quantity> make_quantities() {
  std::vector<Quantity> list;
  for (const Slot& slot : slots())
    if (slot.kind != SlotKind::kSeed && !slot.is_padding() && slot.kind != SlotKind::kOutputPadding)
      list.push_back({slot.name, slot.per_axis, slot.words, nullptr, &slot});
  // As an implementation is told: in numbers, even where the case has a word.
  list.push_back({"p.begin", true, {}, pad_begin});
  list.push_back({"p.end", true, {}, pad_end});
  list.push_back({"op", true, {}, output_padding});
  list.push_back({"ic/g", false, {}, group_ic});
  list.push_back({"oc/g", false, {}, group_oc});
  list.push_back({"window", true, {}, window_extent});
  list.push_back({"out", true, {}, output_extent});
  list.push_back({"taps", false, {}, taps});
  list.push_back({"contiguous.src", false, kNoYes, contiguous<&convict_tensors::src, &convict_tensors::diff_src>});
  list.push_back({"contiguous.wei", false, kNoYes, contiguous<&convict_tensors::wei, &convict_tensors::diff_wei>});
  list.push_back({"contiguous.dst", false, kNoYes, contiguous<&convict_tensors::dst, &convict_tensors::diff_dst>});
  list.push_back({"rank", false, {}, [](const Case& c, int) -> int64_t { return c.rank; }});
  list.push_back({"operation", false, kOperations, [](const Case& c, int) -> int64_t { return c.op - CONVICT_CONV; }});
  list.push_back({"pass", false, kPasses, [](const Case& c, int) -> int64_t { return c.pass - CONVICT_FORWARD; }});
  list.push_back({"as_conv", false, kPasses, as_conv});
  return list;
}

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
  const auto found = std::ranges::find(quantities(), name, &Quantity::name);
  if (found == quantities().end() || (axis != Condition::kSomeAxis && !found->per_axis)) refuse(text);
  return {static_cast<int>(found - quantities().begin()), axis};
}

/// A number, a word of the quantity's, or another quantity.
void parse_right(std::string_view text, Condition& to) {
  const Quantity& left = quantities()[to.left];
  if (const auto word = std::ranges::find(left.words, text); word != left.words.end()) {
    to.value = word - left.words.begin();
  } else if (const auto number = parse_integer(text)) {
    to.value = *number;
  } else {
    const auto [right, axis] = parse_quantity(text);
    if (axis != to.axis && quantities()[right].per_axis) refuse(text);
    to.right = right;
  }
}

Condition parse_condition(std::string_view text) {
  std::vector<std::string_view> words;
  for (const std::string_view word : split(text, ' ')) words.push_back(word);
  const bool modular = words.size() == 5 && words[1] == "%";
  if (words.size() != 3 && !modular) refuse(text);
  Condition condition;
  std::tie(condition.left, condition.axis) = parse_quantity(words[0]);
  if (modular) {
    const auto modulus = parse_integer(words[2]);
    if (!modulus || *modulus < 2 || !quantities()[condition.left].words.empty()) refuse(text);
    condition.modulus = *modulus;
  }
  const auto relation = std::ranges::find(kRelations, words[words.size() - 2]);
  if (relation == kRelations.end()) refuse(text);
  condition.relation = static_cast<Comparator>(relation - kRelations.begin());
  parse_right(words.back(), condition);
  return condition;
}

}  // namespace

int64_t Quantity::value(const Case& c, int axis) const { return slot ? slot->get(c, axis) : derived(c, axis); }

std::span<const Quantity> quantities() {
  static const std::vector<Quantity> all = make_quantities();
  return all;
}

bool Condition::is_per_axis() const {
  return quantities()[left].per_axis || (right >= 0 && quantities()[right].per_axis);
}

bool Condition::holds(const Case& c, int on_axis) const {
  if (axis == kEveryAxis || axis == kAnyAxis) {
    const bool any = axis == kAnyAxis;
    Condition one = *this;
    for (one.axis = 0; one.axis < c.rank; ++one.axis)
      if (one.holds(c, one.axis) == any) return any;
    return !any;
  }
  const int at = axis == kSomeAxis ? on_axis : axis == kLastAxis ? c.rank - 1 : axis;
  if (is_per_axis() && at >= c.rank) return false;
  int64_t value_left = quantities()[left].value(c, at);
  if (modulus > 0 && (value_left %= modulus) < 0) value_left += modulus;
  return compare(relation, value_left, right < 0 ? value : quantities()[right].value(c, at));
}

std::string Condition::text() const {
  const Quantity& quantity = quantities()[left];
  const auto named = [&](const Quantity& one) {
    if (!one.per_axis || axis == kSomeAxis) return std::string(one.name);
    if (const auto word = std::ranges::find(kAxisWords, axis, &AxisWord::axis); word != std::end(kAxisWords))
      return fmt::format("{}[{}]", one.name, word->name);
    return fmt::format("{}[{}]", one.name, axis);
  };
  std::string text = named(quantity);
  if (modulus > 0) text += fmt::format(" % {}", modulus);
  text += fmt::format(" {} ", kRelations[static_cast<size_t>(relation)]);
  if (right >= 0) return text + named(quantities()[right]);
  const bool word = modulus == 0 && value >= 0 && value < static_cast<int64_t>(quantity.words.size());
  return text + (word ? std::string(quantity.words[value]) : std::to_string(value));
}

bool Predicate::holds(const Case& c) const {
  for (int axis = 0; axis < c.rank; ++axis)
    if (std::ranges::all_of(conditions, [&](const Condition& one) { return one.holds(c, axis); })) return true;
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

std::string predicate_in_words(const std::string& text) try {
  return Predicate::parse(text).in_words();
} catch (const UsageError&) {
  return text;
}

}  // namespace convict::inline core
