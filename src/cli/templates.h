// SPDX-License-Identifier: Apache-2.0
//
// The files of templates/plugin, which cmake/Templates.cmake embeds.
#pragma once

#include <span>
#include <string_view>

namespace convict::cli {

struct Template {
  std::string_view name, text;
};

std::span<const Template> plugin_templates();

}  // namespace convict::cli
