// SPDX-License-Identifier: Apache-2.0
//
// A database knows which plugin its campaign had loaded. Commands about a mismatch load it again without being told,
// and the lines that they print name it.
#include "tests/cli/command.h"

namespace convict::test {
namespace {

using RememberedPlugin = CliTest;

std::string last_line(const std::string& text) { return text.substr(text.rfind('\n', text.size() - 2) + 1); }

TEST_F(RememberedPlugin, IsNamedByTheLinesThatShowAMismatchAgain) {
  // The second is no variant of a library of ours, whatever its name begins with.
  for (const auto& [file, target] : {std::pair("guilty", "guilty"), std::pair("together", "onednn-like")}) {
    const std::string database = std::string("--db=") + target + ".db";
    const CommandResult fuzzed =
        run({"fuzz", "--plugin=" + plugin(file), std::string("--target=") + target, "--oracle=none", "--cases=300",
             "--shrink=none", "-q", "--format=json", database});
    ASSERT_FALSE(fuzzed.mismatches().empty()) << fuzzed.err;
    const std::string id = fuzzed.mismatches()[0]["id"].dump();
    for (const char* command : {"shrink", "explain", "explain"}) {  // the third reads what the second has stored
      const CommandResult result = run({command, id, "--oracle=none", "-q", database});
      EXPECT_EQ(result.exit_code, 1) << command << result.err;  // it comes back
      EXPECT_NE(last_line(result.out).find("--plugin " + plugin(file)), std::string::npos) << command << result.out;
    }
  }
}

}  // namespace
}  // namespace convict::test
