// SPDX-License-Identifier: Apache-2.0
//
// `convict report` on databases whose contents are known.
#include <SQLiteCpp/SQLiteCpp.h>
#include <sys/stat.h>

#include <set>
#include <thread>

#include "core/case_text.h"
#include "core/coverage.h"
#include "generate/reach.h"
#include "reports/writer.h"
#include "store/store.h"
#include "tests/cli/command.h"

namespace convict::test {
namespace {

using nlohmann::json;

class ReportCommand : public CliTest {
 protected:
  void fuzz(std::vector<std::string> more) const {
    more.insert(more.begin(), {"fuzz", "--oracle=none", "--shrink=none", "--db=convict.db", "-q"});
    ASSERT_NE(run(more).exit_code, 2);
  }
  json reported(std::vector<std::string> more = {}) const {
    more.insert(more.begin(), {"report", "--db=convict.db", "--format=json"});
    const CommandResult result = run(more);
    EXPECT_EQ(result.exit_code, 0) << result.err;
    return result.json();
  }
  void write_sql(const std::string& sql) const {
    SQLite::Database(file("convict.db"), SQLite::OPEN_READWRITE, 1000).exec(sql);
  }
};

TEST_F(ReportCommand, ShowsTheCoverageOfAProfile) {
  fuzz({"--target=direct", "--cases=2000"});
  const Coverage coverage = store::Store::open(file("convict.db")).coverage("any").coverage;
  const json report = reported({"--emptiest=25"});
  ASSERT_EQ(report["profiles"].size(), 1u);
  const json profile = report["profiles"][0];
  EXPECT_EQ(profile["profile"], "any");
  EXPECT_EQ(profile["cases"], coverage.cases());
  EXPECT_EQ(profile["pairs"]["seen"], coverage.seen_pairs());
  EXPECT_EQ(profile["triples"]["seen"], coverage.seen() - coverage.seen_pairs());
  EXPECT_EQ(profile["expected_unseen_next_case"], coverage.expected_unseen());
  EXPECT_EQ(profile["chance_of_unseen_next_case"], 1);

  std::vector<bool> can = generate::reachable(generate::find_profile("any"));
  uint32_t pairs = 0, all = 0;
  std::set<std::string> never;
  for (uint32_t id = 0; id < tuple_count(); ++id) {
    const bool reached = can[id] || coverage.has_seen(id);
    pairs += reached && id < pair_count();
    all += reached;
    if (reached && !coverage.has_seen(id)) never.insert(name_of(tuple_of(id)));
  }
  EXPECT_EQ(profile["pairs"]["reachable"], pairs);
  EXPECT_EQ(profile["triples"]["reachable"], all - pairs);
  EXPECT_DOUBLE_EQ(profile["pairs"]["percent"], 100.0 * coverage.seen_pairs() / pairs);
  ASSERT_EQ(profile["emptiest"].size(), 25u);
  for (const json& name : profile["emptiest"]) EXPECT_TRUE(never.contains(name)) << name;
}

TEST_F(ReportCommand, WritesIntoWhatIsNoFileInsteadOfReplacingIt) {
  ASSERT_EQ(run({"fuzz", "--target=direct", "--oracle=none", "--cases=10", "-q"}).exit_code, 0);
  ASSERT_EQ(mkfifo(file("pipe").c_str(), 0600), 0);
  std::string received;
  std::thread reader([&] { received = read_file(file("pipe")); });
  const CommandResult result = run({"report", "--quiet", "--format=csv", "--output", file("pipe")});
  reader.join();
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_TRUE(received.starts_with("id,status,")) << received;
  EXPECT_TRUE(std::filesystem::is_fifo(file("pipe")));
}

TEST_F(ReportCommand, SaysSoInWords) {
  fuzz({"--plugin=" + plugin("guilty"), "--cases=1000", "--where=fill=int"});
  fuzz({"--target=direct", "--cases=500", "--profile=grouped"});
  const CommandResult result = run({"report", "--emptiest=3"});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  for (const char* part :
       {"profile grouped, all its campaigns: ", "profile any, all its campaigns: ", "  2-way coverage  ", "  3-way coverage  ", " combinations never seen",
        "  never seen, 3 of ", "    op=", " signatures of targets and oracles; 1,",
        "  chance that the next case shows a new signature: ", "  new: ", " guilty wrong-exact (target, "})
    EXPECT_NE(result.out.find(part), std::string::npos) << part << " is not in:\n" << result.out;
  EXPECT_EQ(result.out.find("known: "), std::string::npos) << result.out;
  EXPECT_NE(result.err.find("what profile grouped can reach"), std::string::npos) << result.err;
  EXPECT_EQ(run({"report", "-q", "--profile=grouped", "--output=it.txt"}).err, "");
  EXPECT_EQ(read_file(file("it.txt")).find("profile smoke"), std::string::npos);
}

TEST_F(ReportCommand, EstimatesTheChanceOfANewSignature) {
  fuzz({"--target=direct", "--cases=400"});
  const auto insert = [&](const std::string& name, const std::string& blame, int hits, const std::string& status) {
    write_sql(
        "INSERT INTO mismatches (signature, verdict, suspect, blame, case_text, cost, certificate, first_seen, "
        "last_seen, hits, status, first_campaign, last_campaign) VALUES ('" +
        name + "', 'crash', '" + name + "', '" + blame + "', 'conv2d in=4x4', 16, '{}', 'then', 'then', " +
        std::to_string(hits) + ", '" + status + "', 1, 1)");
  };
  EXPECT_EQ(reported()["signatures"]["chance_of_new"], 0);
  EXPECT_NE(run({"report", "-q"}).out.find("a new signature: below about 1 in 400\n"), std::string::npos);
  insert("a", "target", 1, "new");
  insert("b", "oracle", 1, "known");
  insert("c", "target", 2, "new");
  insert("d", "nobody", 1, "new");
  const json report = reported();
  EXPECT_EQ(report["signatures"]["cases"], 400);
  EXPECT_EQ(report["signatures"]["count"], 3);
  EXPECT_EQ(report["signatures"]["hit_once"], 2);
  EXPECT_DOUBLE_EQ(report["signatures"]["chance_of_new"], 2.0 / 400);
  EXPECT_EQ(report["mismatches"].size(), 4u);
  const std::string text = run({"report", "-q"}).out;
  EXPECT_NE(text.find("  new: 3\n    #3 c crash (target, 2 hits)  conv2d in=4x4\n    #1 a crash"), std::string::npos)
      << text;
  EXPECT_NE(text.find("  known: 1\n    #2 b crash"), std::string::npos) << text;
}

TEST_F(ReportCommand, WritesEveryFormatAtOnce) {
  ASSERT_EQ(run({"fuzz", "--oracle=none", "-q", "--plugin=" + plugin("one_fault"), "--cases=300"}).exit_code, 1);
  ASSERT_EQ(run({"report", "-q", "--all=every/one"}).exit_code, 0);
  for (const reports::ReportWriter* writer : reports::all()) {
    const std::string_view extension = writer->extension.empty() ? writer->name : writer->extension;
    EXPECT_FALSE(read_file(file(fmt::format("every/one/report.{}", extension))).empty()) << writer->name;
  }
  EXPECT_EQ(read_file(file("every/one/report.csv")), run({"report", "-q", "--format=csv"}).out);
  EXPECT_EQ(read_file(file("every/one/report.findings.md")), run({"report", "-q", "--format=findings"}).out);
  EXPECT_FALSE(json::parse(read_file(file("every/one/report.json")))["profiles"].empty());
  EXPECT_TRUE(refuses(run({"report", "--all=every", "--output=one"}), {"--all", "without --output"}));
  write_file(file("taken"), "");
  EXPECT_TRUE(refuses(run({"report", "--all=taken", "-q"}), {"--all", "'taken'"}));
}

TEST_F(ReportCommand, WrongUsageIsOneLine) {
  EXPECT_TRUE(refuses(run({"report", "--db=missing.db"}), {"'missing.db'", "does not exist"}));
  EXPECT_FALSE(std::filesystem::exists(file("missing.db")));
  fuzz({"--target=direct", "--cases=50"});
  EXPECT_TRUE(refuses(run({"report", "--profile=smke"}), {"'smke'", "smoke"}));
  EXPECT_TRUE(refuses(run({"report", "--profile=grouped"}), {"'grouped'", "it has: any"}));
  write_file(file("text.db"), "no database\n");
  EXPECT_TRUE(refuses(run({"report", "--db=text.db"}), {"'text.db'", "not a SQLite database"}));
}

TEST_F(ReportCommand, NotesWhatItCannotRead) {
  fuzz({"--target=direct", "--cases=50"});
  write_sql("UPDATE coverage SET feature_table = 'another'");
  json report = reported();
  EXPECT_EQ(report["profiles"].size(), 0u);
  ASSERT_EQ(report["notes"].size(), 1u);
  EXPECT_NE(report["notes"][0].get<std::string>().find("another feature table"), std::string::npos);
  write_sql("UPDATE coverage SET profile = 'of-the-future'");
  report = reported();
  EXPECT_EQ(report["profiles"].size(), 0u);
  EXPECT_NE(report["notes"].dump().find("of-the-future is unknown"), std::string::npos);
}

TEST_F(ReportCommand, ADatabaseOfBeforeHasNoCoverage) {
  fuzz({"--target=direct", "--cases=50"});
  write_sql("DELETE FROM coverage");
  const CommandResult result = run({"report"});
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_NE(result.out.find("no coverage recorded\nmismatches: 0 signatures"), std::string::npos) << result.out;
}

std::vector<std::string> formats() {
  std::vector<std::string> names;
  for (const reports::ReportWriter* writer : reports::all()) names.emplace_back(writer->name);
  return names;
}

TEST_F(ReportCommand, AnEmptyDatabaseHasAReportInEveryFormat) {
  { store::Store::open(file("convict.db")); }
  EXPECT_GE(formats().size(), 8u);
  for (const std::string& format : formats()) {
    const CommandResult result = run({"report", "--format=" + format});
    EXPECT_EQ(result.exit_code, 0) << format << result.err;
    EXPECT_EQ(result.err, "") << format;
    EXPECT_TRUE(result.out.ends_with("\n")) << format;
    EXPECT_EQ(run({"report", "--format=" + format, "--output=it"}).out, "");
    EXPECT_FALSE(read_file(file("it")).empty()) << format;
  }
  EXPECT_NE(run({"report"}).out.find("no campaign yet: `convict fuzz --db FILE`"), std::string::npos);
}

TEST_F(ReportCommand, AMissingDatabaseIsOneLineInEveryFormat) {
  for (const std::string& format : formats()) {
    EXPECT_TRUE(refuses(run({"report", "--db=missing.db", "--format=" + format, "--output=it"}), {"'missing.db'"}));
    EXPECT_FALSE(std::filesystem::exists(file("it"))) << format;
  }
}

TEST_F(ReportCommand, ShowsWhatIsAskedFor) {
  {
    store::Store store = store::Store::open(file("convict.db"));
    const int64_t campaign = store.begin_campaign({.seed = 42, .profile = "smoke"});
    store.record(campaign, {parse_case("conv2d in=4"), "onednn", Verdict::kCrash, Blame::kOracle, {}});
    store.record(campaign, {parse_case("conv1d in=4"), "direct", Verdict::kHang, Blame::kTarget, {}});
    store.triage({{1, {.status = "known"}}});
  }
  write_sql("UPDATE mismatches SET last_seen = '2026-01-02T00:00:00Z' WHERE id = 2");
  const auto ids = [&](const std::vector<std::string>& words) {
    std::string text;
    const json report = reported(words);
    for (const json& row : report["mismatches"]) text += std::to_string(row["id"].get<int64_t>());
    return text;
  };
  EXPECT_EQ(ids({}), "12");
  EXPECT_EQ(ids({"--new-only"}), "2");
  EXPECT_EQ(ids({"--status=known"}), "1");
  EXPECT_EQ(ids({"--status=wontfix"}), "");
  EXPECT_EQ(ids({"--suspect=direct"}), "2");
  EXPECT_EQ(ids({"--since=2026-01-02"}), "12");
  EXPECT_EQ(ids({"--since=2026-01-03"}), "1");
  EXPECT_TRUE(refuses(run({"report", "--since=soon"}), {"--since", "'soon'", "2026-11-21"}));
  EXPECT_TRUE(refuses(run({"report", "--status=old"}), {"--status", "wontfix"}));
  EXPECT_EQ(run({"report", "--status=known", "--new-only"}).exit_code, 2);
  EXPECT_TRUE(refuses(run({"report", "--campaign=x"}), {"--campaign"}));
}

TEST_F(ReportCommand, WhatShowsNoCoverageDoesNotWorkItOut) {
  fuzz({"--target=direct", "--cases=50"});
  EXPECT_NE(run({"report"}).err.find("can reach"), std::string::npos);
  for (const char* format : {"csv", "findings", "junit", "markdown", "sarif"})
    EXPECT_EQ(run({"report", std::string("--format=") + format}).err, "") << format;
  EXPECT_TRUE(refuses(run({"report", "--format=junit", "--profile=smoke"}), {"junit", "no coverage", "json", "text"}));
  EXPECT_TRUE(refuses(run({"report", "--format=csv", "--emptiest=3"}), {"csv", "no coverage"}));
}

}  // namespace
}  // namespace convict::test
