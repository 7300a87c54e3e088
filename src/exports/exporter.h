// SPDX-License-Identifier: Apache-2.0
//
// Exports: one case as a program or file for those who repair the fault. One file each, src/exports/<name>.cpp, defines
// `export_<name>`; the build lists them.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/case.h"

namespace convict::exports {

/// `name` is a relative path that this program chooses; it never comes from the input.
struct ExportFile {
  std::string name;
  std::string bytes;
};

/// The facts of a database row about a mismatch. They may be from another program: quote them, never trust them.
struct Evidence {
  std::string suspect, verdict;
  nlohmann::json certificate = nlohmann::json::object();
};

/// The case to export. It is legal unless `must_be_refused`.
struct ExportRequest {
  Case c;
  bool must_be_refused = false;
  std::optional<Evidence> evidence = std::nullopt;
  std::string library = {};         // that has the suspect, if it is a file
  std::string include_folder = {};  // that has convict/convict.h, if the compiler does not know it
};

/// The output of an exporter: one text file, one binary file, or a directory of files.
enum class ExportForm { kText, kBinary, kDirectory };

struct Exporter {
  std::string_view name;  // "pytorch"
  std::string_view help;  // one line
  ExportForm form;
  /// Why the format cannot express the request; empty if it can.
  std::string (*unsuited)(const ExportRequest& request);
  /// Returns one file unless `form` is kDirectory. Precondition: unsuited() and too_large() return no reason.
  std::vector<ExportFile> (*write)(const ExportRequest& request);
};

/// All exporters, sorted by name.
std::span<const Exporter* const> all();

}  // namespace convict::exports
