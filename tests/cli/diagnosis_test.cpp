// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <sys/wait.h>

#include <algorithm>
#include <set>

#include "core/case_text.h"
#include "store/store.h"
#include "tests/cli/command.h"
#include "tests/thorough.h"

namespace convict::test {
namespace {

using nlohmann::json;

constexpr const char* kLarge =
    "conv_transpose2d n=2 g=2 ic=4 oc=6 in=5x4 k=3x3 s=2x2 p=1x1 op=1x0 bias lay=nhwc:oihw:nhwc fill=normal seed=77";

class DiagnosisTest : public CliTest {
 protected:
  CommandResult diagnosis(const std::string& command, const std::string& target, const std::string& line,
                          std::vector<std::string> more = {}) const {
    more.insert(more.begin(), {command, "--plugin=" + plugin(target == "guilty" ? "guilty" : "faulty"),
                               "--target=" + target, "--oracle=none", line});
    return run(more);
  }
};

TEST_F(DiagnosisTest, ShrinksAndKeepsTheOperation) {
  const CommandResult result = diagnosis("shrink", "guilty", kLarge, {"--format=json"});
  EXPECT_EQ(result.exit_code, 1) << result.err;
  const json document = result.json();
  EXPECT_EQ(document["original"]["verdict"], "wrong-proven");
  EXPECT_EQ(document["shrunk"]["verdict"], "wrong-exact") << "integers are stronger evidence";
  const std::string shrunk = document["shrunk"]["case"];
  EXPECT_TRUE(shrunk.starts_with("conv_transpose2d in=1x1 ")) << shrunk;
  EXPECT_LE(document["runs"], 1000);
  EXPECT_EQ(run({"repro", "--plugin=" + plugin("guilty"), "--target=guilty", "--oracle=none", shrunk}).exit_code, 1);
}

/// The shrunk certificate has the outputs that a heat map shows; no other has.
TEST_F(DiagnosisTest, TheShrunkCertificateShowsAllElements) {
  const json document = diagnosis("shrink", "guilty", kLarge, {"--format=json"}).json();
  EXPECT_TRUE(document["original"]["certificate"].contains("map"));
  EXPECT_FALSE(document["original"]["certificate"].contains("values"));
  const json& certificate = document["shrunk"]["certificate"];
  const std::string wrong = certificate["map"]["wrong"];
  const json &got = certificate["values"]["got"], &expected = certificate["values"]["expected"];
  ASSERT_EQ(got.size(), wrong.size());
  ASSERT_EQ(expected.size(), wrong.size());
  for (size_t i = 0; i < wrong.size(); ++i) EXPECT_EQ(wrong[i] == 'x', got[i] != expected[i]) << certificate;
  EXPECT_EQ(certificate["got"], got[wrong.find('x')]);
  EXPECT_EQ(certificate["exact"], expected[wrong.find('x')]);
  write_file(file("shrunk.json"), document["shrunk"].dump());
  const CommandResult checked = run({"check-certificate", "shrunk.json"});
  EXPECT_EQ(checked.exit_code, 3) << checked.out << checked.err;
}

TEST_F(DiagnosisTest, IsDeterministic) {
  std::set<std::string> results;
  for (int i = 0; i < 3; ++i) results.insert(diagnosis("shrink", "guilty", kLarge, {"--format=json"}).out);
  EXPECT_EQ(results.size(), 1u);
}

TEST_F(DiagnosisTest, ExplainsWithACounterExampleForEachCondition) {
  const CommandResult result = diagnosis("explain", "guilty", kLarge, {"--format=json"});
  EXPECT_EQ(result.exit_code, 1) << result.err;
  const json document = result.json();
  EXPECT_NE(document["predicate"].get<std::string>().find("op >= 1"), std::string::npos) << document["predicate"];
  for (const json& condition : document["explanation"]["conditions"]) {
    ASSERT_TRUE(condition.contains("passes")) << condition;
    EXPECT_EQ(run({"repro", "--plugin=" + plugin("guilty"), "--target=guilty", "--oracle=none",
                   condition["passes"].get<std::string>()})
                  .exit_code,
              0)
        << condition;
  }
  EXPECT_EQ(document["explanation"]["environment"]["alone"], true);
  const CommandResult text = diagnosis("explain", "guilty", kLarge);
  EXPECT_NE(text.out.find("\n      x\n"), std::string::npos) << "a map:\n" << text.out;
}

TEST_F(DiagnosisTest, ACrashIsShrunkInWorkers) {
  const CommandResult result =
      diagnosis("shrink", "crashes", "conv2d n=2 ic=3 oc=4 in=9x8 k=3x3 p=1x1 bias seed=5", {"--format=json"});
  EXPECT_EQ(result.exit_code, 1) << result.err;
  EXPECT_TRUE(result.json()["shrunk"]["case"].get<std::string>().starts_with("conv2d in=1x1 fill=")) << result.out;
  EXPECT_EQ(result.json()["shrunk"]["verdict"], "crash");
}

TEST_F(DiagnosisTest, AHangIsShrunkWithinItsTime) {
  const CommandResult result = diagnosis("shrink", "hangs", "conv2d n=2 ic=3 oc=4 in=9x8 k=3x3 p=1x1 bias seed=5",
                                         {"--format=json", "--timeout=1ms", "--time=1s"});
  EXPECT_EQ(result.exit_code, 1) << result.err;
  EXPECT_EQ(result.json()["shrunk"]["verdict"], "hang");
}

TEST_F(DiagnosisTest, OutOfTimeItHasWhatItWasGiven) {
  const CommandResult result = diagnosis("shrink", "guilty", kLarge, {"--format=json", "--time=1ms"});
  EXPECT_EQ(result.exit_code, 1) << result.err;
  EXPECT_EQ(result.json()["shrunk"]["case"], kLarge);
}

TEST_F(DiagnosisTest, OutOfRunsItHasTheSmallestSoFar) {
  const CommandResult result = diagnosis("shrink", "guilty", kLarge, {"--format=json", "--runs=3"});
  EXPECT_EQ(result.exit_code, 1) << result.err;
  EXPECT_EQ(result.json()["runs"], 3);
  EXPECT_NE(result.json()["shrunk"]["case"], kLarge);
}

TEST_F(DiagnosisTest, ACaseWithoutAMismatchIsRefused) {
  EXPECT_TRUE(refuses(diagnosis("shrink", "guilty", "conv2d in=5 k=3"), {"'conv2d in=5x5 k=3x3'", "no mismatch"}));
  EXPECT_TRUE(refuses(run({"explain", "3", "--db=none.db"}), {"'none.db'", "does not exist"}));
}

/// Rows as campaigns leave them.
class StoredRows : public CliTest {
 protected:
  int64_t record(const std::string& line, Verdict verdict) {
    Mismatch seen{parse_case(line), "guilty", verdict, Blame::kTarget, {}};
    seen.certificate.alone.runs = seen.certificate.alone.failed = 1;
    return store_.record(campaign_, seen).id;
  }
  CommandResult ask(const std::string& command, int64_t row, const std::vector<std::string>& more = {}) const {
    std::vector<std::string> arguments = {command, std::to_string(row), "--db=a.db", "--plugin=" + plugin("guilty"), "-q"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return run(arguments);
  }
  store::Store store_ = store::Store::open(file("a.db"));
  const int64_t campaign_ = store_.begin_campaign({.seed = 1, .profile = "smoke", .libraries = {{"guilty", "1.0"}}});
};

TEST_F(StoredRows, OneOfAKnownCauseIsNotExplained) {
  store_.know(parse_causes("cause zeros\ntitle Output padding is zero\nsuspect guilty\nversions all\n"
                           "verdicts wrong-exact\nwhen op >= 1\ncase conv_transpose1d in=1 s=2 op=1\n",
                           "test"));
  const int64_t row = record("conv_transpose1d in=1 s=2 op=1", Verdict::kWrongExact);
  for (const char* command : {"explain", "shrink"}) {
    const CommandResult result = ask(command, row);
    EXPECT_EQ(result.exit_code, 1) << result.out << result.err;
    EXPECT_NE(result.out.find("is covered by the known cause zeros: Output padding is zero"), std::string::npos)
        << result.out;
  }
}

TEST_F(StoredRows, AShrunkCaseSaysWhereItIsKept) {
  const int64_t row = record("conv_transpose2d n=2 in=2 k=3 s=2 p=1 op=1", Verdict::kWrongExact);
  const CommandResult result = ask("shrink", row);
  EXPECT_EQ(result.exit_code, 1) << result.out << result.err;
  EXPECT_NE(result.out.find(fmt::format("  mismatch {} of a.db\n", row)), std::string::npos) << result.out;
}

/// Two cases for which a known condition does not hold shrink to one for which it does. The second row is gone when its
/// explanation is checked.
TEST_F(StoredRows, OneThatIsJoinedIsCheckedAllTheSame) {
  const std::string smallest = "conv_transpose1d in=1 s=2 p=0:1 op=1 fill=onehot";
  store_.explain(record(smallest, Verdict::kWrongExact), {.case_text = smallest,
                                                          .shrunk_text = smallest,
                                                          .predicate = "op >= 1 and n = 1",
                                                          .explanation = {.reproduced = true}});
  const int64_t home = record("conv_transpose1d n=2 in=2 k=3 s=2 p=1 op=1", Verdict::kWrongExact);
  const int64_t joined = record("conv_transpose1d n=2 in=2 k=3 s=2 p=1 op=1 fill=normal", Verdict::kWrongProven);
  ASSERT_EQ(ask("explain", home).exit_code, 1);
  const CommandResult result = ask("explain", joined, {"--check=5"});
  EXPECT_EQ(result.exit_code, 1) << result.err;
  EXPECT_NE(result.out.find("the same as mismatch " + std::to_string(home)), std::string::npos) << result.out;
  EXPECT_NE(result.out.find("of 5 fresh cases"), std::string::npos) << result.out;
}

class BackgroundDiagnoses : public CliTest {
 protected:
  CommandResult fuzz(std::vector<std::string> more, const std::string& mutant = "P05") const {
    more.insert(more.begin(), {"fuzz", "--plugin=" + plugin("mutants_p"), "--target=" + mutant, "--oracle=none", "-q",
                               "--profile=all", "--format=json"});
    if (std::ranges::find(more, "--shrink=none") == more.end())
      more.push_back("--shrink=1h");  // until all is explained
    return run(more);
  }
  json rows() const { return run({"list", "mismatches", "--db=a.db", "--format=json"}).json(); }
};

/// P27 adds beta times the gradient in any rank: one explanation speaks of all.
TEST_F(BackgroundDiagnoses, WhatIsCoveredIsNotExplainedAgain) {
  const CommandResult found = run({"fuzz", "--plugin=" + plugin("mutants_p"), "--target=P27", "--oracle=none", "-q",
                                   "--cases=800", "--shrink=1h", "--db=a.db", "--format=json"});
  ASSERT_GE(found.mismatches().size(), 2u) << found.out;
  std::set<std::string> predicates;
  int learnt = 0;
  for (const json& row : found.mismatches()) {
    predicates.insert(row["predicate"]);
    const json shown = run({"show", std::to_string(row["id"].get<int64_t>()), "--db=a.db", "--format=json"}).json();
    EXPECT_FALSE(shown["explanation"]["conditions"].empty()) << shown["explanation"];
    EXPECT_TRUE(shown["shrunk_certificate"].contains("values"));
    learnt += shown["explanation"].contains("explain_runs") ? 1 : 0;
  }
  EXPECT_EQ(learnt, 1);
  EXPECT_EQ(predicates.size(), 1u) << found.out;
  EXPECT_EQ(run({"list", "causes", "--db=a.db", "--format=json"}).json().size(), 1u);
}

/// The command knows what a campaign would know: of rows of one bug it explains the first, and the others join it.
TEST_F(BackgroundDiagnoses, TheCommandJoinsRowsOfOneBug) {
  run({"fuzz", "--plugin=" + plugin("mutants_p"), "--target=P27", "--oracle=none", "-q", "--cases=800", "--shrink=none",
       "--db=a.db"});
  const json before = rows();
  ASSERT_GE(before.size(), 2u);
  int learnt = 0, joined = 0;
  for (const json& row : before) {
    const int64_t id = row["id"];
    const json now = rows();
    if (std::ranges::none_of(now, [&](const json& one) { return one["id"] == id; })) {
      ++joined;  // what was learnt before covers it
      continue;
    }
    const CommandResult explained =
        run({"explain", std::to_string(id), "--plugin=" + plugin("mutants_p"), "--db=a.db", "-q", "--format=json"});
    ASSERT_EQ(explained.exit_code, 1) << explained.err;
    learnt += explained.json()["explanation"].contains("explain_runs") ? 1 : 0;
    joined += explained.json()["id"] == id ? 0 : 1;
    EXPECT_FALSE(explained.json()["predicate"].get<std::string>().empty());
    EXPECT_TRUE(refuses(run({"explain", std::to_string(id), "--plugin=nothere.so", "--db=a.db"}),
                        {"'nothere.so'", "valid: a shared library"}))
        << "though it is explained already";
  }
  EXPECT_EQ(learnt, 1);
  EXPECT_EQ(rows().size(), before.size() - joined);
  EXPECT_EQ(run({"list", "causes", "--db=a.db", "--format=json"}).json().size(), 1u);
}

/// P05 loses the taps beyond the fifth of rank 3. A case that the condition misses keeps a row of its own. Once the causes
/// are known, another campaign finds nothing new.
TEST_F(BackgroundDiagnoses, AHandfulOfRowsRemainsAndCatchesLaterHits) {
  const std::string cases = thorough("--cases=2000", "--cases=3000");
  const std::string where = thorough("--where=rank=3 pass=forward ic<=2 oc<=2", "--where=rank>=1");  // small, all
  const CommandResult found = fuzz({cases, where, "--seed=3", "--db=a.db"});
  EXPECT_EQ(found.exit_code, 1);
  ASSERT_LE(found.mismatches().size(), 3u) << found.out;
  int64_t hits = 0;
  bool has_the_fault = false;
  for (const json& row : found.mismatches()) {
    hits += row["hits"].get<int64_t>();
    EXPECT_TRUE(!row["predicate"].get<std::string>().empty() || row["hits"] <= 3) << row;
    has_the_fault |= row["predicate"].get<std::string>().find("k >= 6") != std::string::npos && row["hits"] > 10;
  }
  EXPECT_TRUE(has_the_fault) << found.out;
  int64_t unshrunk_hits = 0;
  for (const json& row : fuzz({cases, where, "--seed=3", "--db=b.db", "--shrink=none"}).mismatches())
    unshrunk_hits += row["hits"].get<int64_t>();
  EXPECT_EQ(hits, unshrunk_hits);
  for (const json& row : found.mismatches())
    EXPECT_EQ(run({"triage", "cause", row["cause"].dump(), "--status=known", "--db=a.db"}).exit_code, 0);
  const CommandResult again = fuzz({cases, where, "--seed=4", "--db=a.db"});
  EXPECT_EQ(again.exit_code, 0) << again.out;
}

TEST_F(BackgroundDiagnoses, WhatIsLeftIsExplainedByTheNextCampaign) {
  fuzz({"--cases=300", "--db=a.db", "--shrink=none"}, "P27");
  const auto unexplained = [&] {
    return std::ranges::count_if(rows(), [](const json& row) { return row["predicate"].get<std::string>().empty(); });
  };
  EXPECT_GT(unexplained(), 0);
  fuzz({"--cases=10", "--start=50000", "--db=a.db"}, "P27");
  EXPECT_EQ(unexplained(), 0);
}

}  // namespace
}  // namespace convict::test
