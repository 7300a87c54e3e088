// SPDX-License-Identifier: Apache-2.0
#include "core/field_words.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "core/bad_value.h"
#include "core/layout_words.h"
#include "core/names.h"
#include "core/synonyms.h"
#include "core/text.h"

namespace convict::inline core {
namespace {

convict_dtype type_named(std::string_view name) {
  for (const convict_dtype type : kDataTypes)
    if (meant(kTypeSynonyms, name) == type_name(type)) return type;
  throw BadValue("unknown data type");
}

}  // namespace

int64_t number_in(std::string_view text, int64_t lowest, int64_t highest) {
  const auto value = parse_integer(text);
  if (!value) throw BadValue("not a number that fits 64 bits");
  if (*value < lowest) throw BadValue(fmt::format("less than {}", lowest));
  if (*value > highest) throw BadValue(fmt::format("more than {}", highest));
  return *value;
}

int64_t place_of(convict_dtype type) { return std::ranges::find(kDataTypes, type) - std::begin(kDataTypes); }

std::string text_of_types(const Case& c) {
  if (c.src_type == c.wei_type && c.wei_type == c.dst_type) return std::string(type_name(c.src_type));
  return fmt::format("{}:{}:{}", type_name(c.src_type), type_name(c.wei_type), type_name(c.dst_type));
}

void parse_types(std::string_view value, Case& to) {
  const auto parts = three_parts(value);
  to.src_type = type_named(parts[0]);
  to.wei_type = type_named(parts[1]);
  to.dst_type = type_named(parts[2]);
}

std::string text_of_clamp(const Case& c) { return fmt::format("{}:{}", c.clamp_low, c.clamp_high); }

void parse_clamp(std::string_view value, Case& to) {
  const auto parts = split(value, ':');
  if (parts.size() != 2) throw BadValue("not of the form low:high");
  to.clamp_low = static_cast<int>(number_in(parts[0], kNoClampLow, kNoClampHigh));
  to.clamp_high = static_cast<int>(number_in(parts[1], kNoClampLow, kNoClampHigh));
}

}  // namespace convict::inline core
