// SPDX-License-Identifier: Apache-2.0
//
// Coverage of campaigns: counted, kept in the database, and what later campaigns are steered at.
#include <SQLiteCpp/SQLiteCpp.h>
#include <signal.h>

#include <algorithm>
#include <regex>
#include <set>

#include "core/case_text.h"
#include "core/coverage.h"
#include "core/geometry.h"
#include "generate/generate.h"
#include "store/store.h"
#include "tests/cli/command.h"
#include "tests/cli/plugin_events.h"
#include "tests/file_changes.h"

namespace convict::test {
namespace {

using nlohmann::json;

class CoverageCommand : public CliTest {
 protected:
  std::vector<std::string> fuzz(std::vector<std::string> more) const {
    const bool names_profile =
        std::ranges::any_of(more, [](const std::string& word) { return word.starts_with("--profile"); });
    if (!names_profile) more.emplace_back("--profile=smoke");
    more.insert(more.begin(),
                {"fuzz", "--oracle=none", "--db=convict.db", "-q", "--format=json", "--shrink=none", "--illegal=0"});
    return more;
  }
  CommandResult run_fuzz(std::vector<std::string> more) const { return run(fuzz(std::move(more))); }

  std::string query(const std::string& sql) const {
    try {
      return SQLite::Database(file("convict.db"), SQLite::OPEN_READWRITE, 1000).execAndGet(sql).getString();
    } catch (const SQLite::Exception&) {
      return "";
    }
  }
  void write_sql(const std::string& sql) const {
    SQLite::Database(file("convict.db"), SQLite::OPEN_READWRITE, 1000).exec(sql);
  }
  Coverage stored(const std::string& profile = "smoke") const {
    return store::Store::open(file("convict.db")).coverage(profile).coverage;
  }
  std::vector<uint32_t> focus_of(int campaign) const {
    const std::string text = query("SELECT focus FROM campaigns WHERE id = " + std::to_string(campaign));
    return text.empty() ? std::vector<uint32_t>() : json::parse(text).get<std::vector<uint32_t>>();
  }
};

bool is_steered(const CommandResult& result) {
  const json notes = result.json()["notes"];
  return std::ranges::any_of(notes, [](const json& note) {
    const std::string text = note.get<std::string>();
    return text.starts_with("steered at ") && text.ends_with(" combinations that earlier campaigns did not reach");
  });
}

Coverage expected_of(const generate::Sampling& sampling, uint64_t cases) {
  Coverage coverage;
  for (uint64_t i = 0; i < cases; ++i) {
    const Case c = generate::generate(sampling, i);
    if (const Resolved resolved = resolve(c); !resolved.why_not) coverage.add(levels_of(c, resolved.problem));
  }
  return coverage;
}

TEST_F(CoverageCommand, CountsEveryLegalCase) {
  const CommandResult result = run_fuzz({"--target=direct", "--cases=3000", "--seed=5", "-j2"});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  const Coverage expected = expected_of({.profile = generate::find_profile("smoke"), .seed = 5}, 3000);
  EXPECT_EQ(stored().serialise(), expected.serialise());
  const json report = result.json(), coverage = report["coverage"];
  EXPECT_EQ(coverage["cases"], expected.cases());
  EXPECT_EQ(coverage["pairs"], expected.seen_pairs());
  EXPECT_EQ(coverage["triples"], expected.seen() - expected.seen_pairs());
  EXPECT_EQ(coverage["expected_unseen_next_case"], expected.expected_unseen());
  EXPECT_TRUE(report["mistrusted"].is_number_unsigned() && report["redrawn"].is_number_unsigned());
}

TEST_F(CoverageCommand, ShardsAddUp) {
  for (const char* shard : {"1/2", "2/2"})
    run_fuzz({"--target=direct", "--cases=2000", "--seed=5", std::string("--shard=") + shard});
  EXPECT_EQ(stored().serialise(),
            expected_of({.profile = generate::find_profile("smoke"), .seed = 5}, 2000).serialise());
}

TEST_F(CoverageCommand, IsInTheSummary) {
  const CommandResult result = run({"fuzz", "--target=direct", "--oracle=none", "--cases=2000", "--illegal=0", "-q"});
  const std::string unwrapped = std::regex_replace(result.out, std::regex("\n +"), " ");
  for (const char* part : {"all its campaigns: ", " pairs and ", " of features seen in 2,000 legal", "at most about",
                           "weak data", "repeated with stronger data"})
    EXPECT_NE(unwrapped.find(part), std::string::npos) << part << " in\n" << result.out;
}

TEST_F(CoverageCommand, WhoFailsWasPutToTheTest) {
  const CommandResult result = run({"fuzz", "--plugin=" + plugin("faulty"), "--target=fails", "--oracle=none",
                                    "--cases=300", "--shrink=none", "--format=json", "-q"});
  const nlohmann::json target = nlohmann::json::parse(result.out)["targets"][0];
  EXPECT_GT(target["judged"], 200);
  EXPECT_GT(target["pairs"], 1000);
}

/// So was who died, and the others are judged in another process.
TEST_F(CoverageCommand, WhoDiesWasPutToTheTest) {
  const CommandResult result =
      run({"fuzz", "--plugin=" + plugin("faulty"), "--target=crashes-on-three,direct", "--oracle=none", "--cases=40",
           "--where=conv2d oc=3", "--illegal=0", "--shrink=none", "--format=json", "-q"});
  const nlohmann::json report = nlohmann::json::parse(result.out);
  EXPECT_GE(report["worker_deaths"], 30);
  EXPECT_GE(report["coverage"]["cases"], 30);
  for (const nlohmann::json& target : report["targets"]) EXPECT_GT(target["pairs"], 1000) << target["name"];
}

TEST_F(CoverageCommand, TheSecondCampaignIsSteered) {
  EXPECT_FALSE(is_steered(run_fuzz({"--target=direct", "--cases=12000"}))) << "the database was empty";
  const Coverage before = stored();
  EXPECT_TRUE(focus_of(1).empty());

  const CommandResult second =
      run_fuzz({"--plugin=" + plugin("mutants_p"), "--target=P03", "--cases=12000", "--seed=2"});
  ASSERT_TRUE(is_steered(second)) << second.out;
  const std::vector<uint32_t> focus = focus_of(2);
  ASSERT_GE(focus.size(), 1000u);
  ASSERT_LE(focus.size(), 20'000u);
  for (const uint32_t id : focus) EXPECT_FALSE(before.has_seen(id));

  const generate::Sampling steered{.profile = generate::find_profile("smoke"), .seed = 2, .focus = focus},
      plain{steered.profile, 2};
  Coverage sum = before, unsteered = before;
  sum.merge(expected_of(steered, 12'000));
  unsteered.merge(expected_of(plain, 12'000));
  EXPECT_EQ(stored().serialise(), sum.serialise());
  EXPECT_GT(sum.seen(), unsteered.seen());

  // What it caught are cases of this sampling, and some of them of no other.
  std::set<std::string> lines, plain_lines;
  for (uint64_t i = 0; i < 12'000; ++i) {
    for (const bool comb : {false, true}) {  // passes that prove nothing are judged again with a comb
      Case c = generate::generate(steered, i), other = generate::generate(plain, i);
      if (comb) c.fill = other.fill = Fill::kComb;
      if (comb) c.calls = other.calls = Calls::kOnce;
      lines.insert(to_text(c));
      plain_lines.insert(to_text(other));
    }
  }
  int only_steered = 0, reproduced = 0;
  for (const json& mismatch : second.mismatches()) {
    const std::string line = mismatch["case"];
    if (mismatch["certificate"].value("text", "").find("found by the relation") == 0) continue;  // it asked for that case
    EXPECT_TRUE(lines.contains(line)) << line;
    only_steered += !plain_lines.contains(line);
    if (mismatch["verdict"] == "accepts-invalid") continue;  // repro takes legal cases only
    ++reproduced;
    const CommandResult repro =
        run({"repro", "--plugin=" + plugin("mutants_p"), "--target=P03", "--oracle=none", line});
    EXPECT_EQ(repro.exit_code, 1) << line;
    EXPECT_TRUE(repro.out.starts_with(line + "\n")) << repro.out;
  }
  EXPECT_GT(only_steered, 0);
  EXPECT_GT(reproduced, 0);
}

/// The supervisor works out by itself which case a worker died on.
TEST_F(CoverageCommand, ACrashOfASteeredCampaignHasItsCase) {
  run_fuzz({"--target=direct", "--cases=12000"});
  // A case of odd index that the focus changes: those are all of its wishes but the illegal ones.
  const CommandResult crash =
      run_fuzz({"--plugin=" + plugin("faulty"), "--target=crashes", "--start=1001", "--cases=1", "--seed=2"});
  ASSERT_TRUE(is_steered(crash)) << crash.out;
  const std::vector<uint32_t> focus = focus_of(2);
  const generate::Sampling sampling{.profile = generate::find_profile("smoke"), .seed = 2, .focus = focus};
  const std::string steered = to_text(generate::generate(sampling, 1001));
  ASSERT_NE(steered, to_text(generate::generate(sampling.profile, 2, 1001)));
  ASSERT_EQ(crash.mismatches().size(), 1u) << crash.out;
  EXPECT_EQ(crash.mismatches()[0]["case"], steered);
  EXPECT_EQ(crash.mismatches()[0]["suspect"], "crashes");
}

TEST_F(CoverageCommand, FewCasesSteerNothing) {
  run_fuzz({"--target=direct", "--cases=2000"});
  EXPECT_FALSE(is_steered(run_fuzz({"--target=direct", "--cases=100"})));
  EXPECT_TRUE(focus_of(2).empty());
}

TEST_F(CoverageCommand, AnotherProfileIsNotSteered) {
  run_fuzz({"--target=direct", "--cases=12000"});
  EXPECT_FALSE(is_steered(run_fuzz({"--target=direct", "--cases=100", "--profile=grouped"})));
}

TEST_F(CoverageCommand, CoverageOfAnotherTableIsReplacedWithANote) {
  run_fuzz({"--target=direct", "--cases=12000"});
  write_sql("UPDATE coverage SET feature_table = 'another'");
  const CommandResult result = run_fuzz({"--target=direct", "--cases=500"});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_FALSE(is_steered(result));
  const json notes = result.json()["notes"];
  EXPECT_TRUE(std::ranges::any_of(notes, [](const json& note) {
    return note == "coverage of profile smoke was of another feature table: counted anew";
  })) << notes;
  EXPECT_LT(stored().cases(), 501u);
  EXPECT_GT(stored().cases(), 400u);
}

/// All but two batches of at most 512 cases, which were under way.
TEST_F(CoverageCommand, AnInterruptedCampaignKeepsIt) {
  const PluginEvents events;
  Command command(fuzz({"--plugin=" + plugin("tells"), "--target=direct,tells", "--time=1h"}),
                  {.directory = directory_.path(), .environment = events.told_and_waiting()});
  ASSERT_TRUE(events.stop_after(command, 2000));
  command.signal(SIGINT);
  const CommandResult result = command.wait();
  EXPECT_EQ(result.exit_code, 130);
  EXPECT_GT(stored().cases(), 300u);
  EXPECT_EQ(result.json()["coverage"]["cases"], stored().cases());
}

TEST_F(CoverageCommand, AKilledCampaignKeepsWhatIsFiveSecondsOld) {
  Command command(fuzz({"--target=direct", "--time=1h"}), {.directory = directory_.path()});
  const FileChanges files(directory_.path());
  while (query("SELECT cases FROM coverage").empty()) {
    ASSERT_TRUE(command.waits_for(files.descriptor()));
    files.take();
  }
  command.signal(SIGKILL);
  command.wait();
  EXPECT_GT(stored().cases(), 0u);
  EXPECT_EQ(query("PRAGMA integrity_check"), "ok");
}

}  // namespace
}  // namespace convict::test
