// SPDX-License-Identifier: Apache-2.0
#include "core/where.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>

#include "core/earlier.h"
#include "core/error.h"
#include "core/synonyms.h"
#include "core/text.h"

namespace convict::inline core {
namespace {

bool compares(char c) { return c == '<' || c == '>' || c == '=' || c == '!'; }

/// Names that stand for several quantities.
struct Group {
  std::string_view name;
  std::array<std::string_view, 3> parts;
};
constexpr Group kGroups[] = {{"dt", {"dt.src", "dt.wei", "dt.dst"}},
                             {"lay", {"lay.src", "lay.dst", ""}},
                             {"p", {"p.begin", "p.end", ""}},
                             {"view", {"view.src", "view.wei", "view.dst"}}};

constexpr Synonym kLayoutValues[] = {{"nchw", "channels_first"}, {"ncw", "channels_first"}, {"ncdhw", "channels_first"},
                                     {"nhwc", "channels_last"},  {"nwc", "channels_last"},  {"ndhwc", "channels_last"}};

/// "k<=7" as "k <= 7": words between blanks, so that blanks need not be typed.
std::vector<std::string> condition_words(std::string_view text) {
  std::string spaced;
  for (size_t i = 0; i < text.size(); ++i) {
    const bool changes = compares(text[i]) != (i > 0 && compares(text[i - 1]));
    if (changes || text[i] == '%') spaced += ' ';
    spaced += text[i] == ',' ? ' ' : text[i];
    if (text[i] == '%') spaced += ' ';
  }
  std::vector<std::string> words;
  for (const std::string_view word : split(spaced, ' '))
    if (!word.empty() && word != "and") words.emplace_back(word == "==" ? "=" : word);
  return words;
}

[[noreturn]] void refuse(std::string_view word, std::string_view why) {
  throw UsageError(
      fmt::format("--where: '{}' {}; valid: an operation such as conv2d.forward, and conditions such as "
                  "'g=1 dt=f32 k<=7 oc%8=0', in the names of `convict list fields`",
                  printable(word), why));
}

std::string_view value_named(std::string_view word) { return meant(kTypeSynonyms, meant(kLayoutValues, word)); }

}  // namespace

Where Where::parse(std::string_view text) {
  const std::vector<std::string> words = condition_words(text);
  Where where;
  for (size_t i = 0; i < words.size();) {
    if (words[i].starts_with("conv")) {
      where.add_operation(words[i++]);
      continue;
    }
    const std::string& name = words[i++];
    std::string rest;
    if (i + 1 < words.size() && words[i] == "%") {
      rest = fmt::format("% {} ", words[i + 1]);
      i += 2;
    }
    if (i + 1 >= words.size() || !compares(words[i].front())) refuse(name, "is no condition");
    rest += fmt::format("{} {}", words[i], value_named(words[i + 1]));
    i += 2;
    where.add_condition(name, rest);
  }
  return where;
}

void Where::add_operation(std::string_view word) {
  std::string_view rest = word;
  const auto takes = [&](std::string_view prefix) {
    const bool starts = rest.starts_with(prefix);
    if (starts) rest.remove_prefix(prefix.size());
    return starts;
  };
  op_ = takes("conv_transpose") ? CONVICT_CONV_TRANSPOSE : (takes("conv"), CONVICT_CONV);
  for (int rank = 1; rank <= kAxes; ++rank)
    if (takes(fmt::format("{}d", rank))) rank_ = rank;
  if (takes(".forward")) pass_ = CONVICT_FORWARD;
  if (takes(".backward_data")) pass_ = CONVICT_BACKWARD_DATA;
  if (takes(".backward_weights")) pass_ = CONVICT_BACKWARD_WEIGHTS;
  if (!rest.empty()) refuse(word, "is no operation");
}

void Where::add_condition(std::string_view name, std::string_view rest) {
  const auto add = [&](std::string_view quantity) {
    try {
      for (const Condition& one : Predicate::parse(fmt::format("{} {}", quantity, rest)).conditions)
        conditions_.push_back(one);
    } catch (const UsageError&) {
      refuse(fmt::format("{} {}", name, rest), "is no condition");
    }
  };
  name = meant(kFieldSynonyms, name);
  const auto group = std::ranges::find(kGroups, name, &Group::name);
  if (group == std::end(kGroups)) return add(name);
  for (const std::string_view part : group->parts)
    if (!part.empty()) add(part);
}

bool Where::holds(const Case& c) const {
  if (!selects(c)) return false;
  return std::ranges::all_of(earlier_cases(c), [&](Case earlier) {
    earlier.calls = c.calls;  // of the case: they are never changed
    return selects(earlier);
  });
}

bool Where::selects(const Case& c) const {
  if ((op_ && c.op != *op_) || (rank_ && c.rank != *rank_) || (pass_ && c.pass != *pass_)) return false;
  return std::ranges::all_of(conditions_, [&](const Condition& one) {
    if (!one.is_per_axis() || one.axis != Condition::kSomeAxis) return one.holds(c, std::max(one.axis, 0));
    for (int axis = 0; axis < c.rank; ++axis)
      if (!one.holds(c, axis)) return false;
    return true;
  });
}

}  // namespace convict::inline core
