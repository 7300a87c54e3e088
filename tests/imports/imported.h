// SPDX-License-Identifier: Apache-2.0
//
// Runs importers as functions from files to lines.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "core/case_text.h"
#include "core/error.h"
#include "imports/importer.h"
#include "tests/cli/command.h"

namespace convict::test {

inline imports::Imported import_from(std::string_view format, const std::string& path) {
  for (const imports::Importer* importer : imports::all())
    if (importer->name == format) return importer->read(path);
  throw std::runtime_error("no such importer");
}

inline std::vector<std::string> lines_of(const imports::Imported& imported) {
  std::vector<std::string> lines;
  for (const CorpusEntry& entry : imported.cases) lines.push_back(to_text(entry.c));
  return lines;
}

inline std::vector<std::string> reasons_of(const imports::Imported& imported) {
  std::vector<std::string> reasons;
  for (const imports::Unexpressed& one : imported.unexpressed) reasons.push_back(one.reason);
  return reasons;
}

/// The message of the UsageError that importing throws; empty if it throws none.
inline std::string error_of_import(std::string_view format, const std::string& path) {
  try {
    import_from(format, path);
  } catch (const UsageError& error) {
    return error.what();
  }
  return "";
}

/// Files in a directory of their own.
class ImportTest : public testing::Test {
 protected:
  std::string put(const std::string& name, const std::string& text) const {
    std::filesystem::create_directories(std::filesystem::path(directory_.file(name)).parent_path());
    write_file(directory_.file(name), text);
    return directory_.file(name);
  }
  std::string file(const std::string& name) const { return directory_.file(name); }

  TemporaryDirectory directory_;
};

}  // namespace convict::test
