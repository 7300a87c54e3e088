// SPDX-License-Identifier: Apache-2.0
#include "core/layout_words.h"

#include <fmt/format.h>

#include "core/bad_value.h"
#include "core/names.h"
#include "core/text.h"

namespace convict::inline core {
namespace {

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
