// SPDX-License-Identifier: Apache-2.0
//
// `convict new-plugin`: a project that builds a plugin and puts it on trial, to begin with.
#include <fmt/format.h>

#include <filesystem>
#include <fstream>

#include "cli/command.h"
#include "cli/streams.h"
#include "cli/templates.h"
#include "core/error.h"
#include "core/text.h"

namespace convict::cli {
namespace {

namespace fs = std::filesystem;

struct NewPluginOptions {
  std::string language = "c++", directory;
};

void replace(std::string& text, std::string_view what, std::string_view by) {
  for (size_t at = 0; (at = text.find(what, at)) != std::string::npos; at += by.size())
    text.replace(at, what.size(), by);
}

/// Of `cmake -B build`: the prefix of this program, if CMake does not look there by itself.
std::string prefix_flag() {
  const fs::path prefix = fs::read_symlink("/proc/self/exe").parent_path().parent_path();
  std::error_code ignored;
  if (prefix == "/usr" || prefix == "/usr/local" || !fs::exists(prefix / "lib/cmake/convict", ignored)) return "";
  return " " + shell_quoted("-DCMAKE_PREFIX_PATH=" + prefix.string());
}

int new_plugin(const NewPluginOptions& options) {
  const bool is_c = options.language == "c";
  const std::string source = is_c ? "mine.c" : "mine.cpp";
  const fs::path folder = options.directory;
  if (const std::string end = folder.extension().string(); end == ".c" || end == ".cc" || end == ".cpp" || end == ".so")
    throw UsageError(fmt::format("'{}' is the name of a file; valid: a folder to be made, such as '{}'",
                                 printable(options.directory, 300), printable(folder.stem().string(), 300)));
  std::error_code error;
  if (fs::exists(folder, error) && !fs::is_empty(folder, error))
    throw UsageError(fmt::format("'{}' is there already, and is not empty; valid: a folder to be made",
                                 printable(options.directory, 300)));
  fs::create_directories(folder, error);
  for (const Template& one : plugin_templates()) {
    if (one.name.starts_with("mine.") && one.name != source) continue;
    std::string text(one.text);
    replace(text, "@language@", is_c ? "C" : "CXX");
    replace(text, "@source@", source);
    write_file(folder / one.name, text, "DIR");
  }
  print(
      fmt::format("wrote CMakeLists.txt and {} to {}\n"
                  "cd {} && cmake -B build{} && cmake --build build && ctest --test-dir build --output-on-failure\n",
                  source, printable(options.directory, 300), shell_quoted(options.directory), prefix_flag()));
  return kClean;
}

}  // namespace

void add_new_plugin(Command app, int& exit_code) {
  auto [command, options] =
      add_command(app, exit_code, new_plugin, "new-plugin", "Write a project that builds a plugin and puts it on trial",
                  "Example:\n  convict new-plugin --lang c mine\nExit codes: 0 written, 2 usage");
  command.option("--lang", options.language, "Of the kernel").one_of({"c", "c++"}).shows_default();
  command.option("directory", options.directory, "Folder to be made").required().not_empty();
}

}  // namespace convict::cli
