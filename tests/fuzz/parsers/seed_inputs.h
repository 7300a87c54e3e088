// SPDX-License-Identifier: Apache-2.0
//
// Seed inputs for the fuzzers that read foreign files, made by our own writers of those formats, and dictionaries.
#pragma once

#include <map>
#include <string>
#include <vector>

namespace convict::fuzz {

std::vector<std::string> importer_inputs();  // of fuzz_importers
std::vector<std::string> database_inputs();  // of fuzz_database
std::vector<std::string> plugin_inputs();    // of fuzz_plugin_border
std::vector<std::string> message_inputs();   // of fuzz_messages

/// Dictionaries in the format of libFuzzer's -dict, by name: case_text, importers, database. Fields, verdicts and keys
/// come from the tables that the program itself uses.
std::map<std::string, std::string> dictionaries();

}  // namespace convict::fuzz
