// SPDX-License-Identifier: Apache-2.0
//
// From measured times to the file that `auto` reads, and what becomes of files that do not fit.
#include "lab/cli/calibration.h"

#include <cmath>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "tests/cli/command.h"

namespace convict::test {
namespace {

namespace fs = std::filesystem;

const std::string kHeading = std::string(kCalibrationHeading) + "\n";

Calibration parsed(const std::string& text) {
  std::istringstream file(text);
  return parse_calibration(file, "some processor");
}

TEST(CalibrationFile, FactorsAreRead) {
  const Calibration read = parsed(kHeading + "some processor\nfft.W 1.25\nimplicit_gemm.Y 0.5\n");
  EXPECT_EQ(read.complaint, "");
  EXPECT_EQ(read.factor(calibration_key("fft", Face::kW)), 1.25);
  EXPECT_EQ(read.factor(calibration_key("implicit_gemm", Face::kY)), 0.5);
  EXPECT_EQ(read.factor(calibration_key("implicit_gemm", Face::kX)), 1) << "what is not there";
}

TEST(CalibrationFile, WhatDoesNotFitIsIgnoredAsAWhole) {
  for (const std::string& text :
       {std::string(), std::string("convict calibration of auto 0\nsome processor\nfft.W 2\n"),
        kHeading + "another processor\nfft.W 2\n", kHeading + "some processor\nfft.W 2\nfft.X\n",
        kHeading + "some processor\nfft.W 2\nfft.X 0\n", kHeading + "some processor\nfft.W 2\nfft.X nan\n",
        kHeading + "some processor\nfft.W 2\nfft.X 1 2\n"}) {
    const Calibration read = parsed(text);
    EXPECT_NE(read.complaint, "") << text;
    EXPECT_TRUE(read.factors.empty()) << text;
  }
}

/// Times that are twice as long for an estimated cycle of one kernel than of the other give factors that are.
TEST(CalibrationOf, FactorsAreRatiosOfTimesToEstimates) {
  bench::BenchRow row{
      .case_text = "conv2d ic=64 oc=64 in=28x28 k=3x3 p=1x1", .set = {}, .label = {}, .pass = "forward"};
  row.timings = {{"winograd_f2", {1e-3, 1e-3}}, {"winograd_f4", {1e-3, 1e-3}}, {"direct", {1, 1}}};
  const auto ratio = [](const Calibration& c) { return c.factor("winograd_f2.Y") / c.factor("winograd_f4.Y"); };
  bench::BenchResult result;
  result.rows = {row};
  const double one = ratio(cli::calibration_from(result, {}));
  result.rows[0].timings["winograd_f2"].best = 2e-3;
  const Calibration doubled = cli::calibration_from(result, {});
  EXPECT_NEAR(ratio(doubled) / one, 2, 1e-9);
  EXPECT_FALSE(doubled.factors.contains("direct.Y")) << "a kernel that is never chosen there tells nothing";
  const Calibration again = cli::calibration_from(result, {{{"winograd_f2.Y", 3.0}}, ""});
  EXPECT_NEAR(ratio(again) / ratio(doubled), 3, 1e-9) << "the estimates contained a factor already";
}

class CalibrateTest : public CliTest {
 protected:
  CommandResult with_cache(std::vector<std::string> arguments) const {
    return run_convict(arguments, {.directory = directory_.path(), .environment = {"XDG_CACHE_HOME=" + file("cache")}});
  }
  std::string plan_of_auto() const {
    const CommandResult result = with_cache({"list", "--plan=conv2d ic=16 oc=16 in=20 k=3 p=1"});
    EXPECT_EQ(result.exit_code, 0);
    return result.out;
  }
};

/// A file that makes every kernel but one dear decides for that one; of another processor, it is named and ignored.
TEST_F(CalibrateTest, AutoReadsTheFileOfTheUser) {
  const std::string before = plan_of_auto();
  EXPECT_EQ(before.find(" direct, of "), std::string::npos) << before;
  fs::create_directories(fs::path(file("cache")) / "convict");
  const fs::path cache = fs::path(file("cache")) / "convict" / "auto";
  std::ofstream(cache) << kHeading << told_by_linux("model name") << "\ndirect.Y 0.001\n";
  EXPECT_NE(plan_of_auto().find(" direct, of "), std::string::npos) << plan_of_auto();
  std::ofstream(cache) << kHeading << "a processor of elsewhere\ndirect.Y 0.001\n";
  const std::string ignored = plan_of_auto();
  EXPECT_EQ(ignored.substr(0, before.size()), before);
  EXPECT_NE(ignored.find("is ignored: it is of another processor"), std::string::npos) << ignored;
}

TEST_F(CalibrateTest, TheCommandWritesWhatAutoReads) {
  const CommandResult result = with_cache({"bench", "--calibrate", "--pass=forward", "--time=1ms", "--repetitions=1",
                                           "conv2d ic=16 oc=16 in=20x20 k=3x3 p=1x1"});
  EXPECT_EQ(result.exit_code, 0) << result.out << result.err;
  const std::string path = (fs::path(file("cache")) / "convict" / "auto").string();
  EXPECT_NE(result.out.find("wrote " + path), std::string::npos) << result.out;
  std::ifstream written(path);
  const Calibration read = parse_calibration(written, told_by_linux("model name"));
  EXPECT_EQ(read.complaint, "");
  EXPECT_TRUE(read.factors.contains("winograd_f2.Y"));
  EXPECT_EQ(with_cache({"bench", "--calibrate", "--target=direct"}).exit_code, 2);
}

}  // namespace
}  // namespace convict::test
