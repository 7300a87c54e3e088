// SPDX-License-Identifier: Apache-2.0
//
// How far the estimates of the native kernel `auto` are off on this machine: a file that `convict bench --calibrate`
// writes for the user, and `auto` reads. Its lines are a heading with the version of the estimates, the processor, and
// a factor for each kernel and face:
//
//     convict calibration of auto 5
//     AMD EPYC 9V74
//     implicit_gemm.Y 0.93
#pragma once

#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <istream>
#include <map>
#include <sstream>
#include <string>
#include <string_view>

#include "abi/trilinear.h"

namespace convict::inline abi {

/// What /proc/cpuinfo says of the first processor: the value of a line such as "model name", "" if there is none.
inline std::string told_by_linux(std::string_view key) {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);) {
    if (!line.starts_with(key)) continue;
    const size_t begin = line.find_first_not_of(" \t", line.find(':') + 1);
    return begin == std::string::npos ? "" : line.substr(begin, line.find_last_not_of(" \t") + 1 - begin);
  }
  return "";
}

/// To be raised when a constant of kernels/cost/ changes: older files do not fit any more.
inline constexpr std::string_view kCalibrationHeading = "convict calibration of auto 5";

struct Calibration {
  std::map<std::string, double> factors = {};  // of estimated cycles, by calibration_key()
  std::string complaint = {};                  // why a file is ignored

  double factor(const std::string& key) const {
    const auto found = factors.find(key);
    return found == factors.end() ? 1 : found->second;
  }
};

inline std::string calibration_key(std::string_view kernel, Face face) {
  constexpr char kLetters[] = {'X', 'W', 'Y'};
  return std::string(kernel) + "." + kLetters[static_cast<int>(face)];
}

/// One file for each word of CONVICT_ISA: "auto", "auto-avx2". Empty if this user has no such place.
inline std::filesystem::path calibration_file() {
  const auto variable = [](const char* name) {
    const char* value = std::getenv(name);
    return std::string(value ? value : "");
  };
  const std::string cache = variable("XDG_CACHE_HOME"), home = variable("HOME"), isa = variable("CONVICT_ISA");
  const std::string name = isa.empty() ? "auto" : "auto-" + isa;
  // The XDG Base Directory Specification ignores paths that are not absolute.
  if (cache.starts_with('/')) return std::filesystem::path(cache) / "convict" / name;
  return home.starts_with('/') ? std::filesystem::path(home) / ".cache/convict" / name : std::filesystem::path();
}

inline Calibration parse_calibration(std::istream& file, const std::string& processor) {
  std::string line;
  if (!std::getline(file, line) || line != kCalibrationHeading) return {{}, "is not of these estimates"};
  if (!std::getline(file, line) || line != processor) return {{}, "is of another processor"};
  constexpr double kLeast = 1e-3, kMost = 1e3;
  Calibration result;
  while (std::getline(file, line)) {
    std::istringstream words(line);
    std::string key, rest;
    double factor = 0;
    if (!(words >> key >> factor) || words >> rest || !(factor >= kLeast && factor <= kMost))
      return {{}, "has a line that is no kernel with a factor of 0.001 to 1000"};
    result.factors[key] = factor;
  }
  return result;
}

/// That of the user; no factors without a file.
inline Calibration read_calibration() {
  std::ifstream file(calibration_file());
  return file ? parse_calibration(file, told_by_linux("model name")) : Calibration();
}

}  // namespace convict::inline abi
