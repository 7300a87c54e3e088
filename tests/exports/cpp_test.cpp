// SPDX-License-Identifier: Apache-2.0
//
// Exported programs, compiled against the header as it is installed and run on plugins: mutants are caught on the
// cases that betray them, and the same code without a fault is not.
#include <gtest/gtest.h>

#include "core/text.h"
#include "tests/exports/export_bench.h"

namespace convict::test {
namespace {

class CppExport : public testing::Test {
 protected:
  CppExport() {
    std::filesystem::create_directories(directory_.path() / "include/convict");
    std::filesystem::copy_file(CONVICT_ABI_HEADER, directory_.path() / "include/convict/convict.h");
  }

  void compile(const exports::ExportRequest& what) const {
    write_file(directory_.file("case.cpp"), text_of("cpp", what));
    std::vector<std::string> arguments = {CONVICT_CXX,
                                          "-std=c++17",
                                          "-Wall",
                                          "-Wextra",
                                          "-Werror",
                                          "-I",
                                          directory_.file("include"),
                                          "-o",
                                          directory_.file("case"),
                                          directory_.file("case.cpp")};
    for (const std::string_view flag : split(CONVICT_CXX_FLAGS, ' '))  // a sanitizer has to be in both
      if (flag.starts_with("-fsanitize")) arguments.emplace_back(flag);
    arguments.emplace_back("-ldl");
    const CommandResult result = run_program("/usr/bin/env", arguments);
    ASSERT_EQ(result.exit_code, 0) << result.err;
  }

  CommandResult judge(const std::string& module, const std::string& name) const {
    return run_program(directory_.file("case"), {plugin(module), name});
  }

  TemporaryDirectory directory_;
};

TEST_F(CppExport, CatchesMutantsAndNobodyElse) {
  const std::pair<const char*, const char*> witnesses[] = {
      {"P01", "conv_transpose2d in=3x2 k=2 s=2 op=1x0"},
      {"P05", "conv_transpose3d in=2 k=1x1x6 dt=f16 fill=positive"},
      {"P08", "conv2d.backward_weights g=2 ic=2 oc=2 in=5 k=2 dt=bf16"},
      {"P10", "conv2d ic=2 in=4 k=2 lay=nchw:ohwi:nchw fill=normal"},
      {"P17", "conv1d.backward_data in=5 k=1 s=2 dt=f64 fill=positive"},
      {"P25", "conv2d ic=2 oc=2 in=5 k=2 view=wei dt=f64"},
      {"P27", "conv2d.backward_data in=5 k=2 beta=1"},
      {"P31", "conv2d ic=2 oc=8 in=9 k=3 fill=special seed=2"},
  };
  for (const auto& [mutant, line] : witnesses) {
    ASSERT_NO_FATAL_FAILURE(compile(request(line)));
    const CommandResult guilty = judge("mutants_p", mutant), innocent = judge("mutants_p", "control");
    EXPECT_EQ(guilty.exit_code, 1) << line << "\n" << guilty.out << guilty.err;
    EXPECT_NE(guilty.out.find("MISMATCH: "), std::string::npos) << guilty.out;
    EXPECT_EQ(innocent.exit_code, 0) << line << "\n" << innocent.out << innocent.err;
  }
}

TEST_F(CppExport, CatchesMutantsOfIntegers) {
  const std::pair<const char*, const char*> witnesses[] = {
      {"Q02", "conv2d g=2 ic=2 oc=2 in=3 k=2 dt=u8:s8:s32 zp=5:0"},
      {"Q03", "conv2d ic=4 oc=8 in=3 k=2 dt=u8:s8:f32 scale=channel fill=normal"},
      {"Q05", "conv2d ic=4 oc=8 in=8 k=3 dt=s8 scale=channel"},
      {"Q11", "conv2d ic=4 oc=4 in=5 k=3 relu dt=u8:s8:s8 zp=0:-9 scale=tensor fill=normal"},
  };
  for (const auto& [mutant, line] : witnesses) {
    ASSERT_NO_FATAL_FAILURE(compile(request(line)));
    const CommandResult guilty = judge("mutants_q", mutant), innocent = judge("mutants_q", "control");
    EXPECT_EQ(guilty.exit_code, 1) << line << "\n" << guilty.out << guilty.err;
    EXPECT_EQ(innocent.exit_code, 0) << line << "\n" << innocent.out << innocent.err;
  }
}

TEST(CppExportText, SaysThatItMakesOneCall) {
  const std::string again = text_of("cpp", request("conv2d in=5 k=3 calls=again"));
  EXPECT_NE(again.find("// The case is about repeated calls; this makes one.\n"), std::string::npos) << again;
  EXPECT_EQ(text_of("cpp", request("conv2d in=5 k=3")).find("repeated calls"), std::string::npos);
}

TEST_F(CppExport, ProblemsThatMustBeRefused) {
  ASSERT_NO_FATAL_FAILURE(compile(request("conv_transpose2d in=3 k=2 s=2 op=2 => refused")));
  EXPECT_EQ(judge("mutants_p", "control").exit_code, 0);
  const CommandResult lenient = judge("guilty", "guilty");
  EXPECT_EQ(lenient.exit_code, 1);
  EXPECT_NE(lenient.out.find("not legal"), std::string::npos);
}

TEST_F(CppExport, HostileNamesStayText) {
  ASSERT_NO_FATAL_FAILURE(compile(accused("conv2d in=5 k=3", kHostile)));
  const CommandResult result = judge("mutants_p", "control");
  EXPECT_EQ(result.exit_code, 0) << result.out;
  EXPECT_EQ(result.out.find('\x1b'), std::string::npos);
}

TEST_F(CppExport, NamesWhatIsMissing) {
  ASSERT_NO_FATAL_FAILURE(compile(request("conv2d in=5 k=3 bias")));
  EXPECT_EQ(judge("mutants_p", "nobody").exit_code, 2);
  EXPECT_EQ(judge("not_a_plugin", "control").exit_code, 2);
  EXPECT_EQ(run_program(directory_.file("case"), {}).exit_code, 2);
  EXPECT_EQ(judge("nameless", "").exit_code, 2);
}

}  // namespace
}  // namespace convict::test
