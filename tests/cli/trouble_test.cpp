// SPDX-License-Identifier: Apache-2.0
//
// Trouble with the machine while a campaign runs, and files made to hurt: one line, the exit code of whose fault it is,
// and what was stored before is intact.
#include <SQLiteCpp/SQLiteCpp.h>
#include <unistd.h>

#include <csignal>
#include <fstream>

#include "tests/cli/command.h"
#include "tests/cli/plugin_events.h"

namespace convict::test {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

class TroubleTest : public CliTest {
 protected:
  /// `script` in a shell, where $C is the program.
  CommandResult shell(const std::string& script) const {
    return run_convict({"-c", "C='" CONVICT_PROGRAM "'; " + script},
                       {.directory = directory_.path(), .program = "/bin/sh"});
  }

  /// The same where the directory `disk` is a file system of its own, if we may make one.
  CommandResult shell_with_disk(const std::string& mount_options, const std::string& script) const {
    fs::create_directory(file("disk"));
    write_file(file("inside.sh"),
               "mount -t tmpfs -o " + mount_options + " tmpfs disk 2>/dev/null || exit 99\n" + script);
    return shell(
        "export C; unshare -m --propagation private sh inside.sh 2>err || { r=$?; cat err >&2; exit $r; }; "
        "cat err >&2");
  }

  static std::string fuzz(const std::string& database, const std::string& more) {
    return "\"$C\" fuzz --oracle=none --plugin='" + plugin("mutants_p") +
           "' --target=P03,P11,P18 -q --shrink=none --db=" + database + " " + more + " ";
  }

  std::string query(const std::string& database, const std::string& sql) const {
    return SQLite::Database(file(database), SQLite::OPEN_READWRITE, 5000).execAndGet(sql).getString();
  }
};

TEST_F(TroubleTest, AFullDiskEndsTheCampaignInOneLine) {
  const CommandResult result = shell_with_disk(
      "size=1600k",
      fuzz("disk/a.db", "--cases=20 >/dev/null") + "; for f in disk/a.db*; do cp $f before${f#disk/a}; done\n" +
          "\"$C\" list mismatches --db before.db >/dev/null || exit 98\n" +
          fuzz("disk/a.db", "--cases=100000 --seed=2 --profile=all") + "; r=$?\n" + "cp disk/a.db* . ; exit $r\n");
  if (result.exit_code == 99) GTEST_SKIP() << "only root can mount a file system of its own";
  EXPECT_TRUE(refuses(result, {"disk/a.db", "full"}, 71));
  EXPECT_EQ(query("a.db", "PRAGMA integrity_check"), "ok");
  SQLite::Database db(file("a.db"), SQLite::OPEN_READWRITE, 5000);
  db.exec("ATTACH '" + file("before.db") + "' AS before");
  EXPECT_NE(db.execAndGet("SELECT count(*) FROM before.mismatches").getInt64(), 0);
  EXPECT_EQ(db.execAndGet("SELECT count(*) FROM before.mismatches b WHERE NOT EXISTS (SELECT 1 FROM main.mismatches m "
                          "WHERE m.id = b.id AND m.signature = b.signature AND m.hits >= b.hits)")
                .getInt64(),
            0);
}

TEST_F(TroubleTest, AReadOnlyDirectoryIsOneLine) {
  const CommandResult result = shell_with_disk(
      "size=1m", "mount -o remount,ro disk 2>/dev/null || exit 99\n" + fuzz("disk/a.db", "--cases=5") + "\n");
  if (result.exit_code == 99) GTEST_SKIP() << "only root can mount a file system of its own";
  EXPECT_TRUE(refuses(result, {"disk/a.db", "cannot write"}));
}

/// A command that is no campaign does not wait for long.
TEST_F(TroubleTest, ALockedDatabaseIsOneLine) {
  ASSERT_LE(shell(fuzz("a.db", "--cases=20")).exit_code, 1);
  SQLite::Database other(file("a.db"), SQLite::OPEN_READWRITE);
  other.exec("BEGIN IMMEDIATE");
  EXPECT_TRUE(refuses(run({"triage", "1", "known", "--db=a.db"}), {"'a.db'", "locked by another process"}, 71));
}

/// Whoever has it locked may take longer than any limit: the campaign says so, and goes on when it can.
class Locked : public TroubleTest {
 protected:
  std::vector<std::string> fuzz_for_ever() const {
    return {"fuzz", "--oracle=none", "--plugin=" + plugin("tells"), "--plugin=" + plugin("mutants_p"),
            "--target=tells,P03", "--time=1h", "--shrink=none", "--format=json"};
  }
  static int64_t hits_in(const json& report) {
    int64_t hits = 0;
    for (const json& one : report["mismatches"]) hits += one["hits"].get<int64_t>();
    return hits;
  }
};

TEST_F(Locked, FromTheStart) {
  ASSERT_LE(shell(fuzz("convict.db", "--cases=20")).exit_code, 1);
  SQLite::Database other(file("convict.db"), SQLite::OPEN_READWRITE);
  other.exec("BEGIN IMMEDIATE");
  Command command({"fuzz", "--oracle=none", "--target=direct", "--cases=5"}, {.directory = directory_.path()});
  ASSERT_TRUE(command.says("locked by another process"));
  other.exec("ROLLBACK");
  EXPECT_EQ(command.wait().exit_code, 0);
  EXPECT_EQ(query("convict.db", "SELECT state || ' ' || json_extract(counts, '$.cases') FROM campaigns WHERE id = 2"),
            "finished 5");
}

TEST_F(Locked, Meanwhile) {
  const PluginEvents events;
  Command command(fuzz_for_ever(), {.directory = directory_.path(), .environment = events.told()});
  ASSERT_TRUE(events.next(command));
  SQLite::Database other(file("convict.db"), SQLite::OPEN_READWRITE, 5000);
  other.exec("BEGIN IMMEDIATE");
  ASSERT_TRUE(command.says("locked by another process"));
  for (int i = 0; i < 100; ++i) ASSERT_TRUE(events.next(command)) << "it goes on";
  other.exec("ROLLBACK");
  for (int i = 0; i < 100; ++i) ASSERT_TRUE(events.next(command));
  command.signal(SIGINT);
  const CommandResult result = command.wait();
  EXPECT_EQ(result.exit_code, 130) << result.err;
  EXPECT_EQ(result.err.find("locked"), result.err.rfind("locked")) << "once: " << result.err;
  EXPECT_GT(hits_in(result.json()), 0);
  EXPECT_EQ(query("convict.db", "SELECT sum(hits) FROM mismatches"), std::to_string(hits_in(result.json())));
}

/// Ctrl-C ends the wait. What was not written is examined again.
TEST_F(Locked, UntilTheUserHasEnough) {
  const PluginEvents events;
  Command command(fuzz_for_ever(), {.directory = directory_.path(), .environment = events.told()});
  ASSERT_TRUE(events.next(command));
  SQLite::Database other(file("convict.db"), SQLite::OPEN_READWRITE, 5000);
  other.exec("BEGIN IMMEDIATE");
  ASSERT_TRUE(command.says("locked by another process"));
  command.signal(SIGINT);
  const CommandResult result = command.wait();
  EXPECT_EQ(result.exit_code, 71) << result.err;
  other.exec("ROLLBACK");
  EXPECT_EQ(query("convict.db", "SELECT state FROM campaigns"), "running") << "to be resumed";
}

TEST_F(TroubleTest, ATruncatedDatabaseEndsTheCampaignInOneLine) {
  const PluginEvents events;
  Command command({"fuzz", "--oracle=none", "--plugin=" + plugin("tells"), "--target=direct,tells", "--time=1h", "-q"},
                  {.directory = directory_.path(), .environment = events.told()});
  ASSERT_TRUE(events.next(command));
  SQLite::Database(file("convict.db"), SQLite::OPEN_READWRITE, 5000).exec("PRAGMA wal_checkpoint(TRUNCATE)");
  for (int i = 0; i < 100; ++i) ASSERT_TRUE(events.next(command));
  fs::resize_file(file("convict.db"), 0);
  EXPECT_TRUE(refuses(command.wait(), {"'convict.db'", "truncated", "convict fuzz --resume"}, 71));
}

/// There is no room for the files that SQLite keeps beside a database that is written to.
TEST_F(TroubleTest, AFullDiskCanBeRead) {
  const CommandResult result = shell_with_disk(
      "size=4m", fuzz("disk/a.db", "--cases=20 >/dev/null") +
                     "; cat /dev/zero >disk/filler 2>/dev/null; rm -f disk/a.db-*\n"
                 "\"$C\" list mismatches --db disk/a.db >/dev/null && \"$C\" report --db disk/a.db >/dev/null\n");
  if (result.exit_code == 99) GTEST_SKIP() << "only root can mount a file system of its own";
  EXPECT_EQ(result.exit_code, 0) << result.err;
}

/// The log of a killed campaign is read, too, and stays as it is.
TEST_F(TroubleTest, AReadOnlyPlaceCanBeRead) {
  const PluginEvents events;
  Command command(
      {"fuzz", "--oracle=none", "--plugin=" + plugin("tells"), "--target=direct,tells", "--time=1h", "-q", "--db=a.db"},
      {.directory = directory_.path(), .environment = events.told()});
  for (int i = 0; i < 100; ++i) ASSERT_TRUE(events.next(command));
  command.signal_group(SIGKILL);
  command.wait();
  ASSERT_TRUE(fs::exists(file("a.db-wal")));
  const CommandResult result = shell_with_disk(
      "size=4m", "cp a.db a.db-wal disk/; mount -o remount,ro disk 2>/dev/null || exit 99\n"
                 "\"$C\" list mismatches --db disk/a.db >/dev/null && \"$C\" report --db disk/a.db --format json\n");
  if (result.exit_code == 99) GTEST_SKIP() << "only root can mount a file system of its own";
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_EQ(result.json()["campaigns"].size(), 1u) << "it is in the log";
}

/// What is done to the database while a campaign writes to it; a second file is there to take its place.
class Displaced : public TroubleTest, public testing::WithParamInterface<std::pair<const char*, const char*>> {};

TEST_P(Displaced, EndsTheCampaignInOneLine) {
  ASSERT_EQ(run({"fuzz", "--oracle=none", "--target=direct", "--cases=1", "-q", "--db=other.db"}).exit_code, 0);
  const auto [script, says] = GetParam();
  const PluginEvents events;
  Command command({"fuzz", "--oracle=none", "--plugin=" + plugin("tells"), "--target=direct,tells", "--time=1h", "-q"},
                  {.directory = directory_.path(), .environment = events.told()});
  ASSERT_TRUE(events.next(command));
  ASSERT_EQ(shell(script).exit_code, 0);
  EXPECT_TRUE(refuses(command.wait(), {"'convict.db'", says, "convict fuzz --resume"}, 71));
  for (const char* name : {"convict.db", "moved.db", "other.db"}) {
    if (!fs::exists(file(name))) continue;
    EXPECT_EQ(query(name, "PRAGMA integrity_check"), "ok") << name;
  }
}

INSTANTIATE_TEST_SUITE_P(ADatabaseThatIs, Displaced,
                         testing::Values(std::pair("rm convict.db", "deleted or renamed"),
                                         std::pair("mv convict.db moved.db", "deleted or renamed"),
                                         std::pair("mv other.db convict.db", "replaced by another file")),
                         [](const auto& info) {
                           return info.index == 0 ? "Deleted" : info.index == 1 ? "Renamed" : "Replaced";
                         });

/// Times in the database from a clock that was ahead.
TEST_F(TroubleTest, AClockThatWasSetBackTurnsNoTimeBack) {
  ASSERT_LE(shell(fuzz("a.db", "--cases=50")).exit_code, 1);
  SQLite::Database(file("a.db"), SQLite::OPEN_READWRITE, 5000)
      .exec(
          "UPDATE campaigns SET state = 'interrupted', done = '[[0,20]]', updated = '2999-01-01T00:00:00Z';"
          "UPDATE seen SET last_seen = '2999-01-01T00:00:00Z';"
          "UPDATE sightings SET last_seen = '2999-01-01T00:00:00Z';"
          "UPDATE mismatches SET last_seen = '2999-01-01T00:00:00Z'");
  const CommandResult result = shell("\"$C\" fuzz --resume -q --db=a.db --plugin='" + plugin("mutants_p") + "'");
  EXPECT_EQ(result.exit_code, 1) << result.err;
  EXPECT_EQ(query("a.db", "SELECT min(last_seen) FROM mismatches"), "2999-01-01T00:00:00Z");
  EXPECT_EQ(query("a.db", "SELECT min(last_seen) FROM sightings"), "2999-01-01T00:00:00Z");
  EXPECT_EQ(query("a.db", "SELECT updated = '2999-01-01T00:00:00Z' AND ended >= started FROM campaigns"), "1");
}

/// The wall clock jumps by a year every second, so that an hour of it is over at once; the steady one does not.
TEST_F(TroubleTest, TimeBudgetsAreOfTheSteadyClock) {
  if (kKeepsFreedMemory) GTEST_SKIP() << "the sanitizer wants to be loaded before faketime";
  if (system("command -v faketime >/dev/null") != 0) GTEST_SKIP() << "faketime is not installed";
  const CommandResult result = shell(
      "DONT_FAKE_MONOTONIC=1 FAKETIME_DONT_FAKE_MONOTONIC=1 faketime -f '+0 x30000000' \"$C\" fuzz --oracle=none "
      "--target=direct -q --time=1h --cases=300 --format=json");
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_EQ(result.json()["cases"], 300);
}

/// ---- Files made to hurt. Every command runs with an address space of about 1 GB.
/// ------------------------------------
class HostileTest : public TroubleTest {
 protected:
  CommandResult bounded(const std::string& arguments) const {
    return shell((kKeepsFreedMemory ? "" : "ulimit -v 1000000; ") + ("\"$C\" " + arguments));
  }

  void damage(const std::string& sql) const {
    ASSERT_LE(shell(fuzz("a.db", "--cases=100")).exit_code, 1);
    SQLite::Database(file("a.db"), SQLite::OPEN_READWRITE, 5000).exec(sql);
  }
};

TEST_F(HostileTest, ALineOfTenMegabytes) {
  write_file(file("some.cases"), "conv2d in=5 " + std::string(10 << 20, 'x') + "\n");
  EXPECT_TRUE(refuses(bounded("replay --oracle none some.cases"), {"some.cases:1", "bytes"}));
}

TEST_F(HostileTest, AGigabyteOfZeros) {
  std::ofstream(file("some.cases"));
  fs::resize_file(file("some.cases"), uintmax_t{1} << 30);
  EXPECT_TRUE(refuses(bounded("replay --oracle none some.cases"), {"some.cases", "bytes"}));
}

TEST_F(HostileTest, MegabytesOfZeros) {
  std::ofstream(file("some.cases"));
  fs::resize_file(file("some.cases"), uintmax_t{60} << 20);
  EXPECT_TRUE(refuses(bounded("replay --oracle none some.cases"), {"some.cases", "not a text file"}));
}

TEST_F(HostileTest, AConfigFileOfGarbage) {
  std::string garbage = "[fuzz\n=]\x01\xff\x1b[2J";
  for (int i = 0; i < 100'000; ++i) garbage += static_cast<char>(i * 2654435761u >> 13);
  write_file(file("garbage.toml"), garbage);
  EXPECT_TRUE(refuses(bounded("--config garbage.toml fuzz --cases 1"), {"config"}));
}

TEST_F(HostileTest, AConfigFileWithoutEnd) {
  EXPECT_TRUE(refuses(bounded("--config /dev/zero fuzz --cases 1"), {"--config", "/dev/zero"}));
}

TEST_F(HostileTest, ACaseInTheDatabaseThatIsNone) {
  damage("UPDATE mismatches SET cost = -1, case_text = 'conv9d' || char(27) || '[2J'");
  EXPECT_TRUE(refuses(bounded("repro 1 --db a.db --oracle none --plugin '" + plugin("mutants_p") + "'"), {"conv9d"}));
  const CommandResult again = shell(fuzz("a.db", "--cases=100 --format=json"));
  EXPECT_LE(again.exit_code, 1) << again.err;
  EXPECT_NE(again.json()["notes"].dump().find("makes no sense"), std::string::npos);
  for (const char* command : {"list mismatches --db a.db", "report --db a.db --emptiest 0 -q"})
    EXPECT_EQ(bounded(command).exit_code, 0) << command;
}

TEST_F(HostileTest, ACertificateThatIsNoObject) {
  for (const char* certificate : {"[]", "3", "null", "\"text\"", "{\"at\":{},\"got\":[],\"witnesses\":3}"}) {
    damage(std::string("UPDATE mismatches SET cost = -1, certificate = '") + certificate + "'");
    for (const char* command :
         {"list mismatches --db a.db", "report --db a.db --emptiest 0 -q", "list mismatches --db a.db --format json"})
      EXPECT_EQ(bounded(command).exit_code, 0) << command;
    const CommandResult again = shell(fuzz("a.db", "--cases=100"));
    EXPECT_LE(again.exit_code, 1) << again.err;
    EXPECT_EQ(again.signal, 0);
  }
}

TEST_F(HostileTest, ANoteOfAHundredMegabytes) {
  damage("UPDATE mismatches SET note = printf('%.*c', 100000000, 'x') WHERE id = 1");
  for (const char* command : {"list mismatches --db a.db", "report --db a.db -q", "repro 1 --db a.db --oracle none"})
    EXPECT_TRUE(refuses(bounded(command), {"'a.db'", "16 MB"})) << command;
}

TEST_F(HostileTest, ACampaignToResumeThatMakesNoSense) {
  ASSERT_LE(shell(fuzz("a.db", "--cases=10")).exit_code, 1);
  for (const char* set : {"done = '[[5,1],[0,9]]'", "done = '[[0,-1]]'", "done = '3'", "seed = 'x'", "focus = '{}'",
                          "flags = '[]'", "flags = '{\"targets\":3}'", "counts = '[1]'", "libraries = '\"x\"'"}) {
    SQLite::Database db(file("a.db"), SQLite::OPEN_READWRITE, 5000);
    db.exec(
        "UPDATE campaigns SET state = 'interrupted', done = '[]', seed = '1', focus = '', counts = '{}', "
        "libraries = '{}', flags = '{\"cases\":10}'");
    db.exec(std::string("UPDATE campaigns SET ") + set);
    EXPECT_TRUE(refuses(bounded("fuzz --resume -q --db a.db"), {"'a.db'", "campaign"})) << set;
  }
}

}  // namespace
}  // namespace convict::test
