// SPDX-License-Identifier: Apache-2.0
//
// Exported programs that need oneDNN alone: they compile without warnings, agree with the library, and see what is
// wrong.
#include <gtest/gtest.h>

#include <span>
#include <vector>

#include "core/text.h"
#include "tests/exports/export_bench.h"
#include "tests/thorough.h"

namespace convict::test {
namespace {

class OnednnExport : public testing::Test {
 protected:
  void SetUp() override {
    write_file(directory_.file("empty.cpp"), "#include <oneapi/dnnl/dnnl.hpp>\nint main() {}\n");
    if (compiled("empty.cpp").exit_code != 0) GTEST_SKIP() << "oneDNN is not installed for all";
  }

  CommandResult compiled(const std::string& source) const {
    std::vector<std::string> arguments = {CONVICT_CXX,
                                          "-std=c++17",
                                          "-Wall",
                                          "-Wextra",
                                          "-Werror",
                                          "-o",
                                          directory_.file("case"),
                                          directory_.file(source)};
    for (const std::string_view flag : split(CONVICT_CXX_FLAGS, ' '))  // a sanitizer has to be in both
      if (flag.starts_with("-fsanitize")) arguments.emplace_back(flag);
    arguments.emplace_back("-ldnnl");
    return run_program("/usr/bin/env", arguments);
  }

  CommandResult outcome_of(const std::string& text) const {
    write_file(directory_.file("case.cpp"), text);
    const CommandResult compilation = compiled("case.cpp");
    EXPECT_EQ(compilation.exit_code, 0) << compilation.err;
    return run_program(directory_.file("case"), {});
  }

  TemporaryDirectory directory_;
};

/// A compiler takes two seconds for each: the first four have most that a line may have.
TEST_F(OnednnExport, AgreesWithTheLibrary) {
  const std::vector<const char*> lines = {
      "conv2d.backward_data g=2 ic=4 oc=6 in=7x9 k=3x2 s=2x1 d=2x1 p=1 lay=nhwc:ohwi:nhwc",
      "conv_transpose1d ic=3 oc=5 in=9 k=4 s=2 beta=1 relu lay=nwc:iow:nwc",
      "conv_transpose2d.backward_weights n=2 g=2 ic=4 oc=6 in=4 k=3 s=2 op=1 bias",
      "conv2d g=2 ic=4 oc=4 in=4 k=2 dt=u8:s8:s8 scale=channel zp=3:4 relu",
      "conv2d in=5 k=3 bias seed=7",
      "conv3d.backward_weights in=4 k=2 ic=3 oc=2 bias",
      "conv_transpose2d g=2 ic=4 oc=6 in=5 k=3 fill=normal",
      "conv_transpose3d.backward_data in=3 k=2 ic=2 oc=4 g=2 s=2 op=1",
      "conv2d in=6x7 k=3 ic=2 oc=3 view=src+dst fill=normal threads=2",
      "conv2d in=5 k=3 dt=u8:s8:s32 bias",
  };
  for (const char* line : std::span(lines).first(thorough(size_t{4}, lines.size()))) {
    const CommandResult result = outcome_of(text_of("onednn", request(line)));
    const bool refused = result.exit_code == 125 && result.out.find("refused: ") != std::string::npos;
    EXPECT_TRUE(result.exit_code == 0 || refused) << line << "\n" << result.out << result.err;
    EXPECT_FALSE(refused && std::string_view(line).find("dt=") == std::string_view::npos) << line << result.out;
  }
}

TEST_F(OnednnExport, UsesTheLayoutsOfTheAccusedVariant) {
  const std::pair<const char*, const char*> variants[] = {{"onednn", "src.desc()"},
                                                          {"onednn:any", "Tag::any"},
                                                          {"onednn:channels_first", "Tag::abcd"},
                                                          {"onednn:channels_last", "Tag::acdb"}};
  for (const auto& [suspect, layout] : variants) {
    exports::ExportRequest what = request("conv2d in=5 k=3 ic=2 oc=3 lay=nhwc:ohwi:nchw fill=normal");
    what.evidence = exports::Evidence{suspect, "wrong-proven"};
    const std::string text = text_of("onednn", what);
    EXPECT_NE(text.find(layout), std::string::npos) << suspect;
    const std::string name = suspect;  // of the others, the program above says the same in other words
    if (name != "onednn:any" && name != "onednn:channels_last" && thorough(true, false)) continue;
    const CommandResult result = outcome_of(text);
    EXPECT_EQ(result.exit_code, 0) << suspect << result.out << result.err;
  }
}

/// A program that expects something else says what differs, so what it says of the library means something.
TEST_F(OnednnExport, SeesWhatIsWrong) {
  std::string text = text_of("onednn", request("conv2d in=1 k=1 fill=ones"));
  const std::string expected = "dst_value[] = {\n    0x1p+0,";
  ASSERT_NE(text.find(expected), std::string::npos) << text;
  text.replace(text.find(expected), expected.size(), "dst_value[] = {\n    0x1.8p+0,");
  const CommandResult result = outcome_of(text);
  EXPECT_EQ(result.exit_code, 1) << result.out;
  EXPECT_NE(result.out.find("MISMATCH: dst[0,0,0,0] is 0x1p+0 (1), must be 0x1.8p+0 (1.5)"), std::string::npos)
      << result.out;
}

TEST_F(OnednnExport, HostileNamesStayText) {
  const CommandResult result = outcome_of(text_of("onednn", accused("conv2d in=5 k=3", kHostile)));
  EXPECT_EQ(result.exit_code, 0) << result.out;
  EXPECT_EQ(result.out.find('\x1b'), std::string::npos);
}

TEST(OnednnExportLimits, SaysWhatItCannotSay) {
  EXPECT_NE(unsuited("onednn", "conv2d in=3 k=4 => refused").find("legal"), std::string::npos);
  EXPECT_NE(unsuited("onednn", "conv2d in=3 k=2 dt=f64").find("f64"), std::string::npos);
  EXPECT_NE(unsuited("onednn", "conv2d.backward_data in=3 k=2 beta=1").find("forward"), std::string::npos);
  EXPECT_NE(unsuited("onednn", "conv2d in=3 k=2 dt=u8:s8:f32 scale=tensor bias").find("bias"), std::string::npos);
  EXPECT_NE(unsuited("onednn", "conv2d in=3 k=2 dt=u8:s8:u8 zp=0:7 scale=tensor").find("odd zero point"), std::string::npos);
  EXPECT_EQ(unsuited("onednn", "conv2d in=3 k=2 dt=bf16"), "");
}

}  // namespace
}  // namespace convict::test
