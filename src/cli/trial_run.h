// SPDX-License-Identifier: Apache-2.0
//
// An exported script is run before it is offered, so that it can say whether it shows the fault here.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "exports/exporter.h"

namespace convict::cli {

/// The implementation with the fault, and the file that it comes from ("" for a native kernel).
struct ScriptSubject {
  std::string suspect, library;
  std::string include_folder = {};  // as ExportRequest
};

/// One sentence: "ran here: shows the fault", or why it was not run. "" for a format that nothing runs.
std::string trial_run(std::string_view format, const std::vector<exports::ExportFile>& files,
                      const ScriptSubject& subject);

}  // namespace convict::cli
