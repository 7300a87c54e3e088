// SPDX-License-Identifier: Apache-2.0
#include "run/module_folders.h"

namespace convict::run {

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
