// SPDX-License-Identifier: Apache-2.0
//
// An implementation that declares sums in f64 and rounds them to f32 on the way: from the campaign that finds it to the
// certificate's check and the exports. Its errors are above the bound of sums in f64, and below that of sums in f32.
#include <algorithm>

#include "core/text.h"
#include "tests/exports/export_bench.h"

namespace convict::test {
namespace {

using nlohmann::json;

class AccumulatorTest : public CliTest {
 protected:
  /// A mismatch with several wrong elements of a plain sum.
  void SetUp() override {
    const CommandResult campaign =
        run({"fuzz", "--plugin=" + plugin("spilled_sums"), "--target=spills", "--oracle=none", "-q", "--profile=all",
             "--cases=400", "--seed=6", "--illegal=0", "--shrink=none", "--db=found.db", "--format=json"});
    for (const json& one : campaign.mismatches())
      if (one["certificate"].value("bound_name", "") == "gamma_n" && one["certificate"]["wrong_elements"] > 1)
        mismatch_ = one;
    ASSERT_TRUE(mismatch_.is_object()) << campaign.out << campaign.err;
    ASSERT_EQ(mismatch_["verdict"], "wrong-proven");
  }

  std::string id() const { return mismatch_["id"].dump(); }

  /// The mismatch, or the case alone, in this format.
  std::string exported(const std::string& format, const std::string& what) const {
    std::filesystem::remove_all(file("exported"));
    const CommandResult result = run({"export", what, "--db=found.db", "--to=" + format, "--output=exported"});
    EXPECT_EQ(result.exit_code, 0) << result.err;
    return std::filesystem::is_directory(file("exported")) ? "" : read_file(file("exported"));
  }

  json outputs(const std::string& what) const { return json::parse(exported("json", what))["outputs"]["dst"]; }

  json mismatch_;
};

/// C99 hexadecimal numbers.
std::vector<double> numbers_of(const json& texts) {
  std::vector<double> numbers;
  for (const json& text : texts)
    numbers.push_back(text.is_string() ? std::strtod(text.get<std::string>().c_str(), nullptr) : text.get<double>());
  return numbers;
}

TEST_F(AccumulatorTest, MakesTheCertificateTrue) {
  EXPECT_EQ(mismatch_["certificate"]["accumulator"], "f64");
  const CommandResult check = run({"check-certificate", id(), "--db=found.db"});
  EXPECT_EQ(check.exit_code, 3) << check.out << check.err;
  EXPECT_NE(check.out.find("error: confirmed"), std::string::npos) << check.out;
  json in_f32 = mismatch_;
  in_f32["certificate"].erase("accumulator");
  write_file(file("in_f32.json"), in_f32.dump());
  const CommandResult other = run({"check-certificate", "in_f32.json"});
  EXPECT_EQ(other.exit_code, 1) << other.out;
  EXPECT_NE(other.out.find("error: REFUTED"), std::string::npos) << other.out;
}

TEST_F(AccumulatorTest, ChoosesTheBoundsOfAllElements) {
  const std::vector<double> in_f64 = numbers_of(outputs(id())["bounds"]),
                            in_f32 = numbers_of(outputs(mismatch_["case"])["bounds"]);
  ASSERT_EQ(in_f64.size(), in_f32.size());
  EXPECT_TRUE(std::ranges::equal(in_f64, in_f32, [](double a, double b) { return a < b || (a == 0 && b == 0); }));
}

TEST_F(AccumulatorTest, TheProgramCountsTheSameWrongElements) {
  std::filesystem::create_directories(file("convict"));
  std::filesystem::copy_file(CONVICT_ABI_HEADER, file("convict/convict.h"));
  write_file(file("case.cpp"), exported("cpp", id()));
  std::vector<std::string> arguments = {CONVICT_CXX,  "-std=c++17",    "-I", directory_.path(), "-o",
                                        file("case"), file("case.cpp")};
  for (const std::string_view flag : split(CONVICT_CXX_FLAGS, ' '))
    if (flag.starts_with("-fsanitize")) arguments.emplace_back(flag);
  arguments.emplace_back("-ldl");
  const CommandResult compiled = run_program("/usr/bin/env", arguments);
  ASSERT_EQ(compiled.exit_code, 0) << compiled.err;
  const CommandResult spills = run_program(file("case"), {plugin("spilled_sums"), "spills"});
  EXPECT_EQ(spills.exit_code, 1) << spills.out;
  const std::string count = fmt::format("{} of {} elements", mismatch_["certificate"]["wrong_elements"].dump(),
                                        mismatch_["certificate"]["elements"].dump());
  EXPECT_NE(spills.out.find(count), std::string::npos) << count << "\n" << spills.out;
  EXPECT_EQ(run_program(file("case"), {plugin("spilled_sums"), "correct"}).exit_code, 0);
}

TEST_F(AccumulatorTest, IsInEveryFormatThatHasBounds) {
  const std::string rule = "a plain sum in any order with a f64 accumulator";
  for (const char* format : {"cpp", "json", "pytorch"})
    EXPECT_NE(exported(format, id()).find(rule), std::string::npos) << format;
  if (python_has("numpy")) {
    const json json_bounds = numbers_of(outputs(id())["bounds"]);
    exported("npz", id());
    const CommandResult result =
        run_program(kPython, {"-c",
                              "import json, numpy, sys\n"
                              "z = numpy.load(sys.argv[1])\n"
                              "assert 'f64 accumulator' in str(z['rule'])\n"
                              "assert (z['dst_bound'].ravel() == json.loads(sys.argv[2])).all()",
                              file("exported"), json_bounds.dump()});
    EXPECT_EQ(result.exit_code, 0) << result.err;
  }
}

}  // namespace
}  // namespace convict::test
