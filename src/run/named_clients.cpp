// SPDX-License-Identifier: Apache-2.0
#include "run/named_clients.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <map>
#include <memory>
#include <set>
#include <tuple>

#include "core/error.h"
#include "core/strict_json.h"
#include "core/text.h"

namespace convict::run {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

constexpr std::string_view kPython = "{python}";
constexpr char kDevice = '@';  // between a name and a device

void replace(std::string& text, std::string_view placeholder, const std::string& value) {
  for (size_t at = 0; (at = text.find(placeholder, at)) != std::string::npos; at += value.size())
    text.replace(at, placeholder.size(), value);
}

/// With what placeholders stand for.
std::string filled_in(std::string command, const fs::path& folder) {
  const std::string clients = shell_quoted(folder.parent_path().string());
  replace(command, kPython, fmt::format("sh {}/shared/python.sh {}", clients, folder.filename().string()));
  replace(command, "{clients}", clients);
  replace(command, "{folder}", shell_quoted(folder.string()));
  return command;
}

NamedClient client_from(const json& row, const fs::path& folder) {
  const std::string command = strictly(row, "command"), version = strictly(row, "version");
  NamedClient client{strictly(row, "name"),         folder.filename().string(), filled_in(command, folder),
                     filled_in(version, folder), row.value("devices", std::vector<std::string>()),
                     command.starts_with(kPython)};
  const std::map<std::string, std::string> implementations = strictly(row, "implementations");
  client.implementations.assign(implementations.begin(), implementations.end());
  client.oracle = row.value("oracle", "");
  return client;
}

/// Adds the programs of a table.
void read_table(const fs::path& file, std::vector<NamedClient>& clients) try {
  std::ifstream stream(file);
  for (const json& row : json::parse(stream)) clients.push_back(client_from(row, file.parent_path()));
} catch (const json::exception& error) {
  throw UsageError(fmt::format("'{}': {}", printable(file.string(), 300), printable(error.what(), 200)));
}

/// Those that can be told to use a device, told so.
std::vector<NamedClient> on_device(std::vector<NamedClient> clients, const std::string& device) {
  const auto lacks = [&](const NamedClient& one) { return std::ranges::count(one.devices, device) == 0; };
  std::erase_if(clients, lacks);
  for (NamedClient& one : clients) {
    one.name += kDevice + device;
    one.command += ' ' + device;
    for (auto& [name, description] : one.implementations) name += kDevice + device;
    if (!one.oracle.empty()) one.oracle += kDevice + device;
  }
  return clients;
}

/// "cudnn:f32:forward:" of "cudnn:f32:forward:*"; else the name itself.
std::string_view stem_of(std::string_view name) {
  return name.ends_with(kWholeModule) ? name.substr(0, name.size() - 1) : name;
}

std::string next_line(FILE* pipe) {
  std::string line;
  for (int c = 0; (c = std::getc(pipe)) != EOF && c != '\n';) line += static_cast<char>(c);
  return std::string(trim(line));
}

}  // namespace

bool NamedClient::offers(std::string_view implementation) const {
  return std::ranges::any_of(implementations, [&](const auto& offered) {
    const std::string_view name = offered.first, stem = stem_of(name);
    return implementation == name || (stem != name && implementation.starts_with(stem));
  });
}

bool NamedClient::is_meant(std::string_view wanted, std::string_view implementation) const {
  const bool whole = wanted.ends_with(kWholeModule);
  if (!whole && offers(wanted)) return implementation == wanted;
  if (whole) wanted.remove_suffix(kWholeModule.size());
  return wanted == name || wanted == folder || implementation == wanted ||
         (implementation.starts_with(wanted) && implementation.substr(wanted.size()).starts_with(':'));
}

std::string NamedClient::how_to_install() const {
  const bool by_pip = is_in_python_package();  // which has extras for clients in Python
  if (!uses_python)
    return fmt::format("not installed; `make {}` {}installs it", folder, by_pip ? "in a checkout " : "");
  const std::string command = by_pip ? fmt::format("pip install 'convict-conv[{}]'", folder) : "make " + folder;
  return fmt::format("not installed; `{}` installs it, and CONVICT_PYTHON may name a Python that has it", command);
}

std::vector<NamedClient> named_clients() {
  std::vector<NamedClient> clients;
  const fs::path folder = shipped_folder("clients");
  if (folder.empty()) return clients;
  for (const fs::directory_entry& one : fs::directory_iterator(folder))
    if (const fs::path table = one.path() / "client.json"; fs::exists(table)) read_table(table, clients);
  std::ranges::sort(clients, {}, [](const NamedClient& one) { return std::tie(one.folder, one.name); });
  return clients;
}

std::string frameworks_of_python() {
  std::set<std::string> folders;  // several clients may be of one
  for (const NamedClient& one : named_clients())
    if (one.uses_python) folders.insert(one.folder);
  if (folders.size() < 2) return fmt::format("{}", fmt::join(folders, ""));
  const std::string last = *folders.rbegin();
  folders.erase(last);
  return fmt::format("{} or {}", fmt::join(folders, ", "), last);
}

std::vector<NamedClient> named_clients(std::string_view name) {
  std::vector<NamedClient> clients = named_clients();
  if (const size_t at = name.find(kDevice); at != std::string_view::npos)
    clients = on_device(std::move(clients), std::string(name.substr(at + 1)));
  const auto exact = std::ranges::find_if(clients, [&](const NamedClient& one) { return one.offers(name); });
  if (exact != clients.end()) return {std::move(*exact)};
  std::erase_if(clients, [&](const NamedClient& one) {
    return std::ranges::none_of(one.implementations,
                                [&](const auto& offered) { return one.is_meant(name, offered.first); });
  });
  return clients;
}

std::string witness_of(std::string_view name) {
  if (name.find(':') != std::string_view::npos) return "";
  for (const NamedClient& one : named_clients(name))
    if (!one.offers(name) && !one.oracle.empty()) return one.oracle;
  return "";
}

std::vector<ClientInstallation> installations_of(const std::vector<NamedClient>& clients) {
  struct Close {
    void operator()(FILE* pipe) const { pclose(pipe); }
  };
  std::map<std::string, std::unique_ptr<FILE, Close>> pipes;  // by command: programs of a folder share theirs
  for (const NamedClient& one : clients)
    if (auto& pipe = pipes[one.version_command]; !pipe)
      pipe.reset(popen(fmt::format("( {} ) 2> /dev/null < /dev/null", one.version_command).c_str(), "re"));
  std::map<std::string, ClientInstallation> found;
  for (const auto& [command, pipe] : pipes)
    if (pipe) found[command] = {printable(next_line(pipe.get())), printable(next_line(pipe.get()), 300)};
  std::vector<ClientInstallation> installed;
  for (const NamedClient& one : clients) installed.push_back(found[one.version_command]);
  return installed;
}

static std::filesystem::path program_folder() { return std::filesystem::read_symlink("/proc/self/exe").parent_path(); }

std::vector<std::filesystem::path> module_folders() {
  const std::filesystem::path program = program_folder();
  return {program, program / "../lib/convict"};
}

bool is_in_python_package() {
  std::error_code error;
  return std::filesystem::exists(program_folder() / "../../__init__.py", error);
}

std::filesystem::path shipped_folder(std::string_view name) {
  for (const std::filesystem::path& directory : module_folders())
    if (std::error_code error; std::filesystem::is_directory(directory / name, error))
      return std::filesystem::canonical(directory / name);
  return {};
}

}  // namespace convict::run
