// SPDX-License-Identifier: Apache-2.0
//
// Stands in for libFuzzer under the guided worker, where there is no clang: mutates what it has kept, and keeps what
// sets a counter that nothing has set before. It knows no edges; it calls, reads and writes the corpus, and leaves an
// artifact of an input that calls exit(), as libFuzzer does.
#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/random.h"
#include "fuzz/guidance.h"
#include "fuzz/record.h"

extern "C" size_t LLVMFuzzerCustomMutator(uint8_t* data, size_t size, size_t most, unsigned int seed);
extern "C" int LLVMFuzzerRunDriver(int* argc, char*** argv, int (*callback)(const uint8_t* data, size_t size));

namespace {

using Bytes = std::vector<uint8_t>;

std::vector<Bytes> read_all(const std::filesystem::path& folder) {
  std::vector<Bytes> corpus;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    std::ifstream in(entry.path(), std::ios::binary);
    corpus.emplace_back(std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>());
  }
  return corpus;
}

std::string artifact;  // the name of the file; empty outside of a call

/// libFuzzer does this in a handler of exit(), too.
void leave_artifact() {
  if (!artifact.empty()) std::ofstream(artifact) << "input";
}

std::string artifact_prefix(int count, char** arguments) {
  constexpr std::string_view kFlag = "-artifact_prefix=";
  for (const std::string_view argument : std::span(arguments, static_cast<size_t>(count)))
    if (argument.starts_with(kFlag)) return std::string(argument.substr(kFlag.size()));
  return "./";
}

}  // namespace

int LLVMFuzzerRunDriver(int* argc, char*** argv, int (*callback)(const uint8_t* data, size_t size)) {
  if (*argc < 2) return 1;
  const std::filesystem::path folder = (*argv)[1];
  std::vector<Bytes> corpus = read_all(folder);
  corpus.emplace_back();
  std::vector<uint8_t> seen(convict::fuzz::marks().size());
  const auto is_news = [&] {
    bool news = false;
    for (size_t i = 0; i < seen.size(); ++i) news |= convict::fuzz::marks()[i] && !std::exchange(seen[i], 1);
    return news;
  };
  artifact = artifact_prefix(*argc, *argv) + "crash-0";
  std::atexit(leave_artifact);
  for (const Bytes& bytes : corpus) callback(bytes.data(), bytes.size());
  convict::Random random(1, 0);
  Bytes bytes(convict::fuzz::record_size());
  for (uint64_t i = 0;; ++i) {
    const Bytes& from = random.pick(std::span<const Bytes>(corpus));
    std::ranges::fill(bytes, uint8_t{0});
    const size_t kept = std::min(from.size(), bytes.size());
    std::copy_n(from.begin(), kept, bytes.begin());
    const size_t size = LLVMFuzzerCustomMutator(bytes.data(), kept, bytes.size(), static_cast<unsigned>(random.bits()));
    callback(bytes.data(), size);  // ends this process once nobody wants more
    if (!is_news()) continue;
    corpus.emplace_back(bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(size));
    std::ofstream(folder / fmt::format("kept-{:06}", i), std::ios::binary)
        .write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(size));
  }
}
