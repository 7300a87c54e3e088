// SPDX-License-Identifier: Apache-2.0
#include "core/names.h"

#include "abi/element.h"

namespace convict::inline core {
namespace {

std::string_view spatial_letters(int rank) { return std::string_view("dhw").substr(kAxes - rank); }

}  // namespace

std::string_view type_name(convict_dtype type) {
  switch (type) {
    case CONVICT_F32: return "f32";
    case CONVICT_F64: return "f64";
    case CONVICT_F16: return "f16";
    case CONVICT_BF16: return "bf16";
    case CONVICT_S8: return "s8";
    case CONVICT_U8: return "u8";
    case CONVICT_S32: return "s32";
    case CONVICT_S16: return "s16";
    case CONVICT_S64: return "s64";
  }
  return "?";
}

size_t type_size(convict_dtype type) {
  return with_type(type, [](auto zero) { return sizeof zero; });
}

double smallest_subnormal(convict_dtype type) {
  switch (type) {
    case CONVICT_F64: return 0x1p-1074;
    case CONVICT_F32: return 0x1p-149;
    case CONVICT_BF16: return 0x1p-133;
    case CONVICT_F16: return 0x1p-24;
    case CONVICT_S8:
    case CONVICT_U8:
    case CONVICT_S16:
    case CONVICT_S32:
    case CONVICT_S64: break;
  }
  return 1;
}

convict_dtype bias_type(const Case& c) {
  if (c.requant != Requant::kNone) return c.src_type == CONVICT_S16 ? CONVICT_S64 : CONVICT_S32;
  return c.dst_type == CONVICT_S8 || c.dst_type == CONVICT_U8 ? CONVICT_F32 : c.dst_type;
}

std::string layout_name(ActivationLayout layout, int rank) {
  const std::string spatial(spatial_letters(rank));
  return layout == ActivationLayout::kChannelsFirst ? "nc" + spatial : "n" + spatial + "c";
}

std::string layout_name(WeightLayout layout, int rank) {
  const std::string spatial(spatial_letters(rank));
  switch (layout) {
    case WeightLayout::kOihw: return "oi" + spatial;
    case WeightLayout::kIohw: return "io" + spatial;
    case WeightLayout::kOhwi: return "o" + spatial + "i";
    case WeightLayout::kHwio: return spatial + "io";
  }
  return "";
}

}  // namespace convict::inline core
