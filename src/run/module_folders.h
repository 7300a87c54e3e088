// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string_view>
#include <vector>

namespace convict::run {

/// Where the modules of this program are, and folders that come with it: beside the program (in a build tree), and in
/// its library directory (once installed).
std::vector<std::filesystem::path> module_folders();

/// A folder that comes with the program, without links: "clients", "corpus"; empty if it is not there.
std::filesystem::path shipped_folder(std::string_view name);

/// Whether this program lies in the Python package, as a wheel has it (pyproject.toml).
bool is_in_python_package();

inline constexpr std::string_view kWholeModule = ":*";  // behind the name of a module or a client: all that it has

}  // namespace convict::run
