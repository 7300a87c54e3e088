// SPDX-License-Identifier: Apache-2.0
//
// Names and sizes of data types, names of layouts and of values of an enum; and how such values are read and written.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <stdexcept>
#include <string>
#include <string_view>

#include "core/case.h"
#include "core/error.h"
#include "core/text.h"

namespace convict::inline core {

/// What users of other libraries type: their words, and ours. They are understood wherever a case is read, and never
/// written.
struct Synonym {
  std::string_view theirs, ours;
};

inline constexpr Synonym kOperationSynonyms[] = {
    {"Conv1d", "conv1d"},
    {"Conv2d", "conv2d"},
    {"Conv3d", "conv3d"},
    {"ConvTranspose1d", "conv_transpose1d"},
    {"ConvTranspose2d", "conv_transpose2d"},
    {"ConvTranspose3d", "conv_transpose3d"},
    {"deconv1d", "conv_transpose1d"},
    {"deconv2d", "conv_transpose2d"},
    {"deconv3d", "conv_transpose3d"},
};

inline constexpr Synonym kFieldSynonyms[] = {
    {"batch", "n"},     {"groups", "g"},      {"in_channels", "ic"}, {"out_channels", "oc"}, {"input", "in"},
    {"kernel", "k"},    {"kernel_size", "k"}, {"stride", "s"},       {"strides", "s"},       {"dilation", "d"},
    {"dilations", "d"}, {"pad", "p"},         {"pads", "p"},         {"padding", "p"},       {"output_padding", "op"},
    {"dtype", "dt"},    {"type", "dt"},       {"layout", "lay"},
};

inline constexpr Synonym kTypeSynonyms[] = {
    {"float32", "f32"},   {"float", "f32"},   {"fp32", "f32"}, {"float64", "f64"},
    {"double", "f64"},    {"float16", "f16"}, {"half", "f16"}, {"fp16", "f16"},
    {"bfloat16", "bf16"}, {"int32", "s32"},   {"int8", "s8"},  {"uint8", "u8"},
};

inline constexpr Synonym kImplementationSynonyms[] = {
    {"torch", "libtorch"}, {"pytorch", "libtorch"}, {"aten", "libtorch"},
    {"dnnl", "onednn"},    {"mkldnn", "onednn"},    {"mkl-dnn", "onednn"},
};

/// Our word for it, or the word itself.
template <size_t N>
constexpr std::string_view meant(const Synonym (&table)[N], std::string_view word) {
  const auto found = std::ranges::find(table, word, &Synonym::theirs);
  return found == std::end(table) ? word : found->ours;
}

inline constexpr std::string_view kNoYes[] = {"no", "yes"};  // of a switch

std::string_view type_name(convict_dtype type);
size_t type_size(convict_dtype type);
double smallest_subnormal(convict_dtype type);  // of a floating-point type; 1 for integers

/// The type of the bias: f32 if dst has 8 bits, else the type of dst; but that of the sums where they are requantized.
convict_dtype bias_type(const Case& c);

/// "nchw", "nhwc", for rank 1 "ncw", for rank 3 "ncdhw"...
std::string layout_name(ActivationLayout layout, int rank);
std::string layout_name(WeightLayout layout, int rank);

/// The value of an enum, by its name in a list in the enum's order. Throws UsageError for an unknown name.
template <class Enum, size_t N>
Enum named(const std::array<std::string_view, N>& names, std::string_view name) {
  const auto found = std::ranges::find(names, name);
  if (found == names.end())
    throw UsageError(fmt::format("'{}' is not one of {}", printable(name), fmt::join(names, ", ")));
  return static_cast<Enum>(found - names.begin());
}

// How values of fields are written, for the field table and for the changes of earlier problems. What parses throws
// BadValue.

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
