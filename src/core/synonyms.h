// SPDX-License-Identifier: Apache-2.0
//
// What users of other libraries type: their words, and ours. They are understood wherever a case is read, and never
// written.
#pragma once

#include <algorithm>
#include <iterator>
#include <string_view>

namespace convict::inline core {

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

}  // namespace convict::inline core
