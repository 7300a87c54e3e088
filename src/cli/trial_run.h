// SPDX-License-Identifier: Apache-2.0
//
// An exported script is run before it is offered: whoever gets it should know whether it shows the fault.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "exports/exporter.h"

namespace convict::cli {

/// Whose fault it is to show, and the file that its implementation comes from ("" for a native kernel).
struct ScriptSubject {
  std::string suspect, library;
  std::string include_folder = {};  // as ExportRequest
};

/// One sentence: "ran here: shows the fault", or why it was not run. "" for a format that nothing runs.
std::string trial_run(std::string_view format, const std::vector<exports::ExportFile>& files,
                      const ScriptSubject& subject);

}  // namespace convict::cli
