// SPDX-License-Identifier: Apache-2.0
#include "core/text.h"

#include <fmt/chrono.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <ctime>
#include <numeric>
#include <utility>

namespace convict::inline core {
namespace {

template <class T>
std::optional<T> parse_number(std::string_view text) {
  T value{};
  const auto [end, status] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (status != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

/// Levenshtein distance, one row at a time.
size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), size_t{0});
  for (size_t i = 0; i < a.size(); ++i) {
    size_t diagonal = std::exchange(row[0], i + 1);
    for (size_t j = 0; j < b.size(); ++j)
      diagonal = std::exchange(row[j + 1], std::min({row[j] + 1, row[j + 1] + 1, diagonal + (a[i] != b[j])}));
  }
  return row.back();
}

}  // namespace

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  for (size_t begin = 0;;) {
    const size_t end = text.find(separator, begin);
    parts.push_back(text.substr(begin, end - begin));
    if (end == std::string_view::npos) return parts;
    begin = end + 1;
  }
}

std::string_view trim(std::string_view text) {
  constexpr std::string_view kBlanks = " \t\r\n";
  const size_t begin = text.find_first_not_of(kBlanks);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(kBlanks) - begin + 1);
}

std::optional<int64_t> parse_integer(std::string_view text) { return parse_number<int64_t>(text); }
std::optional<uint64_t> parse_unsigned(std::string_view text) { return parse_number<uint64_t>(text); }

std::string suggestion(std::string_view name, std::span<const std::string> candidates) {
  const auto distance = [&](const std::string& candidate) { return edit_distance(name, candidate); };
  const auto best = std::ranges::min_element(candidates, {}, distance);
  if (name.empty() || best == candidates.end()) return "";
  // A third of the name may be wrong, plus one letter for a swapped pair, but never the whole of a short name.
  if (distance(*best) > std::min(name.size() - 1, name.size() / 3 + 1)) return "";
  return "; did you mean '" + *best + "'?";
}

uint64_t fnv1a(std::string_view bytes) {
  uint64_t hash = 0xcbf29ce484222325;  // offset basis and prime
  for (const char byte : bytes) hash = (hash ^ static_cast<unsigned char>(byte)) * 0x100000001b3;
  return hash;
}

std::string with_commas(uint64_t number) {
  const std::string digits = std::to_string(number);
  std::string text;
  for (size_t i = 0; i < digits.size(); ++i) {
    if (i > 0 && (digits.size() - i) % 3 == 0) text += ',';
    text += digits[i];
  }
  return text;
}

std::string counted(uint64_t number, std::string_view noun, std::string_view plural) {
  if (number == 1) return fmt::format("1 {}", noun);
  return with_commas(number) + " " + (plural.empty() ? fmt::format("{}s", noun) : std::string(plural));
}

std::string shell_quoted(std::string_view text) {
  constexpr std::string_view kSafe = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./:=,+@%";
  if (!text.empty() && text.find_first_not_of(kSafe) == std::string_view::npos) return std::string(text);
  std::string word = "'";
  for (const char c : text)
    if (c == '\'')
      word += "'\\''";
    else
      word += c;
  return word + "'";
}

std::string utc_now() { return fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(std::time(nullptr))); }

std::string printable(std::string_view text, size_t limit) {
  std::string result(text.substr(0, limit));
  for (char& c : result)
    if (static_cast<unsigned char>(c) < 0x20 || static_cast<unsigned char>(c) >= 0x7f) c = '?';
  if (text.size() > limit) result += "...";
  return result;
}

// Not {:a} of fmt: since version 10 its zero is 0x0p-1022.
std::string hex_float(double value) {
  if (std::isnan(value)) return "nan";
  char text[32];  // the longest is -0x1.fffffffffffffp+1023
  std::snprintf(text, sizeof text, "%a", value);
  return text;
}

}  // namespace convict::inline core
