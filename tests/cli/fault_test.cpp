// SPDX-License-Identifier: Apache-2.0
//
// One faulty implementation costs its own cases and nothing else: it is named, the others are not, and the campaign
// goes on to its end.
#include <algorithm>
#include <set>

#include "tests/cli/command.h"
#include "tests/thorough.h"

namespace convict::test {
namespace {

using nlohmann::json;

class FaultTest : public CliTest {
 protected:
  CommandResult fuzz(const std::string& targets, int cases, const std::string& timeout = "20s",
                     const std::string& where = "") const {
    std::vector<std::string> words = {"fuzz", "--plugin=" + plugin("faulty"), "--target=" + targets, "--oracle=none",
                                      "--cases=" + std::to_string(cases), "--timeout=" + timeout, "--memory=600M",
                                      "--format=json", "--shrink=none", "--illegal=0", "-q"};
    if (!where.empty()) words.push_back("--where=" + where);
    return run(words);
  }
  const int kHeapCases = thorough(25, 60);
  const char* const kHeapWhere = thorough("conv2d.forward", "");  // few kinds of cases are few rows
};

std::set<std::string> all_of(const json& mismatches, const char* column) {
  std::set<std::string> values;
  for (const json& mismatch : mismatches) values.insert(mismatch[column].get<std::string>());
  return values;
}

std::set<std::string> verdicts(const json& mismatches) {
  std::set<std::string> names;
  for (const std::string& signature : all_of(mismatches, "signature")) {
    const size_t begin = signature.find('|') + 1;
    names.insert(signature.substr(begin, signature.find('|', begin) - begin));
  }
  return names;
}

uint64_t hits(const json& mismatches) {
  uint64_t sum = 0;
  for (const json& mismatch : mismatches) sum += mismatch["hits"].get<uint64_t>();
  return sum;
}

uint64_t hits_of(const json& mismatches, const char* suspect) {
  uint64_t sum = 0;
  for (const json& mismatch : mismatches)
    if (mismatch["suspect"] == suspect) sum += mismatch["hits"].get<uint64_t>();
  return sum;
}

int occurrences(const std::string& text, const std::string& part) {
  int count = 0;
  for (size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++count;
  return count;
}

struct Fault {
  const char *name, *verdict;
  int cases = 20;
  const char* timeout = "20s";
};

void PrintTo(const Fault& fault, std::ostream* out) { *out << fault.name; }

/// Faults that show on (nearly) every case. With beta, an element that nobody writes is not unwritten but wrong.
class EveryCase : public FaultTest, public testing::WithParamInterface<Fault> {};

TEST_P(EveryCase, IsCountedAndHasTheVerdict) {
  const CommandResult result = fuzz(GetParam().name, GetParam().cases, GetParam().timeout);
  ASSERT_EQ(result.exit_code, 1) << result.err;
  const json report = result.json();
  EXPECT_EQ(report["cases"], GetParam().cases);
  EXPECT_EQ(all_of(report["mismatches"], "suspect"), std::set<std::string>{GetParam().name});
  EXPECT_TRUE(verdicts(report["mismatches"]).contains(GetParam().verdict));
  EXPECT_GE(hits(report["mismatches"]), GetParam().cases * 9 / 10);  // an empty tensor shows nothing
}

INSTANTIATE_TEST_SUITE_P(Of, EveryCase,
                         testing::Values(Fault{"crashes", "crash"}, Fault{"hangs", "hang", 3, "1ms"},
                                         Fault{"stops", "hang", 3, "1ms"},
                                         Fault{"eats-memory", "oom", 4}, Fault{"exits", "crash"},
                                         Fault{"ends-its-thread", "crash"},
                                         Fault{"aborts", "crash"}, Fault{"overruns", "out-of-bounds"},
                                         Fault{"underruns", "out-of-bounds"}, Fault{"writes-input", "input-written"},
                                         Fault{"leaves-holes", "output-unwritten"}, Fault{"wrong-shape", "shape"},
                                         Fault{"fails", "refuses-valid"}, Fault{"out-of-memory", "oom"}),
                         [](const auto& info) {
                           std::string name = info.param.name;
                           std::ranges::replace(name, '-', '_');
                           return name;
                         });

/// The guard page is behind the operand in one half of the cases and before it in the other.
TEST_F(FaultTest, ReadsOutsideAreFound) {
  const json report = fuzz("reads-outside", 40).json();
  EXPECT_EQ(report["cases"], 40);
  EXPECT_EQ(all_of(report["mismatches"], "suspect"), std::set<std::string>{"reads-outside"});
  EXPECT_TRUE(verdicts(report["mismatches"]).contains("out-of-bounds"));
  EXPECT_FALSE(verdicts(report["mismatches"]).contains("crash"));
}

/// New memory is zero, as this plugin needs it; memory of workers is filled.
TEST_F(FaultTest, NumbersThatNobodyWroteAreFound) {
  if (kKeepsFreedMemory) GTEST_SKIP() << "the sanitizer has an allocator of its own";
  const std::string one = "--plugin=" + plugin("unwritten_buffer");
  const json rows =
      run({"fuzz", one, "--oracle=none", "--cases=100", "--format=json", "--shrink=none", "-q", "--db=u.db"})
          .mismatches();
  ASSERT_FALSE(rows.empty());
  for (const json& row : rows) {
    EXPECT_EQ(row["suspect"], "unwritten-buffer") << row;
    EXPECT_FALSE(row["certificate"].contains("alone_failed") &&
                 row["certificate"]["alone_failed"] < row["certificate"]["alone_runs"])
        << row;
  }
  EXPECT_EQ(run({"repro", one, "--oracle=none", "conv1d in=9 k=3 s=2"}).exit_code, 1);
  EXPECT_EQ(run({"repro", one, "--oracle=none", "conv1d in=9 k=3"}).exit_code, 0);
}

TEST_F(FaultTest, ExitCodeIsInTheCertificate) {
  EXPECT_EQ(fuzz("exits", 1).json()["mismatches"][0]["certificate"]["exit_code"], 3);
}

TEST_F(FaultTest, LastWordsAreInTheCertificate) {
  const json certificate = fuzz("aborts", 1).json()["mismatches"][0]["certificate"];
  EXPECT_NE(certificate["output_tail"].dump().find("last words of a plugin"), std::string::npos);
  EXPECT_EQ(certificate["signal"], "Aborted");
}

TEST_F(FaultTest, TheReasonIsInTheCertificate) {
  EXPECT_EQ(fuzz("wrong-shape", 1).json()["mismatches"][0]["certificate"]["text"], "my output has one row less");
}

TEST_F(FaultTest, ChatterStaysOutOfTheResult) {
  const CommandResult result = fuzz("chatty", 20);
  EXPECT_EQ(result.exit_code, 125);
  EXPECT_EQ(result.err, "");
  const json report = result.json();
  ASSERT_FALSE(report.is_discarded()) << result.out;
  EXPECT_EQ(report["unjudged"], 20);
  EXPECT_EQ(report["refusals"][0]["reason"], "it only talks");
}

TEST_F(FaultTest, AcceptingTheIllegalIsFound) {
  write_file(file("some.cases"),
             "conv2d in=3 k=4 => refused\n"
             "conv2d g=2 ic=3 oc=2 in=5 => refused\n"
             "conv_transpose2d in=3 s=2 op=2 => refused\n"
             "conv_transpose1d in=1 p=2 => refused\n");
  const CommandResult result = run(
      {"replay", "some.cases", "--plugin=" + plugin("faulty"), "--target=direct,accepts-anything", "--oracle=none"});
  EXPECT_EQ(result.exit_code, 1) << result.err;
  EXPECT_EQ(occurrences(result.out, "accepts-anything: accepts-invalid"), 4) << result.out;
  EXPECT_EQ(occurrences(result.out, "(blame: "), 4) << result.out;
}

TEST_F(FaultTest, VerdictsAndBlameAreWordsInJson) {
  const json mismatch = fuzz("crashes", 1).json()["mismatches"][0];
  EXPECT_EQ(mismatch["verdict"], json("crash"));
  EXPECT_EQ(mismatch["blame"], json("target"));
}

TEST_F(FaultTest, AZeroAnswerIsFound) {
  EXPECT_TRUE(verdicts(fuzz("accepts-anything", 40).json()["mismatches"]).contains("wrong-exact"));
}

/// Faulty and innocent ones in one worker.
TEST_F(FaultTest, TheInnocentAreNotBlamedForACrash) {
  const json report = fuzz("native,crashes", 20).json();
  EXPECT_EQ(report["cases"], 20);
  EXPECT_EQ(all_of(report["mismatches"], "suspect"), std::set<std::string>{"crashes"});
}

/// A row takes a second: a process with a heap that watches every access shows its case again.
TEST_F(FaultTest, TheInnocentAreNotBlamedForACorruptedHeapAndEachCaseIsCountedOnce) {
  const CommandResult result = fuzz("native,corrupts-heap", kHeapCases, "20s", kHeapWhere);
  EXPECT_EQ(result.exit_code, 1) << result.err;
  EXPECT_EQ(result.json()["cases"], kHeapCases);
  std::set<std::string> suspects = all_of(result.json()["mismatches"], "suspect");
  EXPECT_EQ(suspects.erase("corrupts-heap"), 1);
  suspects.erase("unattributed");
  EXPECT_TRUE(suspects.empty()) << *suspects.begin();
}

TEST_F(FaultTest, EachCaseIsCountedOnceWithACorruptedHeap) {
  EXPECT_EQ(fuzz("corrupts-heap", kHeapCases, "20s", kHeapWhere).json()["cases"], kHeapCases);
}

/// The memory that is too small is ours, not that of the kernel.
TEST_F(FaultTest, TheTargetIsNotBlamedForACaseTooLargeForUs) {
  const CommandResult result = run({"repro", "conv2d ic=1000 in=100000", "--target=direct", "--oracle=none"});
  EXPECT_EQ(result.out.find("blame: target"), std::string::npos) << result.out;
}

/// Whose verdicts a death costs: nobody else's. The dead are listed before the wrong, so they die first.
TEST_F(FaultTest, WhoStandsBesideADeathIsJudgedAllTheSame) {
  const json alone = fuzz("leaves-holes", 60).json();
  for (const char* dead : {"crashes", "exits"}) {
    const json beside = fuzz(std::string(dead) + ",leaves-holes", 60).json();
    EXPECT_EQ(beside["cases"], 60) << dead;
    EXPECT_EQ(hits_of(beside["mismatches"], "leaves-holes"), hits_of(alone["mismatches"], "leaves-holes")) << dead;
    EXPECT_GE(hits_of(beside["mismatches"], dead), 50) << dead;
  }
}

TEST_F(FaultTest, WhoStandsBesideADeathIsJudgedInAListToo) {
  const CommandResult result = run({"repro", "conv2d in=5 k=3", "--plugin=" + plugin("faulty"),
                                    "--target=crashes,leaves-holes", "--oracle=none", "--format=json"});
  EXPECT_EQ(all_of(result.json()["mismatches"], "suspect"), (std::set<std::string>{"crashes", "leaves-holes"}));
}

TEST_F(FaultTest, ACrashingOracleDoesNotFailTheTarget) {
  const CommandResult result = run({"fuzz", "--plugin=" + plugin("faulty"), "--target=direct", "--oracle=crashes",
                                    "--cases=10", "--format=json", "--shrink=none", "-q"});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_EQ(result.json()["cases"], 10);
  EXPECT_EQ(result.json()["judged"].get<int>() + result.json()["unjudged"].get<int>(), 10);
  EXPECT_EQ(all_of(result.json()["mismatches"], "suspect"), std::set<std::string>{"crashes"});
}

}  // namespace
}  // namespace convict::test
