// SPDX-License-Identifier: Apache-2.0
#include "workers/guided_engine.h"

#include <fmt/format.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <system_error>

#include "core/error.h"
#include "core/text.h"

namespace convict::workers {
namespace {

namespace fs = std::filesystem;

constexpr const char* kProgram = "convict-guided";
}  // namespace

std::string guided_program() {
  std::error_code error;
  if (const char* named = std::getenv("CONVICT_GUIDED")) {
    if (fs::is_regular_file(named, error)) return named;
    throw UsageError(fmt::format("CONVICT_GUIDED: '{}' is not a file", printable(named, 200)));
  }
  const fs::path here = fs::read_symlink("/proc/self/exe", error).parent_path();
  for (const fs::path& folder : {here, here / "../fuzz", here / "../lib/convict"})
    if (fs::is_regular_file(folder / kProgram, error)) return (folder / kProgram).lexically_normal().string();
  throw UsageError(
      "--engine libfuzzer: this convict was built without it; install clang and libclang-rt-dev and run `cmake "
      "--workflow --preset fuzz` in its sources, or name the program in CONVICT_GUIDED");
}

void prepare_corpus(const std::string& folder) {
  std::error_code error;
  fs::create_directories(folder, error);
  const std::string shown = printable(folder, 200);
  if (!fs::is_directory(folder, error))
    throw UsageError(fmt::format("--corpus: '{}' is not a folder, nor can it be made", shown));
  const fs::path probe = fs::path(folder) / ".probe";
  std::ofstream out(probe);
  out << "x" << std::flush;
  const bool writable = out.good();
  out.close();
  fs::remove(probe, error);
  if (!writable)
    throw UsageError(
        fmt::format("--corpus: nothing can be written to '{}'; is it read-only, or the disk full?", shown));
}

}  // namespace convict::workers
