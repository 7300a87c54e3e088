// SPDX-License-Identifier: Apache-2.0
#include "core/plain_words.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>

#include "core/case_text.h"
#include "core/error.h"
#include "core/predicate.h"
#include "core/text.h"

namespace convict::inline core {
namespace {

/// What people call a quantity that is zero, and one that is not. {axis}: "column"; {image}: what the taps reach.
struct Sentence {
  std::string_view quantity, zero, positive;
};
constexpr Sentence kSentences[] = {
    {"unreached.begin", "the first {axis} of the {image} is {reached}",
     "the first {axis} of the {image} is not {reached}"},
    {"unreached.end", "the last {axis} of the {image} is {reached}", "the last {axis} of the {image} is not {reached}"},
    {"unreached", "every {axis} of the {image} is {reached}", "a {axis} of the {image} is not {reached}"},
    {"idle", "no {axis} of windows lies in the padding alone", "a {axis} of windows lies in the padding alone"},
    {"rest", "no {axis} is left over behind the last window", "a {axis} is left over behind the last window"},
    {"contiguous.src", "the input is no dense tensor", "the input is a dense tensor"},
    {"contiguous.wei", "the weights are no dense tensor", "the weights are a dense tensor"},
    {"contiguous.dst", "the output is no dense tensor", "the output is a dense tensor"}};

/// Whether the condition says that its number, which is not negative, is zero, or that it is not.
std::optional<bool> says_zero(const Condition& one) {
  if (one.right >= 0 || one.modulus != 0 || one.modulus_by >= 0) return std::nullopt;
  const auto is = [&](Comparator relation, int64_t value) { return one.relation == relation && one.value == value; };
  if (is(Comparator::kEqual, 0) || is(Comparator::kAtMost, 0) || is(Comparator::kLess, 1)) return true;
  if (is(Comparator::kUnequal, 0) || is(Comparator::kAtLeast, 1) || is(Comparator::kMore, 0)) return false;
  const bool is_switch = quantities()[static_cast<size_t>(one.left)].words.size() == 2;
  return is_switch && is(Comparator::kEqual, 1) ? std::optional(false) : std::nullopt;
}

std::string_view axis_name(int axis, int rank) {
  constexpr std::array<std::string_view, 3> kNames = {"plane", "row", "column"};
  if (axis == Condition::kLastAxis) axis = rank - 1;
  if (axis == Condition::kBeforeLastAxis) axis = rank - 2;
  if (axis < 0 || axis >= rank) return "position";
  return kNames[static_cast<size_t>(axis) + kNames.size() - static_cast<size_t>(rank)];
}

std::string in_words(const Condition& one, const Case& c) {
  const auto sentence =
      std::ranges::find(kSentences, quantities()[static_cast<size_t>(one.left)].name, &Sentence::quantity);
  const auto zero = says_zero(one);
  if (sentence == std::end(kSentences) || !zero) return one.text();
  const bool is_conv = c.op == CONVICT_CONV;
  std::string text = fmt::format(fmt::runtime(*zero ? sentence->zero : sentence->positive),
                                 fmt::arg("axis", axis_name(c.rank == 1 ? 0 : one.axis, c.rank)),
                                 fmt::arg("image", is_conv ? "input" : "output"),
                                 fmt::arg("reached", is_conv ? "read" : "reached"));
  if (one.axis == Condition::kEveryAxis) text += " on every axis";
  if (one.axis == Condition::kAnyAxis) text += " on any axis";
  return text;
}

struct PlaceName {
  std::string_view name, one, several;
};
constexpr PlaceName kPlaceNames[] = {
    {"n", "image", "images"},
    {"c", "channel", "channels"},
    {"d", "plane", "planes"},
    {"h", "row", "rows"},
    {"w", "column", "columns"},
    {"kd", "plane of the kernel", "planes of the kernel"},
    {"kh", "row of the kernel", "rows of the kernel"},
    {"kw", "column of the kernel", "columns of the kernel"},
    {"first", "slice of the weights' first axis", "slices of the weights' first axis"},
    {"second", "slice of the weights' second axis", "slices of the weights' second axis"}};

std::string part_in_words(std::string_view part) {
  const size_t colon = part.find(": ");
  const auto found = std::ranges::find(kPlaceNames, part.substr(0, colon), &PlaceName::name);
  if (colon == std::string_view::npos || found == std::end(kPlaceNames))
    return part == "everything" ? "all elements" : std::string(part);
  const std::string_view where = part.substr(colon + 2);
  if (where == "last" || where == "first" || where == "first and last")
    return fmt::format("the {} {}", where, where == "first and last" ? found->several : found->one);
  if (where == "head" || where == "tail")
    return fmt::format("the {} {}", where == "head" ? "first" : "last", found->several);
  if (where.ends_with("group"))
    return fmt::format("the channels of {}{}", where.starts_with("one") ? "" : "the ", where);
  if (where == "inside") return fmt::format("{} inside", found->several);
  if (where == "some") return fmt::format("some {}", found->several);
  return fmt::format("{}, {}", found->several, where);  // "every 2 from 1"
}

}  // namespace

std::string predicate_in_words(const std::string& text, std::string_view line) try {
  Predicate predicate = Predicate::parse(text);
  const Case c = parse_case(line);
  // "on some axis" is said once, at the end, so that what is on every axis comes first.
  std::stable_partition(predicate.conditions.begin(), predicate.conditions.end(), [](const Condition& one) {
    return one.axis == Condition::kEveryAxis || one.axis == Condition::kAnyAxis;
  });
  std::string words;
  bool is_on_some_axis = false;
  for (const Condition& one : predicate.conditions) {
    words += (words.empty() ? "" : " and ") + in_words(one, c);
    is_on_some_axis |= one.is_per_axis() && one.axis == Condition::kSomeAxis;
  }
  if (is_on_some_axis) words += " on some axis";
  return words.empty() ? "anything is computed" : words;
} catch (const UsageError&) {
  return text;
}

std::string place_in_words(std::string_view geography) {
  std::string text;
  while (!geography.empty()) {
    const size_t end = geography.find(", ");
    text += (text.empty() ? "" : ", ") + part_in_words(geography.substr(0, end));
    if (end == std::string_view::npos) break;
    geography.remove_prefix(end + 2);
  }
  return text;
}

}  // namespace convict::inline core
