// SPDX-License-Identifier: Apache-2.0
//
// Seed inputs for the fuzzers that read foreign files, made by our own writers of those formats.
#pragma once

#include <string>
#include <vector>

namespace convict::fuzz {

std::vector<std::string> importer_inputs();  // of fuzz_importers
std::vector<std::string> database_inputs();  // of fuzz_database
std::vector<std::string> plugin_inputs();    // of fuzz_plugin_border

}  // namespace convict::fuzz
