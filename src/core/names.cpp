// SPDX-License-Identifier: Apache-2.0
#include "core/names.h"

#include <iterator>

#include "abi/element.h"

namespace convict::inline core {
namespace {

std::string_view spatial_letters(int rank) { return std::string_view("dhw").substr(kAxes - rank); }

convict_dtype type_named(std::string_view name) {
  for (const convict_dtype type : kDataTypes)
    if (meant(kTypeSynonyms, name) == type_name(type)) return type;
  throw BadValue("unknown data type");
}

template <class Layout>
Layout layout_named(std::string_view name, int rank, std::initializer_list<Layout> layouts) {
  std::string valid;
  for (const Layout layout : layouts) {
    if (name == layout_name(layout, rank)) return layout;
    valid += (valid.empty() ? "" : ", ") + layout_name(layout, rank);
  }
  throw BadValue(fmt::format("unknown layout '{}' (valid here: {})", printable(name, 20), valid));
}

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

int64_t number_in(std::string_view text, int64_t lowest, int64_t highest) {
  const auto value = parse_integer(text);
  if (!value) throw BadValue("not a number that fits 64 bits");
  if (*value < lowest) throw BadValue(fmt::format("less than {}", lowest));
  if (*value > highest) throw BadValue(fmt::format("more than {}", highest));
  return *value;
}

int64_t place_of(convict_dtype type) { return std::ranges::find(kDataTypes, type) - std::begin(kDataTypes); }

std::string text_of_types(const Case& c) {
  if (c.src_type == c.wei_type && c.wei_type == c.dst_type) return std::string(type_name(c.src_type));
  return fmt::format("{}:{}:{}", type_name(c.src_type), type_name(c.wei_type), type_name(c.dst_type));
}

void parse_types(std::string_view value, Case& to) {
  const auto parts = three_parts(value);
  to.src_type = type_named(parts[0]);
  to.wei_type = type_named(parts[1]);
  to.dst_type = type_named(parts[2]);
}

std::string text_of_clamp(const Case& c) { return fmt::format("{}:{}", c.clamp_low, c.clamp_high); }

void parse_clamp(std::string_view value, Case& to) {
  const auto parts = split(value, ':');
  if (parts.size() != 2) throw BadValue("not of the form low:high");
  to.clamp_low = static_cast<int>(number_in(parts[0], kNoClampLow, kNoClampHigh));
  to.clamp_high = static_cast<int>(number_in(parts[1], kNoClampLow, kNoClampHigh));
}

std::array<std::string_view, 3> three_parts(std::string_view value) {
  const auto parts = split(value, ':');
  if (parts.size() == 1) return {parts[0], parts[0], parts[0]};
  if (parts.size() != 3) throw BadValue("neither one value nor src:wei:dst");
  return {parts[0], parts[1], parts[2]};
}

std::string text_of_layouts(const Case& c) {
  return fmt::format("{}:{}:{}", layout_name(c.src_layout, c.rank), layout_name(c.wei_layout, c.rank),
                     layout_name(c.dst_layout, c.rank));
}

std::string print_layouts(const Case& c) {
  const Case usual;
  const bool is_usual = c.src_layout == usual.src_layout && c.dst_layout == usual.dst_layout &&
                        c.wei_layout == default_weight_layout(c.op);
  return is_usual ? "" : text_of_layouts(c);
}

void parse_layouts(std::string_view value, Case& to) {
  const auto parts = split(value, ':');
  const auto activations = {ActivationLayout::kChannelsFirst, ActivationLayout::kChannelsLast};
  if (parts.size() == 1) {  // of both activations; the weights stay as they are
    to.src_layout = to.dst_layout = layout_named(parts[0], to.rank, activations);
    return;
  }
  if (parts.size() != 3) throw BadValue("neither one layout nor src:wei:dst");
  to.src_layout = layout_named(parts[0], to.rank, activations);
  to.wei_layout = layout_named(parts[1], to.rank,
                               {WeightLayout::kOihw, WeightLayout::kIohw, WeightLayout::kOhwi, WeightLayout::kHwio});
  to.dst_layout = layout_named(parts[2], to.rank, activations);
}

}  // namespace convict::inline core
