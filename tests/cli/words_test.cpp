// SPDX-License-Identifier: Apache-2.0
//
// What people type who have not read the manual.
#include <algorithm>

#include "tests/cli/command.h"

namespace convict::test {
namespace {

class WordsTest : public CliTest {};

TEST_F(WordsTest, HelpAndVersionAreCommandsToo) {
  EXPECT_EQ(run({"help", "fuzz"}).out, run({"fuzz", "--help"}).out);
  EXPECT_EQ(run({"help"}).out, run({"--help"}).out);
  EXPECT_EQ(run({"version"}).out, run({"--version"}).out);
  EXPECT_EQ(run({"help", "fuzz"}).exit_code, 0);
}

TEST_F(WordsTest, TheNamesOfOthersAreAnsweredWithOurs) {
  EXPECT_TRUE(refuses(run({"repro", "conv2d in=5", "--oracle=pytorch"}), {"'pytorch'", "did you mean 'libtorch'?"}));
  EXPECT_TRUE(refuses(run({"repro", "conv2d in=5", "--oracle=mkldnn"}), {"'mkldnn'", "did you mean 'onednn'?"}));
}

TEST_F(WordsTest, ReportTakesTheNameOfADatabase) {
  run({"fuzz", "--target=direct", "--oracle=none", "--cases=20", "--db=some.db", "-q"});
  EXPECT_EQ(run({"report", "some.db", "-q"}).out, run({"report", "--db=some.db", "-q"}).out);
  EXPECT_EQ(run({"report", "some.db", "-q"}).exit_code, 0);
}

TEST_F(WordsTest, APluginWithoutExternCIsToldSo) {
  write_file(file("mangled.cpp"),
             "struct convict_plugin; const convict_plugin* convict_plugin_v1() { return nullptr; }\n");
  const std::string command =
      std::string(CONVICT_CXX) + " -shared -fPIC -o " + file("mangled.so") + " " + file("mangled.cpp");
  ASSERT_EQ(std::system(command.c_str()), 0);
  EXPECT_TRUE(refuses(run({"fuzz", "--plugin=" + file("mangled.so"), "--cases=1"}), {"mangled.so", "extern \"C\""}));
}

TEST_F(WordsTest, KeepTakesTheNameOfAFile) {
  run({"fuzz", "--plugin=" + plugin("guilty"), "--profile=output-padding", "--oracle=none", "--cases=200",
       "--shrink=none", "-q", "--db=some.db"});
  const CommandResult result = run({"keep", "1", "--db=some.db", "--corpus=kept/regress.cases"});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_NE(read_file(file("kept/regress.cases")).find("conv_transpose"), std::string::npos);
}

TEST_F(WordsTest, ReplayCountsWhatIsNotJudgedByReason) {
  std::string cases;
  for (int i = 1; i <= 40; ++i) cases += "conv3d in=" + std::to_string(i) + "\n";
  write_file(file("many.cases"), cases);
  const CommandResult result =
      run({"replay", "many.cases", "--plugin=" + plugin("narrow"), "--target=first-mended", "--oracle=none", "-q"});
  EXPECT_NE(result.out.find("40  first-mended: refused: only conv2d, forward"), std::string::npos) << result.out;
  EXPECT_EQ(std::ranges::count(result.out, '\n'), 3) << result.out;
}

TEST_F(WordsTest, AnIllegalLineSaysHowToAskForItsRefusal) {
  EXPECT_TRUE(refuses(run({"repro", "conv2d in=3 k=4"}), {"=> refused"}));
}

}  // namespace
}  // namespace convict::test
