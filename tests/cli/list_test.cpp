// SPDX-License-Identifier: Apache-2.0
//
// What the program says about itself and about what it has found, for people and for scripts.
#include <map>
#include <set>

#include "core/processor.h"
#include "kernels/simd/isa.h"
#include "tests/cli/command.h"

namespace convict::test {
namespace {

using nlohmann::json;

class ListTest : public CliTest {
 protected:
  json list(std::vector<std::string> words) const {
    words.insert(words.begin(), {"list", "--format=json"});
    const CommandResult result = run(words);
    EXPECT_EQ(result.exit_code, 0) << result.err;
    return result.json();
  }
};

std::set<std::string> names(const json& rows) {
  std::set<std::string> result;
  for (const json& row : rows) result.insert(row["name"]);
  return result;
}

TEST_F(ListTest, ImplementationsHaveANameAVersionALineageAndADescription) {
  const json rows = list({"implementations"});
  ASSERT_TRUE(names(rows).contains("direct"));
  for (const json& row : rows)
    for (const char* column : {"name", "version", "lineage", "description"}) EXPECT_NE(row[column], "") << row;
}

TEST_F(ListTest, ImplementationsAreTheDefault) { EXPECT_EQ(list({}), list({"implementations"})); }

TEST_F(ListTest, ImplementationsOfAPluginAreListed) {
  EXPECT_TRUE(names(list({"--plugin=" + plugin("guilty")})).contains("guilty"));
}

TEST_F(ListTest, TextHasARowForEachImplementation) {
  const CommandResult result = run({"list"});
  EXPECT_EQ(result.out.substr(0, 4), "name");
  for (const std::string& name : names(list({}))) EXPECT_NE(result.out.find("\n" + name + " "), std::string::npos);
}

TEST_F(ListTest, EveryProfileCanBeFuzzed) {
  const std::set<std::string> profiles = names(list({"profiles"}));
  EXPECT_TRUE(profiles.contains("smoke"));
  EXPECT_TRUE(profiles.contains("all"));
  for (const std::string& profile : profiles)
    EXPECT_EQ(run({"fuzz", "--target=direct", "--oracle=none", "--cases=3", "-q", "--profile", profile}).exit_code, 0)
        << profile;
}

TEST_F(ListTest, FieldsAreThoseOfACaseLine) {
  const std::set<std::string> fields = {"n",     "g",      "ic",   "oc",    "in",  "k",     "s",      "d",    "p",
                                        "op",    "bias",   "beta", "dt",    "lay", "view",  "fill",   "seed", "threads",
                                        "calls", "before", "relu", "scale", "zp",  "clamp", "requant"};
  EXPECT_EQ(names(list({"fields"})), fields);
}

TEST_F(ListTest, PlanHasARowForEachNativeKernel) {
  const json rows = list({"--plan=conv2d g=4 ic=4 oc=4 in=40 k=5"});
  ASSERT_FALSE(rows.empty());
  EXPECT_EQ(rows[0]["name"], "auto");
  std::map<std::string, json> by_name;
  for (const json& row : rows) {
    EXPECT_TRUE(row["refused"].is_null() || row["plan"].is_null()) << row;
    by_name[row["name"]] = row;
  }
  EXPECT_EQ(by_name["auto"]["plan"].get<std::string>().substr(0, 11), "depthwise: ");
  EXPECT_NE(by_name["implicit_gemm"]["plan"].get<std::string>().find(" workspace="), std::string::npos);
  EXPECT_TRUE(by_name["direct"]["plan"].is_null());
}

TEST_F(ListTest, AutoChoosesByTheSizeOfTheProblem) {
  const auto choice = [&](const std::string& line) {
    const std::string plan = list({"--plan=" + line})[0]["plan"];
    return plan.substr(0, plan.find_first_of(":,"));
  };
  EXPECT_EQ(choice("conv1d in=2"), "direct");
  EXPECT_EQ(choice("conv2d ic=672 oc=28 in=1"), "matrix_vector");
  EXPECT_EQ(choice("conv2d ic=64 oc=64 in=56 k=3 p=1 s=2"), "implicit_gemm");
  EXPECT_EQ(choice("conv2d ic=64 oc=64 in=56 k=3 p=1"), "winograd_f4");
  EXPECT_EQ(choice("conv3d ic=64 oc=64 in=9 k=3 p=1"), "winograd_f2");
  EXPECT_EQ(choice("conv_transpose2d ic=512 oc=256 in=8 k=4 s=2 p=1"), "scatter_gemm");
  EXPECT_EQ(choice("conv2d.backward_weights g=64 ic=64 oc=64 in=56 k=3 p=1"), "depthwise");
  EXPECT_EQ(choice("conv2d.backward_data g=672 ic=672 oc=672 in=8 k=5 s=2 p=2"), "depthwise");
}

TEST_F(ListTest, RowsOfTapsAreLeftOutIfThatSavesEnough) {
  const auto leaves_out = [&](const std::string& line) {
    for (const json& row : list({"--plan=" + line}))
      if (row["name"] == (line.ends_with("s8") ? "int8_gemm" : "implicit_gemm"))
        return row["plan"].get<std::string>().find(" taps-first ") != std::string::npos;
    return false;
  };
  EXPECT_TRUE(leaves_out("conv2d ic=32 oc=32 in=64 k=3 d=8 p=8"));
  EXPECT_FALSE(leaves_out("conv2d ic=32 oc=32 in=64 k=3 d=8")) << "no padding";
  EXPECT_FALSE(leaves_out("conv2d ic=32 oc=32 in=20 k=3 p=1")) << "weights are sorted for little";
  EXPECT_NE(leaves_out("conv2d ic=32 oc=32 in=64 k=3 d=8 p=8 dt=s8"), kernels::simd::has_vnni())
      << "with VNNI, padding is not 0, but 128";
}

TEST_F(ListTest, PlanSaysWhyAKernelRefuses) {
  for (const json& row : list({"--plan=conv2d ic=2 oc=2 in=9 k=3"}))
    if (row["name"] == "depthwise") {
      EXPECT_EQ(row["refused"], "more than one channel per group on both sides");
    }
}

TEST_F(ListTest, PlanOfABadCaseIsRefused) {
  EXPECT_TRUE(refuses(run({"list", "--plan=conv2d in=2 k=5"}), {"larger than the padded input"}));
  EXPECT_TRUE(refuses(run({"list", "--plan=conv4d"}), {"conv4d"}));
}

TEST_F(ListTest, PlanFollowsTheInstructionSet) {
  const auto plan = [&](const std::string& isa, const std::string& types = "") {
    const CommandResult result = run_convict({"list", "--plan=conv2d ic=8 oc=8 in=20 k=3" + types},
                                             {.directory = directory_.path(), .environment = {"CONVICT_ISA=" + isa}});
    EXPECT_EQ(result.exit_code, 0) << result.err;
    return result.out;
  };
  EXPECT_NE(plan("baseline").find("implicit_gemm  baseline gather"), std::string::npos);
  if (best_isa() == "avx512") {  // Highway may know targets beyond it
    EXPECT_NE(plan("avx2").find("implicit_gemm  avx2 "), std::string::npos);
    EXPECT_NE(plan("avx512").find("implicit_gemm  avx512 "), std::string::npos);
    EXPECT_NE(plan("avx512", " dt=u8:s8:s32").find("int8_gemm      avx512 "), std::string::npos);
  }
  EXPECT_NE(plan("avx").find("refused: CONVICT_ISA is 'avx'; valid: baseline, avx2, avx512, avx512_vnni"),
            std::string::npos);
}

class ListMismatches : public ListTest {
 protected:
  void SetUp() override {
    const CommandResult result = run({"fuzz", "--plugin=" + plugin("guilty"), "--oracle=none", "--cases=100", "-q",
                                      "--shrink=none", "--profile=output-padding", "--db=found.db"});
    ASSERT_EQ(result.exit_code, 1) << result.err;
  }
};

TEST_F(ListMismatches, JsonHasEveryColumn) {
  const json rows = list({"mismatches", "--db=found.db"});
  ASSERT_FALSE(rows.empty());
  for (const char* column : {"id", "status", "suspect", "verdict", "blame", "hits", "last_seen", "case"})
    EXPECT_TRUE(rows[0].contains(column)) << column;
  EXPECT_EQ(rows[0]["status"], "new");
  EXPECT_EQ(rows[0]["suspect"], "guilty");
}

TEST_F(ListMismatches, TextHasALineForEach) {
  const std::string text = run({"list", "mismatches", "--db=found.db"}).out;
  for (const json& row : list({"mismatches", "--db=found.db"}))
    EXPECT_NE(text.find(row["case"].get<std::string>() + "\n"), std::string::npos) << text;
}

TEST_F(ListMismatches, SuspectAndStatusSelect) {
  EXPECT_FALSE(list({"mismatches", "--db=found.db", "--suspect=guilty", "--status=new"}).empty());
  EXPECT_TRUE(list({"mismatches", "--db=found.db", "--suspect=direct"}).empty());
  EXPECT_TRUE(list({"mismatches", "--db=found.db", "--status=known"}).empty());
}

TEST_F(ListTest, AMissingDatabaseIsNotCreated) {
  EXPECT_TRUE(refuses(run({"list", "mismatches", "--db=missing.db"}), {"'missing.db'", "does not exist"}));
  EXPECT_FALSE(std::filesystem::exists(file("missing.db")));
}

/// Ready, with the libraries that are here, or by the exact reference alone.
TEST_F(ListTest, DoctorAgreesWithWhatIsInstalled) {
  bool has_oracle = false;
  for (const json& row : list({})) has_oracle |= row["lineage"] != "convict";
  const CommandResult text = run({"doctor"});
  EXPECT_EQ(text.exit_code, 0) << text.out << text.err;
  EXPECT_EQ(text.out.ends_with("\nready\n"), has_oracle) << text.out;
  EXPECT_EQ(text.out.find("\nready to judge by the exact reference alone: ") != std::string::npos, !has_oracle) << text.out;
}

TEST_F(ListTest, DoctorShowsOneCaseOfEachKindOfFailure) {
  const CommandResult text = run({"doctor", CONVICT_TEST_PLUGINS "/guilty.so"});
  EXPECT_EQ(text.exit_code, 1) << text.out << text.err;
  std::set<std::string> verdicts;
  std::istringstream lines(text.out);
  for (std::string line; std::getline(lines, line);)
    if (const size_t at = line.find(": convict repro --plugin "); at != std::string::npos) {
      EXPECT_TRUE(verdicts.insert(line.substr(2, line.find(' ', 2) - 2)).second) << text.out;
      EXPECT_NE(line.find(" on "), std::string::npos) << line;
    }
  EXPECT_TRUE(verdicts.contains("wrong-exact")) << text.out;
}

TEST_F(ListTest, DoctorIsReadyIfAllAre) {
  const std::string ready = CONVICT_TEST_PLUGINS "/reshapes.so", takes_nothing = CONVICT_TEST_PLUGINS "/narrow.so";
  EXPECT_EQ(run({"doctor", ready, takes_nothing}).exit_code, 125);
}

TEST_F(ListTest, DoctorKnowsEveryImplementation) {
  const json report = run({"doctor", "--format=json"}).json();
  ASSERT_TRUE(report.is_object());
  std::set<std::string> missing;
  for (const json& one : list({}))
    if (one["client"].is_null()) missing.insert(one["name"]);
  for (const json& one : report["implementations"]) {
    missing.erase(one["name"]);
    const bool native = one["lineage"] == "convict";
    EXPECT_TRUE(!native || one["state"] == "works") << one;
    EXPECT_EQ(one["state"] == "works", one.contains("call_seconds")) << one;
  }
  EXPECT_TRUE(missing.empty()) << *missing.begin();
  for (const char* column : {"version", "isa", "cores", "sqlite", "memory_bytes"})
    EXPECT_TRUE(report.contains(column)) << column;
}

}  // namespace
}  // namespace convict::test
