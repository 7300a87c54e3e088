// SPDX-License-Identifier: Apache-2.0
#include "core/mismatch_json.h"

#include <nlohmann/json.hpp>

#include "core/case_text.h"

namespace convict::inline core {

using nlohmann::json;

json to_json(const Mismatch& m) {
  return {{"case", to_text(m.problem_case)},
          {"suspect", m.suspect},
          {"verdict", name_of(m.verdict)},
          {"blame", name_of(m.blame)},
          {"certificate", to_json(m.certificate)}};
}

Mismatch mismatch_from_json(const json& j) {
  return {parse_case(j.at("case").get<std::string>()), j.at("suspect"),
          verdict_named(j.at("verdict").get<std::string>()), blame_named(j.at("blame").get<std::string>()),
          certificate_from_json(j.at("certificate"))};
}

}  // namespace convict::inline core
