// SPDX-License-Identifier: Apache-2.0
#include "cli/sanitizer.h"

#include <fmt/format.h>
#include <stdlib.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>

#include "core/error.h"
#include "core/plugin_name.h"
#include "core/text.h"
#include "run/named_clients.h"

namespace convict::cli {
namespace {

namespace fs = std::filesystem;

constexpr const char* kProgram = "compute-sanitizer";
constexpr size_t kMostLines = 40;

bool is_installed() {
  const char* path = getenv("PATH");
  const std::string folders = path ? path : "";
  for (size_t begin = 0; begin <= folders.size();) {
    const size_t end = std::min(folders.find(':', begin), folders.size());
    if (access((fs::path(folders.substr(begin, end - begin)) / kProgram).c_str(), X_OK) == 0) return true;
    begin = end + 1;
  }
  return false;
}

/// Each of its logs ends with such a line.
bool says_errors(const std::string& line) {
  return line.find("ERROR SUMMARY: ") != std::string::npos && line.find(": 0 errors") == std::string::npos;
}

}  // namespace

Sanitizer::Sanitizer(run::RosterRequest& request) {
  if (!is_installed())
    throw UsageError("--sanitize: compute-sanitizer is not in PATH; valid: where CUDA's toolkit is installed");
  std::vector<std::string> commands, names;
  for (const std::string& plugin : request.plugins) {
    if (convict::is_command(plugin)) commands.emplace_back(as_written(plugin));
    if (is_named_client(plugin)) names.emplace_back(as_written(plugin));
  }
  if (commands.empty() && names.empty()) names = request.targets;  // else they are of these clients
  for (const std::string& name : names)
    for (const run::NamedClient& client : run::named_clients(name)) commands.push_back(client.command);
  if (commands.empty())
    throw UsageError("--sanitize: no client is asked; valid: --command 'python3 mine.py', or a --target of one");
  std::erase_if(request.plugins, [](const std::string& plugin) { return is_client(plugin); });
  std::ranges::sort(commands);
  commands.erase(std::ranges::unique(commands).begin(), commands.end());
  for (const std::string& command : commands)
    request.plugins.push_back(std::string(kCommandPrefix) + around(command));
}

/// Its stdout is that of the client, so it writes to a file. The command is for a shell, whose children it looks at.
std::string Sanitizer::around(const std::string& command) const {
  return fmt::format("{} --log-file {} --target-processes all sh -c {}", kProgram,
                     shell_quoted(logs_.file("%p.log")), shell_quoted(command));
}

Sanitizer::MemoryReport Sanitizer::report() const {
  std::vector<fs::path> files;
  for (const fs::directory_entry& one : fs::directory_iterator(logs_.path())) files.push_back(one.path());
  std::ranges::sort(files);
  MemoryReport report;
  size_t lines = 0;
  for (const fs::path& file : files) {
    std::ifstream stream(file);
    for (std::string line; std::getline(stream, line);) {
      report.has_errors |= says_errors(line);
      if (++lines <= kMostLines) report.text += printable(line, 200) + "\n";
    }
  }
  if (lines > kMostLines) report.text += fmt::format("and {}\n", counted(lines - kMostLines, "more line"));
  if (lines == 0) report.text = std::string(kProgram) + " said nothing\n";
  return report;
}

}  // namespace convict::cli
