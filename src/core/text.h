// SPDX-License-Identifier: Apache-2.0
//
// Small text helpers for parsing and messages.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace convict::inline core {

std::vector<std::string_view> split(std::string_view text, char separator);

/// Removes blanks at both ends.
std::string_view trim(std::string_view text);

/// All of `text` as a decimal integer, or nothing if it is malformed or does not fit.
std::optional<int64_t> parse_integer(std::string_view text);
std::optional<uint64_t> parse_unsigned(std::string_view text);

/// "; did you mean 'direct'?" if a candidate is close to `name`, else empty.
std::string suggestion(std::string_view name, std::span<const std::string> candidates);

/// The 64-bit FNV-1a hash of the bytes.
uint64_t fnv1a(std::string_view bytes);

/// "1,234,567".
std::string with_commas(uint64_t number);
/// "1 cause", "1,200 causes". `plural`: of a noun that has more than an s.
std::string counted(uint64_t number, std::string_view noun, std::string_view plural = "");

/// `text` as one word of a POSIX shell: unchanged if that is safe, else in single quotes. Any bytes are allowed.
std::string shell_quoted(std::string_view text);

/// The time in UTC, ISO 8601, to the second: "2026-11-21T02:13:28Z".
std::string utc_now();

/// Replaces control characters and cuts to `limit` bytes, so that a one-line message can quote the text.
std::string printable(std::string_view text, size_t limit = 80);

/// Every bit of a number, as printf's %a: "0x1.8p+1", "0x0p+0", "nan", "-inf". Python's float.fromhex reads all of
/// them.
std::string hex_float(double value);

}  // namespace convict::inline core
