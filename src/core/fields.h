// SPDX-License-Identifier: Apache-2.0
//
// The field table: one row per key of a case line, in canonical order. Everything that walks the fields of a case
// (printing, parsing, help, and through the text the case id) walks this table and knows no field by name.
#pragma once

#include <span>
#include <stdexcept>
#include <string>
#include <string_view>

#include "core/case.h"

namespace convict {

/// Thrown by Field::parse; the caller adds key, value and column.
struct BadValue : std::runtime_error {
  using std::runtime_error::runtime_error;
};

struct Field {
  std::string_view key;
  std::string_view help;              // what it is and which values it takes, for errors and `list fields`
  std::string (*print)(const Case&);  // the value, or nothing if the field has its default
  void (*parse)(std::string_view value, Case& to);  // `rank` and `op` of `to` are already set; may throw BadValue
  bool required = false;
  bool bare = false;  // a word without "=value": its presence is its value
};

std::span<const Field> fields();

}  // namespace convict
