// SPDX-License-Identifier: Apache-2.0
//
// The clients that come with this program, known by name as modules are (docs/frameworks.md). Each
// folder of clients/ may have a table, client.json: what its programs are called, offer and need. They are read from
// there, so that a client need not be started to be listed.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace convict::run {

/// One program.
struct NamedClient {
  std::string name = {};                            // "tfjs"
  std::string folder = {};                          // "js": `make js` installs it; other programs may be of it, too
  std::string command = {}, version_command = {};   // for a shell
  std::vector<std::string> devices = {};            // besides the processor, that it takes as an argument
  bool uses_python = false;                         // that of the user, if it has what the client needs
  /// Name and description, sorted by name. "cudnn:f32:forward:*": which there are is known when the client is started.
  std::vector<std::pair<std::string, std::string>> implementations = {};
  std::string oracle = {};  // the one that is a witness for all of the folder; "" if another program has it

  /// Whether it has an implementation of this name, or may have.
  bool offers(std::string_view implementation) const;

  /// Whether a name of a request stands for an implementation of this client: for itself; else for those of this
  /// client, of its folder, or with this name before a colon, also with kWholeModule behind it.
  bool is_meant(std::string_view name, std::string_view implementation) const;

  /// One line: that it is not installed, and how to do it.
  std::string how_to_install() const;
};

/// What is behind a client on this machine.
struct ClientInstallation {
  std::string version;  // "" if it is not installed
  std::string where;    // the program that has it: "/home/me/env/bin/python3"; "" if there is only one

  bool is_there() const { return !version.empty(); }
};

/// All of them, sorted by folder and name. Throws UsageError for a table that makes no sense.
std::vector<NamedClient> named_clients();

/// What the clients in Python call, as one text: "jax, torch or tvm".
std::string frameworks_of_python();

/// Those with implementations that a name of a request stands for. A name may end with "@" and one of their devices:
/// they are clients of their own then, with names that all end so.
std::vector<NamedClient> named_clients(std::string_view name);

/// The one implementation that witnesses where an oracle has the name of a client or a folder, such as "torch": all of
/// them would take minutes to start, and hardly tell more. "" if the name is another one, and with a colon.
std::string witness_of(std::string_view name);

/// By position: what is installed. Asks each client's command for versions, all at once; none of them loads a library.
std::vector<ClientInstallation> installations_of(const std::vector<NamedClient>& clients);

/// Where the modules of this program are, and folders that come with it: beside the program (in a build tree), and in
/// its library directory (once installed).
std::vector<std::filesystem::path> module_folders();

/// A folder that comes with the program, without links: "clients", "corpus"; empty if it is not there.
std::filesystem::path shipped_folder(std::string_view name);

/// Whether this program lies in the Python package, as a wheel has it (pyproject.toml).
bool is_in_python_package();

inline constexpr std::string_view kWholeModule = ":*";  // behind the name of a module or a client: all that it has

}  // namespace convict::run
