// SPDX-License-Identifier: Apache-2.0
#include "lab/cli/calibration.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>

#include "abi/native_kernel.h"
#include "core/case_text.h"
#include "core/error.h"
#include "core/geometry.h"
#include "core/layout.h"
#include "core/text.h"

namespace convict::cli {
namespace {

namespace fs = std::filesystem;

const convict_implementation* native(std::string_view name) {
  const auto all = native_kernels();
  return *std::ranges::find(all, name, [](const convict_implementation* kernel) { return kernel->name; });
}

/// By kernel, from the words "direct=2.01e+08 implicit_gemm=4.3e+06" of the plan of `auto`.
std::map<std::string, double> estimates_of(const convict_problem& p, const convict_tensors& described) {
  const convict_implementation* kernel = native("auto");
  std::map<std::string, double> cycles;
  std::istringstream words(kernel->plan(kernel, &p, &described));
  bool begun = false;
  for (std::string word; words >> word;) {
    const size_t equals = word.find('=');
    if (begun && equals != std::string::npos)
      cycles[word.substr(0, equals)] = std::strtod(word.c_str() + equals + 1, nullptr);
    begun |= word == "of";
  }
  return cycles;
}

double fastest(const bench::BenchRow& row) {
  const auto best = std::ranges::min_element(row.timings, {}, [](const auto& one) { return one.second.best; });
  return best->second.best;
}

/// Logarithms of a kernel's seconds for an estimated cycle.
using Samples = std::map<std::string, std::vector<double>>;

void add_samples(const bench::BenchRow& row, Samples& samples) {
  constexpr double kNear = 4;  // slower ones are not chosen anyway, and often waste time on something else
  if (row.timings.empty()) return;
  const Case c = parse_case(row.case_text);
  const Resolved resolved = resolve(c);
  const double limit = kNear * fastest(row);
  for (const auto& [kernel, cycles] : estimates_of(resolved.problem, describe_tensors(c, resolved.problem))) {
    const auto timing = row.timings.find(kernel);
    if (timing == row.timings.end() || timing->second.best > limit) continue;
    samples[calibration_key(kernel, face_of(c.op, c.pass))].push_back(std::log(timing->second.best / cycles));
  }
}

/// Other work on the machine disturbs some of the samples.
double median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<ptrdiff_t>(values.size() / 2);
  std::ranges::nth_element(values, middle);
  return *middle;
}

}  // namespace

std::vector<std::string> calibrating_layers() {
  return {"conv2d ic=64 oc=64 in=28x28 k=3x3 p=1x1",
          "conv2d ic=128 oc=128 in=28x28 k=3x3 s=2x2 p=1x1",
          "conv2d ic=256 oc=256 in=14x14 k=3x3 p=1x1",
          "conv2d ic=256 oc=64 in=28x28",
          "conv2d ic=64 oc=256 in=28x28",
          "conv2d ic=3 oc=64 in=112x112 k=7x7 s=2x2 p=3x3",
          "conv2d g=144 ic=144 oc=144 in=28x28 k=3x3 p=1x1",
          "conv2d g=128 ic=128 oc=128 in=28x28 k=7x7 p=3x3",
          "conv2d g=256 ic=256 oc=256 in=7x7 k=13x13 p=6x6",
          "conv2d g=32 ic=256 oc=256 in=28x28 k=3x3 p=1x1",
          "conv2d ic=64 oc=64 in=32x32 k=3x3 d=4x4 p=4x4",
          "conv2d ic=17 oc=19 in=32x32 k=9x9 p=4x4",
          "conv2d ic=4 oc=4 in=8x8 k=3x3",
          "conv_transpose2d ic=128 oc=64 in=16x16 k=4x4 s=2x2 p=1x1",
          "conv_transpose2d ic=21 oc=21 in=16x16 k=16x16 s=8x8",
          "conv1d ic=128 oc=128 in=1599 k=3 s=2",
          "conv1d g=16 ic=256 oc=256 in=499 k=41 p=20",
          "conv1d oc=512 in=8192 k=512 s=128",
          "conv1d g=64 ic=64 oc=64 in=1000 k=25 p=12",
          "conv_transpose2d ic=64 oc=32 in=32x32 k=2x2 s=2x2",
          "conv3d ic=16 oc=32 in=8x28x28 k=3x3x3 p=1x1x1"};
}

std::vector<std::string> calibrated_kernels() {
  return {"depthwise", "direct", "fft", "implicit_gemm", "int8_gemm", "scatter_gemm", "winograd_f2", "winograd_f4"};
}

Calibration calibration_from(const bench::BenchResult& measured, const Calibration& before) {
  Samples samples;
  for (const bench::BenchRow& row : measured.rows) add_samples(row, samples);
  std::vector<double> all;
  for (const auto& [key, values] : samples) all.insert(all.end(), values.begin(), values.end());
  Calibration result = before;
  for (const auto& [key, values] : samples)
    result.factors[key] = before.factor(key) * std::exp(median(values) - median(all));
  return result;
}

std::string keep(const Calibration& calibration) {
  const fs::path file = calibration_file(), temporary = fmt::format("{}.{}", file.string(), getpid());
  std::error_code error;
  fs::create_directories(file.parent_path(), error);
  std::ofstream out(temporary);
  out << kCalibrationHeading << '\n' << told_by_linux("model name") << '\n';
  for (const auto& [key, factor] : calibration.factors) out << fmt::format("{} {:.3f}\n", key, factor);
  out.close();
  if (out) fs::rename(temporary, file, error);
  if (!out || error)
    throw UsageError(fmt::format("--calibrate: '{}' cannot be written", printable(file.string(), 300)));
  return file.string();
}

}  // namespace convict::cli
