// SPDX-License-Identifier: Apache-2.0
#include "cli/known_plugins.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string_view>
#include <system_error>

#include "cli/options.h"
#include "core/plugin_name.h"

namespace convict::cli {
namespace {

namespace fs = std::filesystem;

constexpr size_t kMostRemembered = 1000;

/// Empty if this user has no such place.
fs::path file_of_plugins() {
  const std::string_view state = environment_variable("XDG_STATE_HOME"), home = environment_variable("HOME");
  // The XDG Base Directory Specification ignores paths that are not absolute.
  if (state.starts_with('/')) return fs::path(state) / "convict" / "plugins";
  return home.starts_with('/') ? fs::path(home) / ".local/state/convict/plugins" : fs::path();
}

std::vector<std::string> remembered() {
  std::ifstream file(file_of_plugins());
  std::vector<std::string> paths;
  for (std::string line; paths.size() < kMostRemembered && std::getline(file, line);) paths.push_back(line);
  return paths;
}

/// Empty if there is no such file, or if its name does not fit a line.
std::string whole_path(const std::string& plugin) {
  std::error_code error;
  // The same command may start another program in another folder.
  const std::string path = is_command(plugin) ? fmt::format("{} (in {})", plugin, fs::current_path(error).string())
                                              : fs::canonical(plugin, error).string();
  return error || path.find('\n') != std::string::npos ? "" : path;
}

/// Replaces the file at once: another convict may read it.
void write(const std::vector<std::string>& paths) {
  const fs::path file = file_of_plugins(), temporary = fmt::format("{}.{}", file.string(), getpid());
  std::error_code error;
  fs::create_directories(file.parent_path(), error);
  std::ofstream out(temporary);
  for (const std::string& path : paths) out << path << '\n';
  out.close();
  if (out) fs::rename(temporary, file, error);
  if (!out || error) fs::remove(temporary, error);
}

}  // namespace

void remember_plugins(const std::vector<std::string>& plugins) {
  if (file_of_plugins().empty()) return;
  const std::vector<std::string> before = remembered();
  std::vector<std::string> paths = before;
  for (const std::string& plugin : plugins)
    if (const std::string path = whole_path(plugin); !path.empty()) {
      std::erase(paths, path);
      paths.insert(paths.begin(), path);
    }
  if (paths.size() > kMostRemembered) paths.resize(kMostRemembered);
  if (paths != before) write(paths);
}

bool is_known_plugin(const std::string& plugin) {
  const std::string path = whole_path(plugin);
  const std::vector<std::string> known = remembered();
  if (path.empty() || std::ranges::find(known, path) == known.end()) return false;
  struct stat status {};
  return is_command(plugin) || (stat(path.c_str(), &status) == 0 && (status.st_uid == geteuid() || status.st_uid == 0));
}

}  // namespace convict::cli
