// SPDX-License-Identifier: Apache-2.0
//
// The keys of a certificate by their types. Each function throws UsageError, naming the key, if it is missing or not of
// its type.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace convict::certificate {

[[noreturn]] void malformed(const char* key, std::string_view wanted);

std::string word_at(const nlohmann::json& from, const char* key);
int64_t integer_at(const nlohmann::json& from, const char* key);

/// A number, or one of the words "nan", "inf" and "-inf", for which JSON has no number.
double number_at(const nlohmann::json& from, const char* key);

/// A text as printf's %a writes it: every bit of a double.
double hex_at(const nlohmann::json& from, const char* key);

/// "at": logical coordinates.
std::vector<int64_t> coordinates(const nlohmann::json& from);

}  // namespace convict::certificate
