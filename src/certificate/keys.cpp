// SPDX-License-Identifier: Apache-2.0
#include "certificate/keys.h"

#include <fmt/format.h>

#include <cstdlib>
#include <limits>

#include "core/error.h"

namespace convict::certificate {

using nlohmann::json;

namespace {
constexpr double kInfinity = std::numeric_limits<double>::infinity();
}

void malformed(const char* key, std::string_view wanted) {
  throw UsageError(fmt::format("certificate, key '{}': missing or not {}", key, wanted));
}

std::string word_at(const json& from, const char* key) {
  if (!from.contains(key) || !from[key].is_string()) malformed(key, "a text");
  return from[key];
}

int64_t integer_at(const json& from, const char* key) {
  if (!from.contains(key) || !from[key].is_number_integer()) malformed(key, "a whole number");
  return from[key];
}

double number_at(const json& from, const char* key) {
  if (from.contains(key) && from[key].is_number()) return from[key];
  const std::string word = from.contains(key) && from[key].is_string() ? from[key] : "";
  if (word == "nan") return std::numeric_limits<double>::quiet_NaN();
  if (word == "inf" || word == "-inf") return word == "inf" ? kInfinity : -kInfinity;
  malformed(key, "a number, \"nan\", \"inf\" or \"-inf\"");
}

double hex_at(const json& from, const char* key) {
  const std::string text = word_at(from, key);
  char* end = nullptr;
  const double value = std::strtod(text.c_str(), &end);
  if (text.empty() || end != text.c_str() + text.size()) malformed(key, "a hexadecimal floating-point number");
  return value;
}

std::vector<int64_t> coordinates(const json& from) {
  if (!from.contains("at") || !from["at"].is_array()) malformed("at", "an array of coordinates");
  for (const json& one : from["at"])
    if (!one.is_number_integer()) malformed("at", "an array of whole numbers");
  return from["at"];
}

}  // namespace convict::certificate
