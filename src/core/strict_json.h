// SPDX-License-Identifier: Apache-2.0
//
// Reads JSON that others wrote. The library's own conversion makes an integer of any number; of one that is too large
// that is undefined, and of one with a fraction it is wrong.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "core/error.h"

namespace convict::inline core {

/// Throws UsageError, or an exception of the library, if `from` is not of the type.
template <class T>
void read_strictly(const nlohmann::json& from, T& to) {
  if constexpr (std::is_enum_v<T>) {
    std::underlying_type_t<T> number;
    read_strictly(from, number);
    to = static_cast<T>(number);
  } else if constexpr (std::is_integral_v<T> && !std::is_same_v<T, bool>) {
    const bool fits = from.is_number_unsigned() ? std::in_range<T>(from.get<uint64_t>())
                                                : from.is_number_integer() && std::in_range<T>(from.get<int64_t>());
    if (!fits) throw UsageError("a number is not whole, or out of range");
    to = from.get<T>();
  } else {
    to = from.get<T>();
  }
}

template <class T>
void read_strictly(const nlohmann::json& from, std::vector<T>& to) {
  if (!from.is_array()) throw UsageError("something is not an array");
  for (const nlohmann::json& one : from) read_strictly(one, to.emplace_back());
}

template <class T, size_t N>
void read_strictly(const nlohmann::json& from, std::array<T, N>& to) {
  if (!from.is_array() || from.size() != N) throw UsageError("an array is of another length");
  for (size_t i = 0; i < N; ++i) read_strictly(from[i], to[i]);
}

template <class T>
void read_strictly(const nlohmann::json& from, std::map<std::string, T>& to) {
  if (!from.is_object()) throw UsageError("something is not an object");
  for (const auto& [key, value] : from.items()) read_strictly(value, to[key]);
}

/// The library's form of a map without text as keys: [[key, value], ...].
template <class T>
void read_strictly(const nlohmann::json& from, std::map<int, T>& to) {
  if (!from.is_array()) throw UsageError("something is not an array");
  for (const nlohmann::json& one : from) {
    int key;
    read_strictly(one.at(0), key);
    read_strictly(one.at(1), to[key]);
  }
}

/// A value that becomes whatever it is assigned to, by read_strictly().
class StrictValue {
 public:
  explicit StrictValue(const nlohmann::json& value) : value_(value) {}

  template <class T>
  operator T() const {  // NOLINT(google-explicit-constructor): that is what it is for
    T to{};
    read_strictly(value_, to);
    return to;
  }

 private:
  const nlohmann::json& value_;
};

inline StrictValue strictly(const nlohmann::json& from, const std::string& key) { return StrictValue(from.at(key)); }
inline StrictValue strictly(const nlohmann::json& from, int position) {
  return StrictValue(from.at(static_cast<size_t>(position)));
}

}  // namespace convict::inline core
