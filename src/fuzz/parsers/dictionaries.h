// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>

namespace convict::fuzz {

/// Dictionaries in the format of libFuzzer's -dict, by name: case_text, importers, database. Fields, verdicts and keys
/// come from the tables that the program itself uses.
std::map<std::string, std::string> dictionaries();

}  // namespace convict::fuzz
