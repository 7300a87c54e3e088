// SPDX-License-Identifier: Apache-2.0
#include "core/case_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "core/error.h"
#include "core/fields.h"
#include "core/names.h"
#include "core/text.h"

namespace convict::inline core {
namespace {

constexpr size_t kLongestLine = 4096;  // bytes; the longest canonical line has about 400
constexpr std::string_view kForms =
    "conv1d, conv2d, conv3d, conv_transpose1d, conv_transpose2d or conv_transpose3d, then nothing, .forward, "
    ".backward_data or .backward_weights";

[[noreturn]] void fail(size_t offset, std::string_view word, const std::string& why) {
  throw UsageError(fmt::format("case, column {}: '{}': {}", offset + 1, printable(word), why));
}

/// Splits off `prefix` if `text` begins with it.
bool consume(std::string_view& text, std::string_view prefix) {
  if (!text.starts_with(prefix)) return false;
  text.remove_prefix(prefix.size());
  return true;
}

void parse_operation(size_t offset, std::string_view word, Case& to) {
  const size_t dot = std::min(word.find('.'), word.size());
  const std::string ours = std::string(meant(kOperationSynonyms, word.substr(0, dot))).append(word.substr(dot));
  std::string_view rest = ours;
  const auto expected = [&] { fail(offset, word, fmt::format("unknown operation; valid: {}", kForms)); };
  if (consume(rest, "conv_transpose"))
    to.op = CONVICT_CONV_TRANSPOSE;
  else if (consume(rest, "conv"))
    to.op = CONVICT_CONV;
  else
    expected();
  if (rest.size() < 2 || rest[0] < '1' || rest[0] > '0' + kAxes || rest[1] != 'd') expected();
  to.rank = rest[0] - '0';
  rest.remove_prefix(2);
  if (rest.empty() || rest == ".forward")
    to.pass = CONVICT_FORWARD;
  else if (rest == ".backward_data")
    to.pass = CONVICT_BACKWARD_DATA;
  else if (rest == ".backward_weights")
    to.pass = CONVICT_BACKWARD_WEIGHTS;
  else
    expected();
  to.wei_layout = default_weight_layout(to.op);
}

const Field& field_named(size_t offset, std::string_view word, std::string_view key) {
  const auto found = std::ranges::find(fields(), key, &Field::key);
  if (found != fields().end()) return *found;
  std::vector<std::string> keys;
  for (const Field& field : fields()) keys.emplace_back(field.key);
  fail(offset, word, fmt::format("unknown field{}; valid: {}", suggestion(key, keys), fmt::join(keys, " ")));
}

void parse_field(size_t offset, std::string_view word, std::vector<const Field*>& seen, Case& to) {
  const size_t equals = word.find('=');
  const Field& field = field_named(offset, word, meant(kFieldSynonyms, word.substr(0, equals)));
  if (std::ranges::find(seen, &field) != seen.end())
    fail(offset, word, fmt::format("field '{}' is given twice", field.key));
  seen.push_back(&field);
  if (field.bare != (equals == std::string_view::npos))
    fail(offset, word,
         fmt::format("field '{}' {}; {}", field.key, field.bare ? "takes no value" : "needs a value", field.help));
  try {
    field.parse(field.bare ? "" : word.substr(equals + 1), to);
  } catch (const BadValue& bad) {
    const bool has_list = word.find(',') != std::string_view::npos;
    fail(offset, word, fmt::format("{}{}; {} is {}", bad.what(), has_list ? ", and a comma joins nothing: a blank is "
                                   "between fields, x between extents" : "", field.key, field.help));
  }
}

}  // namespace

std::string operation_text(const Case& c) {
  constexpr std::string_view kPasses[] = {"", "", ".backward_data", ".backward_weights"};
  return fmt::format("{}{}d{}", c.op == CONVICT_CONV ? "conv" : "conv_transpose", c.rank, kPasses[c.pass]);
}

std::string to_text(const Case& c) {
  std::string text = operation_text(c);
  for (const Field& field : fields()) {
    const std::string value = field.print(c);
    if (value.empty()) continue;
    text += ' ';
    if (!field.bare) text.append(field.key) += '=';
    text += value;
  }
  return text;
}

Case parse_case(std::string_view line) {
  if (line.size() > kLongestLine)
    throw UsageError(fmt::format("case: a line of {} bytes; at most {} are valid", line.size(), kLongestLine));
  Case result;
  std::vector<const Field*> seen;
  bool first = true;
  constexpr std::string_view kBlanks = " \t\r";
  for (size_t begin = line.find_first_not_of(kBlanks); begin != std::string_view::npos;) {
    const size_t end = std::min(line.find_first_of(kBlanks, begin), line.size());
    const std::string_view word = line.substr(begin, end - begin);
    if (std::exchange(first, false))
      parse_operation(begin, word, result);
    else
      parse_field(begin, word, seen, result);
    begin = line.find_first_not_of(kBlanks, end);
  }
  if (first) throw UsageError(fmt::format("case: empty line; a case begins with {}", kForms));
  for (const Field& field : fields())
    if (field.required && std::ranges::find(seen, &field) == seen.end())
      throw UsageError(fmt::format("case: field '{}' is missing; {} is {}", field.key, field.key, field.help));
  return result;
}

uint64_t case_id(const Case& c) { return fnv1a(to_text(c)); }

}  // namespace convict::inline core
