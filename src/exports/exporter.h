// SPDX-License-Identifier: Apache-2.0
//
// Exports: one case in the language of those who have to repair what it shows. One file each, src/export/<name>.cpp,
// which defines `export_<name>`; the build lists them.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/case.h"

namespace convict::exports {

/// `name` is a relative path of our choice, never one of the input's.
struct ExportFile {
  std::string name;
  std::string bytes;
};

/// What a row of a database says about a mismatch. Anybody may have written it: it is to be quoted, never trusted.
struct Evidence {
  std::string suspect, verdict;
  nlohmann::json certificate = nlohmann::json::object();
};

/// What is to be exported. Unless `must_be_refused`, the case is legal.
struct ExportRequest {
  Case c;
  bool must_be_refused = false;
  std::optional<Evidence> evidence = std::nullopt;
};

/// What comes out of an exporter: one file that people can read, one that they cannot, or a directory of files.
enum class ExportForm { kText, kBinary, kDirectory };

struct Exporter {
  std::string_view name;  // "pytorch"
  std::string_view help;  // one line
  ExportForm form;
  /// Why the request cannot be expressed, or nothing.
  std::string (*unsuited)(const ExportRequest& request);
  /// Precondition: unsuited() says nothing, and neither does too_large(). One file unless `form` is kDirectory.
  std::vector<ExportFile> (*write)(const ExportRequest& request);
};

/// All of them, sorted by name.
std::span<const Exporter* const> all();

}  // namespace convict::exports
