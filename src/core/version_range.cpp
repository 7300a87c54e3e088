// SPDX-License-Identifier: Apache-2.0
#include "core/version_range.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/error.h"
#include "core/text.h"

namespace convict::inline core {
namespace {

constexpr std::string_view kAll = "all", kTo = "..";

/// The numbers of "1.13.0+dfsg", up to what is no number.
std::vector<uint64_t> numbers_of(std::string_view version) {
  std::vector<uint64_t> numbers;
  for (const std::string_view part : split(version, '.')) {
    const size_t digits = std::min(part.find_first_not_of("0123456789"), part.size());
    const auto number = parse_unsigned(part.substr(0, digits));
    if (!number) break;
    numbers.push_back(*number);
    if (digits < part.size()) break;
  }
  return numbers;
}

/// Below, at or above zero: a version before, at or behind an end, as far as the end is written.
int compared(const std::vector<uint64_t>& version, std::string_view end) {
  const std::vector<uint64_t> limit = numbers_of(end);
  for (size_t i = 0; i < limit.size(); ++i) {
    const uint64_t number = i < version.size() ? version[i] : 0;
    if (number != limit[i]) return number < limit[i] ? -1 : 1;
  }
  return 0;
}

std::string checked_end(std::string_view end, std::string_view text) {
  const bool numeric = end.find_first_not_of("0123456789.") == std::string_view::npos;
  if (!numeric || numbers_of(end).size() != split(end, '.').size())
    throw UsageError(
        fmt::format("versions '{}': '{}' is no version; valid: all, or ranges such as 2.6, 1.13..2.6, ..3.7",
                    printable(text), printable(end)));
  return std::string(end);
}

}  // namespace

VersionRange VersionRange::parse(std::string_view text) {
  VersionRange range;
  if (trim(text) == kAll) return range;
  for (std::string_view part : split(text, ',')) {
    part = trim(part);
    const size_t to = part.find(kTo);
    if (to == std::string_view::npos) {
      range.parts_.push_back({checked_end(part, text), checked_end(part, text)});
      continue;
    }
    const std::string_view first = part.substr(0, to), last = part.substr(to + kTo.size());
    if (first.empty() && last.empty()) checked_end(part, text);
    range.parts_.push_back(
        {first.empty() ? "" : checked_end(first, text), last.empty() ? "" : checked_end(last, text)});
  }
  return range;
}

bool VersionRange::contains(std::string_view version) const {
  if (parts_.empty()) return true;
  const std::vector<uint64_t> numbers = numbers_of(version);
  return !numbers.empty() && std::ranges::any_of(parts_, [&](const Interval& one) {
    return (one.first.empty() || compared(numbers, one.first) >= 0) &&
           (one.last.empty() || compared(numbers, one.last) <= 0);
  });
}

std::string VersionRange::text() const {
  std::string text;
  for (const Interval& one : parts_) {
    if (!text.empty()) text += ", ";
    text += one.first == one.last ? one.first : fmt::format("{}{}{}", one.first, kTo, one.last);
  }
  return text.empty() ? std::string(kAll) : text;
}

}  // namespace convict::inline core
