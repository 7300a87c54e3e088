// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "abi/convict.h"
#include "core/matrix_unit.h"
#include "run/code_path.h"
#include "run/process_target.h"
#include "run/turns.h"

namespace convict::run {

/// One implementation in a campaign.
struct Subject {
  const convict_implementation* implementation = nullptr;
  bool is_target = false;
  std::string version = {};
  std::string name = {};    // as it was when it was loaded: the pointer above leads into memory of a library
  std::string plugin = {};  // what it came from (core/plugin_name.h); empty for a native kernel and for our modules
  bool is_foreign = false;  // it came from a file: a plugin or a module
  Turns turns = {};         // of an oracle that the user did not name
  convict_abilities abilities = {};
  Declarations declarations = {};
  std::vector<std::string> examples = {};  // lines of cases that it says it takes
  std::shared_ptr<const CodePath> code_path = {};     // that `implementation` is, of another one
  std::shared_ptr<ProcessTarget> process = {};  // its client computes; ends with the last subject
};

/// The implementations of a plugin in memory. `shown` names it in messages. Throws UsageError.
std::vector<Subject> subjects_of(const convict_plugin* plugin, const std::string& shown);

}  // namespace convict::run
