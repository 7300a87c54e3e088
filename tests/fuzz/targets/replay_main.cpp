// SPDX-License-Identifier: Apache-2.0
//
// Stands in for libFuzzer where it is not linked: runs the fuzz target on the files given, and on all files of the
// folders given.
#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

namespace {

std::vector<std::filesystem::path> files_of(int count, char** names) {
  std::vector<std::filesystem::path> files;
  for (int i = 0; i < count; ++i) {
    if (!std::filesystem::is_directory(names[i]))
      files.emplace_back(names[i]);
    else
      for (const auto& entry : std::filesystem::recursive_directory_iterator(names[i]))
        if (entry.is_regular_file()) files.push_back(entry.path());
  }
  std::ranges::sort(files);
  return files;
}

}  // namespace

int main(int argc, char** argv) {
  const auto files = files_of(argc - 1, argv + 1);
  for (const auto& file : files) {
    std::ifstream in(file, std::ios::binary);
    if (!in) {
      fmt::print(stderr, "{}: cannot read '{}'\n", argv[0], file.string());
      return 2;
    }
    const std::string bytes((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>());
    LLVMFuzzerTestOneInput(reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size());
  }
  fmt::print("{} inputs replayed\n", files.size());
  return files.empty() ? 2 : 0;
}
