// SPDX-License-Identifier: Apache-2.0
//
// A mismatch of a plugin is repeated by its number alone, if the user has put the plugin on trial before.
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>

#include "tests/cli/command.h"

namespace convict::test {
namespace {

namespace fs = std::filesystem;

class KnownPlugins : public CliTest {
 protected:
  KnownPlugins() {
    run({"fuzz", "--plugin=" + plugin("one_fault"), "--oracle=none", "--cases=400", "--shrink=none", "-q"});
  }

  /// As somebody who has got the database from somebody else.
  CommandResult run_as_another(std::vector<std::string> arguments) const {
    return run_convict(arguments, {.directory = directory_.path(), .environment = {"XDG_STATE_HOME=" + file("other")}});
  }
};

TEST_F(KnownPlugins, NeedNotBeNamedAgain) {
  const CommandResult again = run({"repro", "1", "--oracle=none"}), shown = run({"show", "1"}),
                      explained = run({"explain", "1", "--oracle=none"});
  EXPECT_EQ(again.exit_code, 1) << again.err;
  EXPECT_EQ(explained.exit_code, 1) << explained.err;
  EXPECT_EQ(shown.exit_code, 0) << shown.err;
  EXPECT_EQ(read_file(file("convict.state/convict/plugins")), fs::canonical(plugin("one_fault")).string() + "\n");
}

TEST_F(KnownPlugins, OfSomebodyElseMustBeNamed) {
  EXPECT_TRUE(refuses(run_as_another({"repro", "1"}), {"mismatch 1", "--plugin ", "one_fault.so", "trust"}));
  EXPECT_EQ(run_as_another({"repro", "1", "--oracle=none", "--plugin=" + plugin("one_fault")}).exit_code, 1);
  EXPECT_FALSE(fs::exists(file("other"))) << "only a campaign notes plugins";
  EXPECT_EQ(run_as_another({"show", "1"}).exit_code, 0) << "nothing is loaded";
}

TEST_F(KnownPlugins, AFileThatNowBelongsToSomebodyElseIsNotLoaded) {
  if (geteuid() != 0) GTEST_SKIP() << "only root can give files away";
  fs::copy_file(plugin("one_fault"), file("mine.so"));
  run({"fuzz", "--plugin=" + file("mine.so"), "--oracle=none", "--cases=400", "--shrink=none", "-q", "--db=mine.db"});
  ASSERT_EQ(run({"repro", "1", "--oracle=none", "--db=mine.db"}).exit_code, 1);
  ASSERT_EQ(chown(file("mine.so").c_str(), 12345, 12345), 0);
  EXPECT_TRUE(refuses(run({"repro", "1", "--db=mine.db"}), {"mismatch 1", "mine.so"}));
}

TEST_F(KnownPlugins, WithoutAPlaceToNoteThemNothingHappens) {
  write_file(file("nothing"), "");
  const CommandResult result =
      run_convict({"fuzz", "--plugin=" + plugin("one_fault"), "--oracle=none", "--cases=40", "-q"},
                  {.directory = directory_.path(), .environment = {"XDG_STATE_HOME=" + file("nothing")}});
  EXPECT_LE(result.exit_code, 1);
  EXPECT_EQ(result.err, "");
}

}  // namespace
}  // namespace convict::test
