// SPDX-License-Identifier: Apache-2.0
//
// A campaign that is stopped, killed, cut into shards or slices is the same campaign: every case once, every hit once.
#include <SQLiteCpp/SQLiteCpp.h>
#include <signal.h>

#include <algorithm>
#include <map>
#include <random>

#include "tests/cli/command.h"
#include "tests/cli/plugin_events.h"
#include "tests/file_changes.h"
#include "tests/thorough.h"

namespace convict::test {
namespace {

using nlohmann::json;
namespace fs = std::filesystem;

/// What a campaign is about: hits by signature.
using Hits = std::map<std::string, int64_t>;

class ResumeTest : public CliTest {
 protected:
  /// A native kernel that is right, mutants that are wrong now and then, and one that tells of every case.
  static std::vector<std::string> fuzz(const std::string& database, std::vector<std::string> more) {
    more.insert(more.begin(),
                {"fuzz", "--oracle=none", "--plugin=" + plugin("mutants_p"), "--plugin=" + plugin("tells"),
                 "--target=direct,P03,P11,P18,tells", "-q", "--shrink=none", "--min-judged=0", "--db=" + database});
    return more;
  }
  static std::vector<std::string> resume(const std::string& database, std::vector<std::string> more = {}) {
    more.insert(more.begin(), {"fuzz", "--resume", "-q", "--shrink=none", "--db=" + database,
                               "--plugin=" + plugin("mutants_p"), "--plugin=" + plugin("tells")});
    return more;
  }

  CommandOptions with(const std::vector<std::string>& environment) const {
    return {.directory = directory_.path(), .environment = environment};
  }

  std::string query(const std::string& database, const std::string& sql) const {
    try {
      return SQLite::Database(file(database), SQLite::OPEN_READWRITE, 5000).execAndGet(sql).getString();
    } catch (const SQLite::Exception& error) {
      return error.what();
    }
  }

  Hits hits(const std::string& database) const {
    SQLite::Database db(file(database), SQLite::OPEN_READWRITE, 5000);
    SQLite::Statement select(db, "SELECT signature, hits FROM mismatches");
    Hits found;
    while (select.executeStep()) found[select.getColumn(0).getString()] = select.getColumn(1).getInt64();
    return found;
  }
};

TEST_F(ResumeTest, AnInterruptedCampaignGoesOn) {
  const CommandResult whole = run(fuzz("whole.db", {"--cases=600", "--seed=5", "--format=json"}));
  ASSERT_EQ(whole.exit_code, 1);
  {
    const PluginEvents events;
    Command command(fuzz("cut.db", {"--cases=600", "--seed=5"}), with(events.told_and_waiting()));
    ASSERT_TRUE(events.stop_after(command, 300));
    command.signal(SIGINT);
    ASSERT_EQ(command.wait().exit_code, 130);
  }
  const std::string done = "SELECT sum(value ->> 1) FROM campaigns, json_each(coalesce(done -> 'all', done))";
  EXPECT_EQ(query("cut.db", "SELECT counts ->> 'cases' FROM campaigns"), query("cut.db", done));
  const std::string uuid = query("cut.db", "SELECT uuid FROM campaigns");
  const std::string last_moment = "SELECT seconds || ' ' || cases FROM moments ORDER BY seconds DESC LIMIT 1";
  const std::string counts = "SELECT counts ->> 'seconds' || ' ' || (counts ->> 'cases') FROM campaigns";
  EXPECT_EQ(query("cut.db", last_moment), query("cut.db", counts));
  const std::string judged = "SELECT sum(value) FROM campaigns, json_each(ratios, '$.direct')";
  EXPECT_GT(std::stoll(query("cut.db", judged)), 0);
  constexpr int64_t kMany = 1'000'000;  // cases that only the first run can have counted
  query("cut.db", "UPDATE campaigns SET ratios = json_set(ratios, '$.direct[3]', 1000000)");
  const CommandResult result = run(resume("cut.db", {"--format=json", "-j", "2"}));
  EXPECT_EQ(result.exit_code, 1) << result.err;
  EXPECT_EQ(result.json()["cases"], 600);
  EXPECT_EQ(result.json()["judged"].get<int>() + result.json()["unjudged"].get<int>(), 600);
  EXPECT_EQ(hits("cut.db"), hits("whole.db"));
  const json in_one = whole.json()["implementations"][0], in_two = result.json()["implementations"][0];
  for (const char* key : {"computed", "refused"}) {  // what was in flight may have been called without being counted
    EXPECT_LT(in_two[key].get<int>(), in_one[key].get<int>() * 5 / 4) << "nor much twice";
    EXPECT_GT(in_two[key].get<int>(), in_one[key].get<int>() * 4 / 5) << "half of them before";
  }
  int64_t shown = 0, stored = 0;
  for (const json& mismatch : result.mismatches()) shown += mismatch["hits"].get<int64_t>();
  for (const auto& [signature, count] : hits("cut.db")) stored += count;
  EXPECT_EQ(shown, stored) << "the report is of the whole campaign";
  EXPECT_EQ(query("cut.db", "SELECT count(*) FROM campaigns"), "1");
  EXPECT_EQ(query("cut.db", "SELECT uuid FROM campaigns"), uuid);
  EXPECT_EQ(query("cut.db", "SELECT state || done FROM campaigns"), "finished[[0,600]]");
  EXPECT_EQ(query("cut.db", last_moment), query("cut.db", counts));
  EXPECT_EQ(query("cut.db", "SELECT min(seconds) || ' ' || min(cases) FROM moments"), "0.0 0");
  // What was in flight when it was stopped may have been reported without being counted here, but nothing counts twice.
  EXPECT_GT(std::stoll(query("cut.db", judged)), kMany + std::stoll(query("whole.db", judged)) / 4);
  EXPECT_LE(std::stoll(query("cut.db", judged)), kMany + std::stoll(query("whole.db", judged)));
}

TEST_F(ResumeTest, NothingToResumeIsOneLine) {
  EXPECT_TRUE(refuses(run(resume("none.db")), {"--resume", "'none.db'", "does not exist"}));
  ASSERT_EQ(run(fuzz("some.db", {"--target=control", "--cases=5"})).signal, 0);
  EXPECT_TRUE(refuses(run(resume("some.db")), {"--resume", "'some.db'", "nothing to resume"}));
  EXPECT_TRUE(refuses(run({"fuzz", "--resume", "7", "--db=some.db"}), {"--resume", "no campaign 7"}));
  EXPECT_TRUE(refuses(run({"fuzz", "--resume", "1", "--db=some.db"}), {"--resume", "campaign 1", "finished"}));
  EXPECT_TRUE(refuses(run({"fuzz", "--resume=last", "--db=some.db"}), {"--resume", "'last'"}));
}

TEST_F(ResumeTest, AFlagThatDiffersIsNamed) {
  ASSERT_EQ(run(fuzz("some.db", {"--cases=5", "--seed=3"})).signal, 0);
  query("some.db", "UPDATE campaigns SET state = 'interrupted', done = '[[0,2]]'");
  const std::vector<std::pair<std::string, std::string>> others = {
      {"--seed", "4"},     {"--profile", "all"},   {"--start", "1"},
      {"--cases", "6"},    {"--shard", "1/2"},     {"--time", "3s"},
      {"--target", "P03"}, {"--oracle", "onednn"}, {"--plugin", plugin("guilty")},
      {"--timeout", "3s"}, {"--memory", "1G"}};
  for (const auto& [flag, value] : others)
    EXPECT_TRUE(refuses(run(resume("some.db", {flag, value})), {flag, "campaign 1 was started with"})) << flag;
  EXPECT_EQ(query("some.db", "SELECT state || done FROM campaigns"), "interrupted[[0,2]]");
  const CommandResult result = run(resume("some.db", {"--seed=3", "--cases=5", "-j", "2", "--format=json"}));
  EXPECT_LE(result.exit_code, 1) << result.err;
  EXPECT_EQ(result.json()["cases"], 5);
}

/// Loading a library runs its code: not because a file says so that may come from anybody.
TEST_F(ResumeTest, APluginThatOnlyTheDatabaseNamesIsNotLoaded) {
  ASSERT_EQ(run(fuzz("some.db", {"--cases=5"})).signal, 0);
  const std::string stranger = file("it's mine.so"), proof = file("proof");
  fs::copy_file(plugin("writes_on_load"), stranger);
  query("some.db",
        "UPDATE campaigns SET state = 'interrupted', done = '[]', flags = json_set(flags, '$.plugins', "
        "json_array('" +
            file("it''s mine.so") + "'))");
  const CommandOptions options = with({"CONVICT_TEST_PROOF=" + proof});
  const CommandResult refused = run_convict({"fuzz", "--resume", "-q", "--db=some.db"}, options);
  EXPECT_TRUE(
      refuses(refused, {"--resume", "if you trust them, name them: convict fuzz --resume=1 --db some.db --plugin "}));
  EXPECT_FALSE(fs::exists(proof));
  const std::string repeated = refused.err.substr(refused.err.find("fuzz --resume"));
  const CommandResult shell =
      run_convict({"-c", "'" CONVICT_PROGRAM "' " + repeated},
                  {.directory = options.directory, .environment = options.environment, .program = "/bin/sh"});
  EXPECT_TRUE(fs::exists(proof)) << "what is printed names it: " << shell.err;
}

/// libFuzzer writes its inputs there.
TEST_F(ResumeTest, ACorpusThatOnlyTheDatabaseNamesIsNotWritten) {
  ASSERT_EQ(run(fuzz("some.db", {"--cases=5"})).signal, 0);
  query("some.db",
        "UPDATE campaigns SET state = 'interrupted', done = '[]', flags = json_set(flags, '$.engine', 'libfuzzer', "
        "'$.corpus', 'elsewhere')");
  EXPECT_TRUE(refuses(run(resume("some.db")), {"--resume", "--corpus=elsewhere"}));
  EXPECT_FALSE(fs::exists(file("elsewhere")));
}

TEST_F(ResumeTest, AnotherVersionIsNoted) {
  ASSERT_EQ(run(fuzz("some.db", {"--cases=5"})).signal, 0);
  query("some.db",
        "UPDATE campaigns SET state = 'interrupted', done = '[]', libraries = json_set(libraries, '$.P03', '0.9')");
  EXPECT_NE(run(resume("some.db", {"--format=json"})).json()["notes"].dump().find("P03 was"), std::string::npos);
}

TEST_F(ResumeTest, TwoProcessesDoNotRunTheSameCampaign) {
  const PluginEvents events, later_events;
  Command command(fuzz("some.db", {"--time=1h"}), with(events.told()));
  ASSERT_TRUE(events.next(command));
  EXPECT_TRUE(refuses(run(resume("some.db")), {"campaign 1", "another process"}));
  command.signal(SIGKILL);
  command.wait();
  Command first(resume("some.db"), with(later_events.told()));
  ASSERT_TRUE(later_events.next(first));
  EXPECT_TRUE(refuses(run(resume("some.db")), {"campaign 1", "another process"}));
  first.signal(SIGINT);
  EXPECT_EQ(first.wait().exit_code, 130);
}

/// If not, it would go on for an hour.
TEST_F(ResumeTest, OnlyTheRestOfTheTimeIsUsed) {
  ASSERT_EQ(run(fuzz("some.db", {"--time=1h", "--cases=3"})).signal, 0);
  query("some.db",
        "UPDATE campaigns SET state = 'interrupted', flags = json_set(flags, '$.cases', NULL), "
        "counts = json_set(counts, '$.seconds', 3599.9)");
  EXPECT_LE(run(resume("some.db")).exit_code, 1);
  EXPECT_EQ(query("some.db", "SELECT state FROM campaigns"), "finished");
}

TEST_F(ResumeTest, AKillRightAfterItTakesNoTimeBack) {
  ASSERT_EQ(run(fuzz("some.db", {"--time=1h", "--cases=3"})).signal, 0);
  query("some.db",
        "UPDATE campaigns SET state = 'interrupted', flags = json_set(flags, '$.cases', NULL), "
        "counts = json_set(counts, '$.seconds', 1800.5)");
  const PluginEvents events;
  Command command(resume("some.db"), with(events.told()));
  ASSERT_TRUE(events.next(command));
  command.signal(SIGKILL);
  command.wait();
  EXPECT_EQ(query("some.db", "SELECT counts ->> 'seconds' >= 1800.5 FROM campaigns"), "1");
}

TEST_F(ResumeTest, ShardsMakeUpTheCampaign) {
  ASSERT_EQ(run(fuzz("whole.db", {"--cases=301", "--seed=9", "--start=17"})).exit_code, 1);
  Hits sum;
  int cases = 0;
  for (const char* shard : {"1/3", "2/3", "3/3"}) {
    const std::string database = std::string("shard") + shard[0] + ".db";
    cases += run(fuzz(database,
                      {"--cases=301", "--seed=9", "--start=17", "--format=json", std::string("--shard=") + shard}))
                 .json()["cases"]
                 .get<int>();
    for (const auto& [signature, count] : hits(database)) sum[signature] += count;
  }
  EXPECT_EQ(cases, 301);
  EXPECT_EQ(sum, hits("whole.db"));
}

TEST_F(ResumeTest, SlicesMakeUpTheCampaign) {
  ASSERT_EQ(run(fuzz("whole.db", {"--cases=600", "--seed=2"})).exit_code, 1);
  Hits sum;
  for (const auto& [start, count] : {std::pair("0", "1"), std::pair("1", "280"), std::pair("281", "319")}) {
    const std::string database = std::string("slice") + start + ".db";
    run(fuzz(database, {"--seed=2", std::string("--start=") + start, std::string("--cases=") + count}));
    for (const auto& [signature, hit] : hits(database)) sum[signature] += hit;
  }
  EXPECT_EQ(sum, hits("whole.db"));
}

/// Kills the supervisor, and in between workers, again and again: in a call, or when the database was written. In which
/// one a fixed seed decides.
class KillTest : public ResumeTest {
 protected:
  static constexpr int kCases = 600;
  const int kills_wanted_ = thorough(8, 200);

  size_t up_to(size_t most) { return std::uniform_int_distribution<size_t>(0, most)(random_); }

  /// Waits for so many calls, and says who made the last one; nothing if the command ends before.
  static std::optional<pid_t> after_calls(size_t calls, const PluginEvents& events, Command& command) {
    std::optional<pid_t> caller;
    for (size_t i = 0; i <= calls; ++i)
      if (!(caller = events.next(command))) break;
    return caller;
  }

  /// Waits for so many changes of files.
  static void after_changes(size_t changes, const FileChanges& files, Command& command) {
    for (size_t seen = 0; seen < changes && command.waits_for(files.descriptor());) seen += files.take();
  }

  /// One run of the campaign that is killed sooner or later, unless it comes to its end.
  void run_and_kill(const std::vector<std::string>& arguments) {
    const PluginEvents events;
    const FileChanges files(directory_.path());
    Command command(arguments, with(events.told()));
    if (random_() % 2 == 0)
      if (const auto worker = after_calls(up_to(kCases / 4), events, command)) {
        kill(*worker, SIGKILL);
        ++kills_;
      }
    if (random_() % 2 == 0)
      after_calls(up_to(kCases / 2), events, command);
    else
      after_changes(up_to(60), files, command);
    if (command.has_ended()) return;
    command.signal(SIGKILL);
    ++kills_;
    command.wait();
    wait_for_end_of_all_in(directory_.path());  // a worker that is just being started still owns the campaign
  }

  /// Nothing that was stored is ever lost.
  void check_growth(const std::string& database) {
    ASSERT_EQ(query(database, "PRAGMA integrity_check"), "ok") << "seed " << kSeed << ", kill " << kills_;
    const Hits now = hits(database);
    for (const auto& [signature, count] : before_) {
      ASSERT_TRUE(now.contains(signature)) << signature << ": seed " << kSeed << ", kill " << kills_;
      ASSERT_GE(now.at(signature), count) << signature << ": seed " << kSeed << ", kill " << kills_;
    }
    before_ = now;
  }

  bool is_finished(const std::string& database) const {
    return query(database, "SELECT state FROM campaigns") == "finished";
  }

  static constexpr unsigned kSeed = 20;
  std::mt19937 random_{kSeed};
  int kills_ = 0;
  Hits before_;
};

TEST_F(KillTest, EveryCaseCountsOnceInTheEnd) {
  int campaigns = 0;
  while (kills_ < kills_wanted_) {
    const std::string number = std::to_string(++campaigns), database = "killed" + number + ".db";
    const std::vector<std::string> flags = {"--cases=" + std::to_string(kCases), "--seed=" + number, "-j", "2"};
    ASSERT_EQ(run(fuzz("whole" + number + ".db", flags)).exit_code, 1);
    before_.clear();
    while (!is_finished(database) && kills_ < kills_wanted_) {
      const bool is_begun = query(database, "SELECT count(*) FROM campaigns") == "1";
      run_and_kill(is_begun ? resume(database) : fuzz(database, flags));
      if (query(database, "SELECT count(*) FROM campaigns") == "1") check_growth(database);
      if (HasFatalFailure()) return;
    }
    if (query(database, "SELECT count(*) FROM campaigns") != "1") run(fuzz(database, flags));
    if (!is_finished(database)) {
      const CommandResult rest = run(resume(database));
      ASSERT_EQ(rest.exit_code, 1) << "seed " << kSeed << ", kill " << kills_ << ": " << rest.err;
    }
    EXPECT_EQ(query(database, "SELECT state || done FROM campaigns"), "finished[[0," + std::to_string(kCases) + "]]");
    EXPECT_EQ(query(database, "SELECT counts ->> 'cases' FROM campaigns"), std::to_string(kCases));
    EXPECT_EQ(query(database, "SELECT (counts ->> 'judged') + (counts ->> 'unjudged') FROM campaigns"),
              std::to_string(kCases));
    EXPECT_EQ(hits(database), hits("whole" + number + ".db")) << "seed " << kSeed << ", campaign " << number;
  }
}

}  // namespace
}  // namespace convict::test
