// SPDX-License-Identifier: Apache-2.0
//
// Whose mistake it was when a command fails: the user's, the system's, or ours.
#include "cli/command.h"

#include <sys/wait.h>

#include <cstdlib>
#include <new>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <system_error>

#include "core/error.h"
#include "tests/cli/command.h"

namespace convict::test {
namespace {

TEST(Failure, OfTheUserSpeaksForItself) {
  const cli::Failure failure = cli::failure_of(UsageError("--time: '3x' is not valid"));
  EXPECT_EQ(failure.exit_code, 2);
  EXPECT_EQ(failure.line, "--time: '3x' is not valid");
  EXPECT_EQ(cli::failure_of(CannotJudge("no oracle")).exit_code, 125);
}

TEST(Failure, OfTheSystemSaysSo) {
  const cli::Failure failure =
      cli::failure_of(std::system_error(std::make_error_code(std::errc::resource_unavailable_try_again), "fork"));
  EXPECT_EQ(failure.exit_code, 71);
  EXPECT_EQ(failure.line.find("the system refuses: fork"), 0u) << failure.line;
  EXPECT_EQ(cli::failure_of(std::bad_alloc()).exit_code, 71);
  const cli::Failure full = cli::failure_of(SystemError("database 'a.db': the disk is full; make room"));
  EXPECT_EQ(full.exit_code, 71);
  EXPECT_EQ(full.line, "database 'a.db': the disk is full; make room");
}

TEST(Failure, OfOursAsksForAReport) {
  for (const std::exception_ptr& bug :
       {std::make_exception_ptr(std::logic_error("no such row")), std::make_exception_ptr(std::out_of_range("at"))}) {
    try {
      std::rethrow_exception(bug);
    } catch (const std::exception& error) {
      const cli::Failure failure = cli::failure_of(error);
      EXPECT_EQ(failure.exit_code, 70);
      for (const char* part : {"internal error: ", error.what(), "bug in convict", "report", "convict doctor"})
        EXPECT_NE(failure.line.find(part), std::string::npos) << failure.line;
    }
  }
  try {
    (void)nlohmann::json::parse("{")["done"];
  } catch (const std::exception& error) {
    EXPECT_EQ(cli::failure_of(error).exit_code, 70);
  }
}

/// A worker that gets nonsense from its supervisor, which is us.
TEST(Failure, OfAWorkerIsNoWrongUse) {
  const std::string record = testing::TempDir() + "record";
  const std::string command = "truncate -s 1M '" + record + "' && printf '%032d nonsense\\n' 0 | " + CONVICT_PROGRAM +
                              " worker 3<&0 4>/dev/null 5<>'" + record + "' 2>'" + record + ".err'";
  const int status = std::system(command.c_str());
  ASSERT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 70);
}

}  // namespace
}  // namespace convict::test
