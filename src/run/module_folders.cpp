// SPDX-License-Identifier: Apache-2.0
#include "run/module_folders.h"

namespace convict::run {

std::vector<std::filesystem::path> module_folders() {
  const std::filesystem::path program = std::filesystem::read_symlink("/proc/self/exe").parent_path();
  return {program, program / "../lib/convict"};
}

}  // namespace convict::run
