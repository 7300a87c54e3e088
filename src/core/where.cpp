// SPDX-License-Identifier: Apache-2.0
#include "core/where.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "core/earlier.h"
#include "core/error.h"
#include "core/fields.h"
#include "core/names.h"
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

/// What people type for conditions.
constexpr Synonym kMeant[] = {{"depthwise", "g>=2 ic/g=1 oc/g=1"},
                              {"dw", "g>=2 ic/g=1 oc/g=1"},
                              {"grouped", "g>=2"},
                              {"pointwise", "k=1"},
                              {"strided", "s>=2"},
                              {"dilated", "d>=2"},
                              {"int8", "dt=u8:s8:s32"},
                              {"channels_last", "lay=nhwc"},
                              {"channels_first", "lay=nchw"},
                              {"transposed", "conv_transpose"},
                              {"deconv", "conv_transpose"},
                              {"forward", "pass=forward"},
                              {"backward", "pass=backward_data"},
                              {"backward_data", "pass=backward_data"},
                              {"backward_weights", "pass=backward_weights"},
                              {"1x1", "k=1"},
                              {"3x3", "k=3"},
                              {"5x5", "k=5"},
                              {"conv2d.backward", "conv2d.backward_data"}};

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
    if (!word.empty() && word != "and" && word != "&&") words.emplace_back(word == "==" ? "=" : word);
  return words;
}

const Field* field_named(std::string_view name) {
  const auto found = std::ranges::find(fields(), name, &Field::key);
  return found == fields().end() ? nullptr : &*found;
}

/// Of ranks 1 to 3, the cases in which a line gives the field this value; none of a rank in which it cannot.
std::vector<Case> cases_with(const Field& field, std::string_view value) {
  std::vector<Case> list;
  for (int rank = 1; rank <= kAxes; ++rank) try {
      Case c;
      c.rank = rank;
      field.parse(value, c);
      list.push_back(c);
    } catch (const BadValue&) {
    }
  return list;
}

/// What may be meant by a word, or by the name of what is compared.
std::string hint(std::string_view word) {
  constexpr std::string_view kOneOf = "; all conditions have to hold, and a range is 'k>=3 k<=5'";
  const auto is = [&](const Synonym& one) { return one.theirs == word; };
  std::string meant_by;
  if (const auto found = std::ranges::find_if(kMeant, is); found != std::end(kMeant)) meant_by = found->ours;
  if (std::ranges::find(kLayoutValues, word, &Synonym::theirs) != std::end(kLayoutValues))
    meant_by = fmt::format("lay={}", word);
  if (!cases_with(*field_named("dt"), meant(kTypeSynonyms, word)).empty()) meant_by = fmt::format("dt={}", word);
  if (field_named(meant(kFieldSynonyms, word))) meant_by = fmt::format("{}=3", word);
  if (!meant_by.empty()) return fmt::format("; did you mean '{}'?", meant_by);
  if (word == "or" || word == "not" || word == "||" || parse_integer(word) || word.find("..") != std::string_view::npos)
    return std::string(kOneOf);
  std::vector<std::string> names;
  for (const Field& field : fields()) names.emplace_back(field.key);
  for (const Synonym& one : kFieldSynonyms) names.emplace_back(one.theirs);
  return suggestion(word.substr(0, word.find(' ')), names);
}

[[noreturn]] void refuse(std::string_view word, std::string_view why) {
  throw UsageError(
      fmt::format("--where: '{}' {}{}; valid: an operation such as conv2d.forward, and conditions such as "
                  "'g=1 dt=f32 k<=7 oc%8=0', in the names of `convict list fields`",
                  printable(word), why, hint(word)));
}

/// `name`: "k[1]", or "dt.src" of the field dt.
[[noreturn]] void refuse_value(std::string_view name, std::string_view condition, std::string_view why) {
  const Field* field = field_named(name.substr(0, name.find_first_of("[.")));
  if (!field) refuse(condition, why);
  const bool is_range = condition.find("..") != std::string_view::npos;
  throw UsageError(fmt::format("--where: '{}' {}{}; {} is {}", printable(condition), why,
                               is_range ? hint(condition) : "", field->key, field->help));
}

bool starts_with_field(std::string_view name, std::string_view key) {
  return name == key || (name.starts_with(key) && name[key.size()] == '.');
}

std::string_view value_named(std::string_view name, std::string_view word) {
  if (starts_with_field(name, "dt")) return meant(kTypeSynonyms, word);
  return starts_with_field(name, "lay") ? meant(kLayoutValues, word) : word;
}

/// What padding is that has a word, in numbers.
std::vector<std::string_view> padding_like(PadMode mode) {
  switch (mode) {
    case PadMode::kSameUpper:
      return {"p.total[every] = same.total[every]", "p.skew[every] >= 0", "p.skew[every] <= 1"};
    case PadMode::kSameLower:
      return {"p.total[every] = same.total[every]", "p.skew[every] <= 0", "p.skew[every] >= -1"};
    default: return {"p.begin[every] = 0", "p.end[every] = 0"};
  }
}

/// The values of a number that meet these conditions; those on another axis say nothing.
struct ValueRange {
  int64_t low, high;

  void narrow(const Condition& by) {
    switch (by.relation) {
      case Comparator::kEqual: low = std::max(low, by.value), high = std::min(high, by.value); break;
      case Comparator::kAtLeast: low = std::max(low, by.value); break;
      case Comparator::kAtMost: high = std::min(high, by.value); break;
      case Comparator::kMore: low = std::max(low, by.value == INT64_MAX ? by.value : by.value + 1); break;
      case Comparator::kLess: high = std::min(high, by.value == INT64_MIN ? by.value : by.value - 1); break;
      case Comparator::kUnequal: low += by.value == low ? 1 : 0, high -= by.value == high ? 1 : 0; break;
    }
  }
};

bool is_on_a_value(const Condition& one) { return one.right < 0 && one.modulus == 0 && one.modulus_by < 0; }

/// Contradictions between different numbers are not found here; generate/inside.h looks for a case.
void refuse_impossible(const Predicate& predicate) {
  for (const Condition& one : predicate.conditions) {
    if (!is_on_a_value(one)) continue;
    const Quantity& quantity = quantities()[static_cast<size_t>(one.left)];
    ValueRange span{quantity.lowest, quantity.highest};
    span.narrow(one);
    const bool is_alone = span.low > span.high;
    for (const Condition& other : predicate.conditions) {
      const bool is_there = other.axis == one.axis || other.axis == Condition::kEveryAxis;
      if (is_on_a_value(other) && other.left == one.left && is_there) span.narrow(other);
    }
    const char* why = is_alone ? "holds for no case" : "and its other conditions hold for no case";
    if (span.low > span.high) refuse_value(quantity.name, one.text(), why);
  }
}

}  // namespace

Where Where::parse(std::string_view text) {
  const std::vector<std::string> words = condition_words(text);
  Where where;
  for (size_t i = 0; i < words.size();) {
    const bool compared = i + 1 < words.size() && (compares(words[i + 1].front()) || words[i + 1] == "%");
    const Field* field = field_named(words[i]);
    if (words[i].starts_with("conv")) {
      where.add_operation(words[i++]);
      continue;
    }
    if (!compared && field && field->bare) {
      where.add(fmt::format("{} = yes", words[i++]));
      continue;
    }
    const std::string& name = words[i++];
    std::string sign;
    if (i + 1 < words.size() && words[i] == "%") {
      sign = fmt::format("% {} ", words[i + 1]);
      i += 2;
    }
    if (i + 1 >= words.size() || !compares(words[i].front())) refuse(name, "is no condition");
    sign += words[i];
    where.add_condition(meant(kFieldSynonyms, name), sign, words[i + 1]);
    i += 2;
  }
  refuse_impossible(where.predicate_);
  return where;
}

void Where::add_operation(std::string_view word) {
  std::string_view rest = word;
  const auto takes = [&](std::string_view prefix) {
    const bool starts = rest.starts_with(prefix);
    if (starts) rest.remove_prefix(prefix.size());
    return starts;
  };
  const bool is_transposed = takes("conv_transpose");
  if (!is_transposed) takes("conv");
  add(fmt::format("operation = {}", is_transposed ? "conv_transpose" : "conv"));
  for (int rank = 1; rank <= kAxes; ++rank)
    if (takes(fmt::format("{}d", rank))) add(fmt::format("rank = {}", rank));
  for (const char* pass : {"forward", "backward_data", "backward_weights"})
    if (rest == fmt::format(".{}", pass)) {
      add(fmt::format("pass = {}", pass));
      return;
    }
  if (!rest.empty()) refuse(word, "is no operation");
}

/// What a case line may say comes first: "dt=u8:s8:u8". What stands for several quantities is next, and then these.
void Where::add_condition(std::string_view name, std::string_view sign, std::string_view value) {
  value = value_named(name, value);
  const Field* field = field_named(name);
  const bool may_have_value = sign == "=" && field && !field->bare;
  if (may_have_value && !cases_with(*field, value).empty()) return add_field_value(name, value);
  const auto group = std::ranges::find(kGroups, name, &Group::name);
  try {
    if (group == std::end(kGroups)) return add(fmt::format("{} {} {}", name, sign, value));
    for (const std::string_view part : group->parts)
      if (!part.empty()) add(fmt::format("{} {} {}", part, sign, value));
  } catch (const UsageError&) {
    refuse_value(name, fmt::format("{} {} {}", name, sign, value), "is no condition");
  }
}

void Where::add_field_value(std::string_view name, std::string_view value) {
  const Field& field = *field_named(name);
  const std::vector<Case> cases = cases_with(field, value);
  const Case& c = cases.front();
  const std::string condition = fmt::format("{} = {}", name, value);
  const bool is_of_one_rank = cases.size() == 1;
  if (is_of_one_rank) add(fmt::format("rank = {}", c.rank));
  if (c.pad_mode != PadMode::kExplicit) {
    for (const std::string_view one : padding_like(c.pad_mode)) add(one);
    return;
  }
  for (const Slot& slot : field.slots) {
    if (slot.kind == SlotKind::kPaddingWord) continue;
    if (slot.kind == SlotKind::kSeed) refuse(condition, "is about no problem: every case has a seed of its own");
    if (slot.kind == SlotKind::kEarlier && slot.get(c, 0) != 0)
      refuse(condition, "is no condition, but before.1=yes is");
    for (int axis = 0; axis < (slot.per_axis && is_of_one_rank ? c.rank : 1); ++axis) {
      const std::string on = slot.per_axis && is_of_one_rank ? fmt::format("[{}]", axis) : "";
      const int64_t number = slot.get(c, axis);
      add(fmt::format("{}{} = {}", slot.name, on,
                      slot.words.empty() ? std::to_string(number) : slot.words[static_cast<size_t>(number)]));
    }
  }
}

void Where::add(std::string_view condition) {
  for (Condition one : Predicate::parse(condition).conditions) {
    if (one.is_per_axis() && one.axis == Condition::kSomeAxis) one.axis = Condition::kEveryAxis;
    if (std::ranges::find(predicate_.conditions, one) == predicate_.conditions.end())
      predicate_.conditions.push_back(one);
  }
}

bool Where::holds(const Case& c) const {
  if (!predicate_.holds(c)) return false;
  return std::ranges::all_of(earlier_cases(c), [&](Case earlier) {
    earlier.calls = c.calls;  // of the case: they are never changed
    return predicate_.holds(earlier);
  });
}

}  // namespace convict::inline core
