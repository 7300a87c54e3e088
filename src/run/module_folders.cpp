// SPDX-License-Identifier: Apache-2.0
#include "run/module_folders.h"

namespace convict::run {

std::vector<std::filesystem::path> module_folders() {
  const std::filesystem::path program = std::filesystem::read_symlink("/proc/self/exe").parent_path();
  return {program, program / "../lib/convict"};
}

std::filesystem::path shipped_folder(std::string_view name) {
  for (const std::filesystem::path& directory : module_folders())
    if (std::error_code error; std::filesystem::is_directory(directory / name, error))
      return std::filesystem::canonical(directory / name);
  return {};
}

}  // namespace convict::run
