// SPDX-License-Identifier: Apache-2.0
//
// `convict new-plugin`: a project that builds a plugin and puts it on trial, to begin with.
#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <filesystem>

#include "cli/command.h"
#include "cli/streams.h"
#include "cli/templates.h"
#include "core/error.h"
#include "core/text.h"
#include "core/verdict.h"
#include "run/loader.h"

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

/// The kernel is called like its folder, if that is a name for a target of CMake and for an implementation.
std::string name_of_kernel(const fs::path& folder) {
  constexpr std::string_view kTaken[] = {"all",  "clean",   "depend",       "edit_cache", "help",        "install",
                                         "test", "package", run::kNoOracle, kReference,   kUnattributed};
  const std::string name = (folder.has_filename() ? folder : folder.parent_path()).filename().string();
  const auto fits = [](unsigned char c) { return std::isalnum(c) || c == '_' || c == '-'; };
  const bool is_name = std::ranges::all_of(name, fits) && !name.empty() && std::isalpha(name[0]);
  const bool is_free = std::ranges::find(kTaken, name) == std::end(kTaken) && !run::is_native(name) &&
                       run::file_of_module(name).empty();
  return is_name && is_free ? name : "mine";
}

int new_plugin(const NewPluginOptions& options) {
  const bool is_c = options.language == "c";
  const std::string ending = is_c ? ".c" : ".cpp";
  const fs::path folder = options.directory;
  const std::string name = name_of_kernel(folder), source = name + ending;
  if (const std::string end = folder.extension().string(); end == ".c" || end == ".cc" || end == ".cpp" || end == ".so")
    throw UsageError(fmt::format("'{}' is the name of a file; valid: a folder to be made, such as '{}'",
                                 printable(options.directory, 300), printable(folder.stem().string(), 300)));
  std::error_code error;
  if (fs::exists(folder, error) && !fs::is_empty(folder, error))
    throw UsageError(fmt::format("'{}' is there already, and is not empty; valid: a folder to be made",
                                 printable(options.directory, 300)));
  fs::create_directories(folder, error);
  for (const Template& one : plugin_templates()) {
    const bool is_kernel = one.name.starts_with("mine.");
    if (is_kernel && one.name != "mine" + ending) continue;
    std::string text(one.text);
    replace(text, "@language@", is_c ? "C" : "CXX");
    replace(text, "@source@", source);
    replace(text, "@name@", name);
    if (is_kernel) replace(text, "\"mine\"", fmt::format("\"{}\"", name));
    write_file(folder / (is_kernel ? source : std::string(one.name)), text, "DIR");
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
