// SPDX-License-Identifier: Apache-2.0
#include "tests/fuzz/parsers/scratch.h"

#include <stdlib.h>
#include <unistd.h>

#include <fstream>
#include <system_error>

namespace convict::fuzz {
namespace {

namespace fs = std::filesystem;

fs::path parent() {
  const fs::path memory = "/dev/shm";
  return access(memory.c_str(), W_OK | X_OK) == 0 ? memory : fs::temp_directory_path();
}

}  // namespace

Scratch::Scratch() {
  std::string pattern = (parent() / "convict-fuzz-XXXXXX").string();
  if (!mkdtemp(pattern.data())) throw std::system_error(errno, std::generic_category(), pattern);
  directory_ = pattern;
}

Scratch::~Scratch() {
  std::error_code ignored;
  fs::remove_all(directory_, ignored);
}

void Scratch::write(std::string_view name, std::string_view bytes) const {
  const fs::path file = directory_ / name;
  fs::create_directories(file.parent_path());
  std::ofstream out(file, std::ios::binary);
  out.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  if (!out.flush()) throw std::system_error(errno, std::generic_category(), file.string());
}

void Scratch::clear() const {
  for (const fs::directory_entry& entry : fs::directory_iterator(directory_)) fs::remove_all(entry.path());
}

}  // namespace convict::fuzz
