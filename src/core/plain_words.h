// SPDX-License-Identifier: Apache-2.0
//
// Conditions and places in sentences, for people who have not read what convict calls things.
#pragma once

#include <string>
#include <string_view>

namespace convict::inline core {

/// The predicate for people: "s >= 2 and the last column of the input is not read". `line`: a case that it is about. A
/// text that is no predicate of this version stays as it is.
std::string predicate_in_words(const std::string& text, std::string_view line);

/// Where an output is wrong, for people: "h: last, w: first" is "the last row, the first column".
std::string place_in_words(std::string_view geography);

}  // namespace convict::inline core
