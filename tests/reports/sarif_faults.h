// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace convict::test {

/// What is wrong with a SARIF 2.1.0 log, one line each: properties that the standard does not have or that it demands,
/// values of another type or outside an enumeration, indices of nothing, URIs that are none, rules and artifacts that
/// are not there. It knows the objects that the writer uses, with all their properties; for any other object it says
/// so.
std::vector<std::string> sarif_faults(const nlohmann::json& log);

}  // namespace convict::test
