// SPDX-License-Identifier: Apache-2.0
//
// What the README shows is typed into a shell, in an empty directory that holds the header as an installation has it:
// its kernel is compiled, and every command prints what the README says.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <regex>
#include <string>
#include <vector>

#include "run/loader.h"
#include "tests/cli/command.h"

namespace convict::test {
namespace {

constexpr std::string_view kPrompt = "$ ", kKernel = "```cpp", kFence = "```", kLeftOut = "...\n";

struct Shown {
  std::string command, output;
};

struct Readme {
  std::string kernel;
  std::vector<Shown> session;
};

Readme read_readme() {
  std::ifstream file(CONVICT_README);
  Readme readme;
  std::string* text = nullptr;  // what the next line belongs to
  for (std::string line; std::getline(file, line);) {
    if (line == kKernel) {
      text = &readme.kernel;
    } else if (line.starts_with(kFence)) {
      text = nullptr;
    } else if (line.starts_with(kPrompt)) {
      readme.session.push_back({line.substr(kPrompt.size()), ""});
      text = &readme.session.back().output;
    } else if (text) {
      *text += line + "\n";
    }
  }
  return readme;
}

/// Seconds and rates differ from run to run. How many cases an explanation was tried on may differ between versions of a
/// library.
std::string without_rates(const std::string& output) {
  constexpr std::string_view kBegin = "but for ", kTried = "N of N", kEnd = " cases tried";
  static const std::regex kRate(" in [0-9.,]+ s, [0-9,]+/s;");
  std::string shown = std::regex_replace(output, kRate, " in no time;");
  for (size_t at = shown.find(kBegin); at != std::string::npos; at = shown.find(kBegin, at)) {
    at += kBegin.size();
    if (const size_t end = shown.find(kEnd, at); end != std::string::npos) shown.replace(at, end - at, kTried);
  }
  return shown;
}

/// With time to explain what a campaign finds, however slow or busy the machine is: sanitizers take ten times as long.
std::string with_time(const std::string& command) {
  return command.starts_with("convict fuzz ") ? command + " --shrink 10m" : command;
}

/// The README may leave out whole lines at the end, and says so.
std::string as_shown(const std::string& output, const std::string& shown) {
  const size_t left_out = shown.find(kLeftOut);
  return left_out == std::string::npos ? output : output.substr(0, left_out) + std::string(kLeftOut);
}

bool needs_libraries(const std::string& command) {
  return command.starts_with("convict ") && command.find("--oracle none") == std::string::npos;
}

bool libraries_are_here() {
  const std::vector<std::string> modules = run::installed_modules();
  return std::ranges::count(modules, "libtorch") + std::ranges::count(modules, "onednn") == 2;
}

TEST(Readme, ItsKernelAndItsSessionAreReal) {
  const TemporaryDirectory directory;
  std::filesystem::create_directories(directory.path() / "include/convict");
  std::filesystem::copy_file(CONVICT_ABI_HEADER, directory.path() / "include/convict/convict.h");
  const std::string installed = std::filesystem::path(CONVICT_PROGRAM).parent_path().string();
  const Readme readme = read_readme();
  write_file(directory.file("mine.cpp"), readme.kernel);
  ASSERT_EQ(readme.session.size(), 4u);
  for (const auto& [command, output] : readme.session) {
    if (needs_libraries(command) && !libraries_are_here()) continue;
    const CommandResult result =
        run_convict({"-c", "PATH=" + installed + ":$PATH; export CPATH=include; " + with_time(command)},
                    {.directory = directory.path(), .program = "/bin/sh"});
    EXPECT_EQ(as_shown(without_rates(result.out), without_rates(output)), without_rates(output)) << command << "\n"
                                                                                                 << result.err;
  }
}

}  // namespace
}  // namespace convict::test
