// SPDX-License-Identifier: Apache-2.0
#include "core/json_text.h"

#include <nlohmann/json.hpp>

namespace convict::inline core {

using nlohmann::json;

std::string json_line(const json& value) { return value.dump(-1, ' ', false, json::error_handler_t::replace); }

std::string json_document(const json& value) {
  return value.dump(2, ' ', false, json::error_handler_t::replace) + "\n";
}

}  // namespace convict::inline core
