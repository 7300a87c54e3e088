// SPDX-License-Identifier: Apache-2.0
//
// How values of fields are written, for the field table and for the changes of earlier problems. What parses throws
// BadValue.
#pragma once

#include <array>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>

#include "core/case.h"

namespace convict::inline core {

int64_t number_in(std::string_view text, int64_t lowest, int64_t highest);

inline constexpr convict_dtype kDataTypes[] = {CONVICT_F32, CONVICT_F64, CONVICT_F16, CONVICT_BF16,
                                           CONVICT_S32, CONVICT_S8,  CONVICT_U8,  CONVICT_S16};
inline constexpr std::string_view kDataTypeNames[] = {"f32", "f64", "f16", "bf16", "s32", "s8", "u8", "s16"};

/// One of kDataTypes, by its place there.
int64_t place_of(convict_dtype type);

/// "bf16", or "u8:s8:s32".
std::string text_of_types(const Case& c);
void parse_types(std::string_view value, Case& to);

inline constexpr std::array<std::string_view, 4> kRequantNames = {"none", "single", "double", "even"};  // by Requant

/// "0:127", or the ends of s16 if there is no clamp.
std::string text_of_clamp(const Case& c);
void parse_clamp(std::string_view value, Case& to);

/// "src:wei:dst" into its three parts; one part stands for all three. Throws BadValue.
std::array<std::string_view, 3> three_parts(std::string_view value);

/// The layouts, all three of them.
std::string text_of_layouts(const Case& c);

/// The same, or nothing if they are the usual ones.
std::string print_layouts(const Case& c);

/// `rank` of `to` is already set. Throws BadValue.
void parse_layouts(std::string_view value, Case& to);

/// Thrown by Field::parse; the caller adds key, value and column.
struct BadValue : std::runtime_error {
  using std::runtime_error::runtime_error;
};

}  // namespace convict::inline core
