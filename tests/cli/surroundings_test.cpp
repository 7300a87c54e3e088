// SPDX-License-Identifier: Apache-2.0
//
// What a command finds around it: streams that are closed, files that cannot be written, that are no files, or too
// large. One table says which exit code is right.
#include <sys/stat.h>
#include <unistd.h>

#include <ostream>

#include "tests/cli/command.h"

namespace convict::test {
namespace {

namespace fs = std::filesystem;

class Surroundings : public CliTest {
 protected:
  CommandResult shell(const std::string& script) const {
    return run_convict({"-c", "C='" CONVICT_PROGRAM "'; F=\"$C fuzz --oracle=none --target=direct -q\"; " + script},
                       {.directory = directory_.path(), .program = "/bin/sh"});
  }
};

struct Odd {
  const char* name;
  const char* script;
  int exit_code;
  std::vector<std::string> out, err;  // what is said; nothing else on stderr than one line
};

void PrintTo(const Odd& odd, std::ostream* out) { *out << odd.name; }

const Odd kOdd[] = {
    // A result that nobody can have got is an error; who wants none says -o /dev/null.
    {"StdoutIsClosed", "$F --cases=5 >&-", 71, {}, {"cannot write to stdout (Bad file descriptor)"}},
    {"StderrIsClosed", "$F --cases=5 2>&-", 0, {"5 cases"}, {}},
    {"BothAreClosed", "$F --cases=5 >&- 2>&-", 71, {}, {}},
    {"AllAreClosed", "$F --cases=5 -o a.txt <&- >&- 2>&-; r=$?; cat a.txt; exit $r", 0, {"5 cases"}, {}},
    {"StderrIsClosedForARefusal", "$C list --bad 2>&-", 2, {}, {}},
    {"StderrIsFull", "$C fuzz --oracle=none --target=direct --cases=5 2>/dev/full", 0, {"5 cases"}, {}},
    // Whoever asks for nothing gets it, and is told: night.sh asks so who is there.
    {"NoCases", "$F --cases=0", 0, {"0 cases", "note: it has no cases: nothing was examined"}, {}},
    {"AShardOfNoCases", "$F --cases=1 --shard=2/2", 0, {"nothing was examined"}, {}},
    {"AStartBehindTheLastCase", "$F --start=18446744073709551615", 2, {}, {"--start", "18446744073709551614"}},
    {"CasesBehindTheLastOne", "$F --start=18446744073709551610 --cases=6", 2, {}, {"--start", "5 cases at most"}},
    {"TheLastCases", "$F --start=18446744073709551610 --cases=5", 0, {"5 cases"}, {}},
    {"TimeIsEmpty", "$F --time ''", 2, {}, {"--time", "empty"}},
    {"OutputIsEmpty", "$C list profiles -o ''", 2, {}, {"--output", "no name"}},
    {"DatabaseIsEmpty", "$F --db ''", 2, {}, {"database ''", "empty"}},
    {"DatabaseIsAPipe", "mkfifo p; $F --cases=5 --db=p", 2, {}, {"'p'", "not a regular file"}},
    {"ListedDatabaseIsAPipe", "mkfifo p; $C list mismatches --db=p", 2, {}, {"'p'", "not a regular file"}},
    {"CorpusIsAPipe", "mkfifo p; $C replay --oracle=none p", 2, {}, {"'p'", "not a file"}},
    {"CorpusIsADevice", "$C replay --oracle=none /dev/zero", 2, {}, {"'/dev/zero'", "not a file"}},
    {"CorpusHasAByteOrderMark",
     "printf '\\357\\273\\277conv1d in=5\\n' > c.cases; $C replay --oracle=none --target=direct -q c.cases",
     0,
     {"1 cases: 1 judged"},
     {}},
    {"CorpusIsAByteOrderMark",
     "printf '\\357\\273\\277' > c.cases; $C replay --oracle=none c.cases",
     2,
     {},
     {"no case"}},
    {"AByteOrderMarkInTheMiddle",
     "printf 'conv1d in=5\\n\\357\\273\\277conv1d in=5\\n' > c.cases; $C replay --oracle=none c.cases",
     2,
     {},
     {"c.cases:2"}},
    {"ACorpusLargerThanMemory",
     "yes 'conv1d in=5 k=2' 2> /dev/null | head -n 2000000 > c.cases; ulimit -v 80000; $C replay --oracle=none c.cases",
     71,
     {},
     {"corpus 'c.cases'", "refuses memory", "cut it"}},
};

class OddTest : public Surroundings, public testing::WithParamInterface<Odd> {};

TEST_P(OddTest, HasALineAndAnExitCode) {
  const Odd& odd = GetParam();
  if (kKeepsFreedMemory && std::string_view(odd.script).find("ulimit -v") != std::string_view::npos)
    GTEST_SKIP() << "AddressSanitizer needs more addresses";
  const CommandResult result = shell(odd.script);
  EXPECT_EQ(result.exit_code, odd.exit_code) << result.out << result.err;
  for (const std::string& part : odd.out) EXPECT_NE(result.out.find(part), std::string::npos) << result.out;
  if (odd.err.empty()) {
    EXPECT_EQ(result.err, "");
  } else {
    EXPECT_TRUE(refuses(result, odd.err, odd.exit_code));
  }
}

INSTANTIATE_TEST_SUITE_P(Of, OddTest, testing::ValuesIn(kOdd), [](const auto& info) { return info.param.name; });

/// A result that is there can be read where nothing can be written; permissions do not bind root.
class ReadOnlyDatabase : public Surroundings {
 protected:
  void SetUp() override {
    fs::permissions(directory_.path(), fs::perms{0755});
    fs::create_directory(file("disk"));
    ASSERT_EQ(run({"fuzz", "--oracle=none", "--profile=output-padding", "--cases=100", "-q", "--shrink=none",
                   "--plugin=" + plugin("guilty"), "--db=disk/a.db"})
                  .exit_code,
              1);
  }
  void TearDown() override { fs::permissions(file("disk"), fs::perms{0755}); }

  void expect_reading(const std::string& before) const {
    for (const char* command :
         {"list mismatches", "show 1", "report --emptiest=0 -q", "export 1 --to=json", "check-certificate 1"}) {
      const std::string call = std::string("\"$C\" ") + command + " --db=disk/a.db";
      const CommandResult expected = shell(call), result = shell(before + call);
      EXPECT_EQ(result.exit_code, expected.exit_code) << command << ": " << result.err;
      const bool has_the_time = std::string_view(command).starts_with("report");
      EXPECT_TRUE(has_the_time || result.out == expected.out) << command << ": " << result.out;
      EXPECT_FALSE(result.out.empty()) << command;
    }
    const CommandResult refused = shell(before + "\"$C\" triage 1 --status=known --db=disk/a.db");
    EXPECT_TRUE(refuses(refused, {"'disk/a.db'", "cannot write"}));
  }

  static constexpr const char* kAsNobody = "setpriv --reuid=65534 --clear-groups ";
};

TEST_F(ReadOnlyDatabase, OfTheFile) {
  fs::permissions(file("disk/a.db"), fs::perms{0444});
  expect_reading(geteuid() == 0 ? kAsNobody : "");
}

TEST_F(ReadOnlyDatabase, OfTheDirectory) {
  fs::permissions(file("disk/a.db"), fs::perms{0666});
  fs::permissions(file("disk"), fs::perms{0555});
  expect_reading(geteuid() == 0 ? kAsNobody : "");
}

TEST_F(ReadOnlyDatabase, OfTheFileSystem) {
  const std::string mounted = "mount --bind disk disk && mount -o remount,ro,bind disk || exit 99; ";
  write_file(file("inside.sh"), mounted + "\"$C\" list mismatches --db=disk/a.db");
  const std::string inside = "export C; unshare -m --propagation private sh inside.sh";
  const CommandResult expected = shell("\"$C\" list mismatches --db=disk/a.db"), result = shell(inside);
  if (result.exit_code == 99 || result.err.find("unshare") != std::string::npos)
    GTEST_SKIP() << "only root can mount a file system of its own";
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_EQ(result.out, expected.out);
}

/// Its log is there, too: what it holds is shown.
TEST_F(ReadOnlyDatabase, OfAKilledCampaign) {
  const CommandResult result = shell(
      "\"$C\" list mismatches --db=disk/a.db > expected; cp disk/a.db disk/b.db; "
      "sqlite3 disk/b.db 'PRAGMA wal_autocheckpoint = 0; BEGIN; UPDATE mismatches SET hits = 12345; COMMIT' "
      "'.shell cp disk/b.db disk/c.db; cp disk/b.db-wal disk/c.db-wal; cp disk/b.db-shm disk/c.db-shm'; "
      "chmod 444 disk/*; chmod 555 disk; " +
      std::string(geteuid() == 0 ? kAsNobody : "") + "\"$C\" list mismatches --db=disk/c.db");
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_NE(result.out.find("12345"), std::string::npos) << result.out;
}

}  // namespace
}  // namespace convict::test
