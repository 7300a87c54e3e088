// SPDX-License-Identifier: Apache-2.0
//
// A kernel of one's own, wrong and then repaired, on one database: what was found is replayed first, and every report
// says what became of it. And --where holds whatever else the kernel does wrong.
#include <SQLiteCpp/SQLiteCpp.h>

#include <algorithm>

#include "core/case_text.h"
#include "core/where.h"
#include "tests/cli/command.h"

namespace convict::test {
namespace {

using nlohmann::json;

class RepairedKernel : public CliTest {
 protected:
  RepairedKernel() {
    std::filesystem::create_directories(directory_.path() / "include/convict");
    std::filesystem::copy_file(CONVICT_ABI_HEADER, directory_.path() / "include/convict/convict.h");
    source_ = read_file(CONVICT_SOURCE_DIR "/templates/plugin/mine.cpp");
  }

  /// Builds mine.so with what is right replaced by what is not.
  void build(const std::string& right = "", const std::string& wrong = "") const {
    std::string text = source_;
    if (!right.empty()) {
      ASSERT_NE(text.find(right), std::string::npos) << right;
      text.replace(text.find(right), right.size(), wrong);
    }
    write_file(file("mine.cpp"), text);
    const CommandResult built =
        shell(std::string(CONVICT_CXX) + " " CONVICT_CXX_FLAGS " -std=c++17 -Iinclude -shared -fPIC -o mine.so.new "
              "mine.cpp && mv mine.so.new mine.so");
    ASSERT_EQ(built.exit_code, 0) << built.err;
  }

  CommandResult fuzz(std::vector<std::string> more = {}) const {
    const auto says_how_many = [](const std::string& word) { return word.starts_with("--cases"); };
    if (std::ranges::none_of(more, says_how_many)) more.emplace_back("--cases=300");
    more.insert(more.begin(), {"fuzz", "./mine.so", "--oracle=none", "--illegal=0", "-q"});
    return run(more);
  }

  std::string source_;
};

constexpr const char *kRight = "k / (p->oc / p->groups)", *kWrong = "k % p->groups";

TEST_F(RepairedKernel, IsNotSeenAnyMoreInAnyReport) {
  build(kRight, kWrong);
  const CommandResult first = fuzz();
  ASSERT_EQ(first.exit_code, 1) << first.out << first.err;
  EXPECT_EQ(first.out.find("mine is wrong: 1 cause"), 0u) << first.out;
  build();
  const CommandResult repaired = fuzz();
  EXPECT_EQ(repaired.exit_code, 0) << repaired.out << repaired.err;
  EXPECT_NE(repaired.out.find("not seen any more: gone since mine 0.1 (file "), std::string::npos) << repaired.out;
  EXPECT_EQ(run({"list", "mismatches", "--status=new", "--format=json"}).json().size(), 0u);
  EXPECT_NE(run({"list", "mismatches", "--status=gone"}).out.find("gone"), std::string::npos);
  EXPECT_NE(run({"show", "1"}).out.find("gone since mine 0.1"), std::string::npos);
  EXPECT_NE(run({"report", "--format=junit"}).out.find("failures=\"0\""), std::string::npos);
  EXPECT_NE(run({"report", "--format=markdown"}).out.find("no new cause of a target"), std::string::npos);
  EXPECT_NE(run({"report", "-q"}).out.find("1 not seen any more"), std::string::npos);
  EXPECT_EQ(run({"report", "--format=json"}).json()["mismatches"][0]["status"], "gone");
}

TEST_F(RepairedKernel, IsRedAgainIfItBreaksAgain) {
  build(kRight, kWrong);
  ASSERT_EQ(fuzz().exit_code, 1);
  const size_t rows = run({"list", "mismatches", "--format=json"}).json().size();
  ASSERT_GE(rows, 1u);
  build();
  ASSERT_EQ(fuzz().exit_code, 0);
  build(kRight, kWrong);
  EXPECT_NE(fuzz({"--where=oc=1"}).exit_code, 1);  // which leaves the rows out
  EXPECT_EQ(run({"list", "mismatches", "--status=gone", "--format=json"}).json().size(), rows);
  const CommandResult replayed = fuzz({"--cases=1"});
  EXPECT_EQ(replayed.exit_code, 1) << replayed.out;
  EXPECT_EQ(run({"list", "mismatches", "--status=gone", "--format=json"}).json().size(), 0u);
}

/// Two faults: the one that was not asked about is the simpler one.
TEST_F(RepairedKernel, WhereBindsTheDiagnosis) {
  build("  return CONVICT_OK;",
        "  float* dst = static_cast<float*>(t->dst.data);\n"
        "  if (p->batch == 1 && p->oc == 1 && p->out[0] > 0 && p->out[1] > 0) dst[0] += 1;\n"
        "  if (p->oc >= 2 && p->stride[0] == 2 && p->stride[1] == 2 && p->batch > 0 && p->out[0] > 0 &&\n"
        "      p->out[1] > 0)\n"
        "    *at(t->dst, 0, 1, 0, 0) += 2;\n"
        "  return CONVICT_OK;");
  const std::string where = "oc>=2 s=2";
  const json result = fuzz({"--where=" + where, "--shrink=10m", "--format=json"}).json();
  ASSERT_FALSE(result["mismatches"].empty());
  for (const json& row : result["mismatches"]) {
    EXPECT_TRUE(Where::parse(where).holds(parse_case(row["case"].get<std::string>()))) << row["case"];
    const Predicate learnt = Predicate::parse(row["predicate"].get<std::string>());
    EXPECT_FALSE(learnt.holds(parse_case("conv2d in=1x1"))) << row["predicate"];
    EXPECT_TRUE(learnt.holds(parse_case("conv2d oc=2 in=1x1 s=2"))) << row["predicate"];
  }
}

/// One definition each of what was judged, what was computed, and pairs of features: on every page, and after --resume.
TEST_F(RepairedKernel, NumbersAreTheSameEverywhere) {
  build();
  for (const char* seed : {"--seed=1", "--seed=2"}) {
    const json said = fuzz({seed, "--format=json", "--shrink=none"}).json();
    const json report = run({"report", "--format=json", "-q"}).json();
    const json campaign = report["campaigns"].back(), target = said["targets"][0];
    const json& stored = campaign["targets"]["mine"];
    EXPECT_EQ(campaign["counts"]["judged"], said["judged"]);
    EXPECT_EQ(stored["judged"], target["judged"]);
    EXPECT_EQ(said["implementations"][0]["computed"], target["judged"]);
    EXPECT_EQ(stored["pairs"], target["pairs"]);
    EXPECT_EQ(stored["pairs_in_domain"], target["pairs_in_domain"]);
    EXPECT_EQ(report["profiles"][0]["pairs"]["seen"], said["coverage"]["pairs"]);
    EXPECT_EQ(report["profiles"][0]["cases"], said["coverage"]["cases"]);
    const std::string text = run({"report", "-q"}).out;
    EXPECT_NE(text.find("mine: " + stored["judged"].dump() + " cases, "), std::string::npos) << text;
  }
  // A campaign that was stopped when all was done.
  const json before = run({"report", "--format=json", "-q"}).json()["campaigns"].back();
  SQLite::Database(file("convict.db"), SQLite::OPEN_READWRITE, 1000)
      .exec("UPDATE campaigns SET state = 'interrupted' WHERE id = 2");
  const json resumed = run({"fuzz", "./mine.so", "--resume", "-q", "--format=json"}).json();
  EXPECT_EQ(resumed["judged"], before["counts"]["judged"]);
  EXPECT_EQ(resumed["implementations"][0]["computed"], before["targets"]["mine"]["judged"]);
  EXPECT_EQ(resumed["targets"][0]["judged"], before["targets"]["mine"]["judged"]);
}

TEST_F(RepairedKernel, WhatPeopleTypeIsUnderstood) {
  build(kRight, kWrong);
  ASSERT_EQ(fuzz().exit_code, 1);
  EXPECT_EQ(run({"doctor", "./mine.so"}).exit_code, 1);
  EXPECT_NE(run({"repro", "1", "1", "--oracle=none"}).out.rfind("mismatch"), std::string::npos);
  EXPECT_TRUE(refuses(run({"shrink", "1", "1"}), {"'1 1'", "the number of one mismatch"}));
  EXPECT_TRUE(refuses(run({"fuzz", "--only", "mine"}), {"'--only'", "did you mean '--target'?"}));
  EXPECT_TRUE(refuses(run({"triage", "1"}), {"status is missing", "known"}));
  EXPECT_EQ(run({"triage", "1", "known"}).exit_code, 0);
  for (const json& cause : run({"list", "causes", "--format=json"}).json())
    EXPECT_EQ(run({"triage", "cause", cause["id"].dump(), "known"}).exit_code, 0);
  EXPECT_EQ(fuzz({"--seed=3"}).exit_code, 0);
  EXPECT_TRUE(refuses(run({"fuzz", "./mine.so", "--where=k=0"}), {"k[every] = 0", "holds for no case", "from 1"}));
}

}  // namespace
}  // namespace convict::test
