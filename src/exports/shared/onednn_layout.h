// SPDX-License-Identifier: Apache-2.0
//
// The layouts that oneDNN works in, for the exporters that show it.
#pragma once

#include <utility>

#include "exports/exporter.h"

namespace convict::exports {

/// Of src and dst. With all but the first, oneDNN chooses the layout of the weights.
enum class OnednnLayout { kOfTheCase, kChosenByOnednn, kChannelsFirst, kChannelsLast };

/// That of the accused variant. Without evidence against one: that of the case.
inline OnednnLayout onednn_layout(const ExportRequest& request) {
  constexpr std::pair<std::string_view, OnednnLayout> kVariants[] = {
      {"onednn:any", OnednnLayout::kChosenByOnednn},
      {"onednn:channels_first", OnednnLayout::kChannelsFirst},
      {"onednn:channels_last", OnednnLayout::kChannelsLast},
  };
  for (const auto& [name, layout] : kVariants)
    if (request.evidence && request.evidence->suspect == name) return layout;
  return OnednnLayout::kOfTheCase;
}

}  // namespace convict::exports
