// SPDX-License-Identifier: Apache-2.0
//
// From a user's shared library to a verdict: plugins that are none, and one that is found guilty of what it does.
#include <map>
#include <set>

#include "tests/cli/command.h"

namespace convict::test {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

class BadPlugin : public CliTest {
 protected:
  testing::AssertionResult is_refused(const std::string& path, const std::vector<std::string>& named) const {
    return refuses(run({"fuzz", "--oracle=none", "--cases=1", "--plugin", path}), named);
  }
};

TEST_F(BadPlugin, Missing) { EXPECT_TRUE(is_refused("missing.so", {"'missing.so'", "does not exist"})); }

TEST_F(BadPlugin, Directory) {
  fs::create_directory(file("directory"));
  EXPECT_TRUE(is_refused("directory", {"'directory'", "is a directory"}));
}

TEST_F(BadPlugin, TextFile) {
  write_file(file("notes.so"), "this is no library, however long it may be and whatever it may be called\n");
  EXPECT_TRUE(is_refused("notes.so", {"'notes.so'", "cannot be loaded"}));
}

TEST_F(BadPlugin, LibraryOfAnotherKind) {
  EXPECT_TRUE(is_refused(plugin("not_a_plugin"), {"not_a_plugin.so'", "convict_plugin_v1"}));
}

TEST_F(BadPlugin, OtherAbi) {
  EXPECT_TRUE(is_refused(plugin("other_abi"), {"other_abi.so'", "version 999", "version 1"}));
}

TEST_F(BadPlugin, CrashingOnLoad) {
  EXPECT_TRUE(is_refused(plugin("crash_on_load"), {"crash_on_load.so'", "while loading"}));
}

TEST_F(BadPlugin, CrashingOnLoadForEveryCommand) {
  write_file(file("some.cases"), "conv2d in=5\n");
  const std::string flag = "--plugin=" + plugin("crash_on_load");
  for (const std::vector<std::string>& command :
       {std::vector<std::string>{"repro", "conv2d in=5", flag}, {"replay", "some.cases", flag}, {"list", flag}})
    EXPECT_TRUE(refuses(run(command), {"crash_on_load.so'"})) << command.front();
}

TEST_F(BadPlugin, ThatCannotWorkHere) {
  EXPECT_TRUE(is_refused(plugin("null_plugin"), {"null_plugin.so'", "cannot work on this machine"}));
}

TEST_F(BadPlugin, WithANamelessImplementation) {
  EXPECT_TRUE(is_refused(plugin("nameless"), {"nameless.so'", "implementation 1", "name"}));
}

TEST_F(BadPlugin, GivenTwice) {
  EXPECT_TRUE(refuses(run({"fuzz", "--plugin=" + plugin("guilty"), "--plugin=" + plugin("guilty")}), {"'guilty'"}));
}

/// The example plugin, on trial.
class GuiltyPlugin : public CliTest {
 protected:
  CommandResult fuzz(const std::vector<std::string>& more) const {
    std::vector<std::string> arguments = {"fuzz",
                                          "--plugin=" + plugin("guilty"),
                                          "--profile=output-padding",
                                          "--illegal=0",
                                          "-q",
                                          "--format=json",
                                          "--shrink=none"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return run(arguments);
  }

  CommandResult repro(const std::string& what, const std::string& target = "guilty") const {
    return run({"repro", what, "--plugin=" + plugin("guilty"), "--target=" + target, "--oracle=none", "--db=found.db"});
  }

  /// A campaign judged by whatever oracle is installed.
  CommandResult trial() const {
    const json installed = run({"list", "--format=json"}).json();
    bool has_oracle = false;
    for (const json& one : installed) has_oracle |= one["client"].is_null() && one["lineage"] != "convict";
    std::vector<std::string> flags = {"--cases=500", "--db=found.db"};
    if (!has_oracle) flags.push_back("--oracle=none");
    return fuzz(flags);
  }
};

TEST_F(GuiltyPlugin, IsFoundGuiltyOfForwardConvTransposeOnly) {
  const CommandResult result = trial();
  ASSERT_EQ(result.exit_code, 1) << result.err;
  std::set<std::string> verdicts;
  for (const json& mismatch : result.mismatches()) {
    if (mismatch["blame"] != "target") continue;  // oracles have faults of their own
    EXPECT_EQ(mismatch["suspect"], "guilty");
    if (mismatch["verdict"] == "wrong-relation") continue;  // ties the passes together: any of them may be named
    const std::string text = mismatch["case"], operation = text.substr(0, text.find(' '));
    EXPECT_EQ(operation.substr(0, 14), "conv_transpose");
    EXPECT_EQ(operation.find('.'), std::string::npos) << operation;
    verdicts.insert(mismatch["signature"].get<std::string>().substr(7, 12));
  }
  EXPECT_TRUE(verdicts.contains("wrong-exact|"));
  EXPECT_TRUE(verdicts.contains("wrong-proven"));
}

/// Of conv_transpose forward it is not: relations put problems with output padding to it.
TEST_F(GuiltyPlugin, IsInnocentWithoutOutputPadding) {
  write_file(file("some.cases"),
             "conv_transpose3d.backward_weights ic=2 in=2x3x2 k=2 s=2 bias\n"
             "conv_transpose1d.backward_data ic=2 oc=3 in=5 k=3 s=3\n"
             "conv3d.backward_weights g=2 ic=4 oc=2 in=5x4x6 k=3x2x1 s=2 p=1:-1x0x2 bias\n"
             "conv2d.backward_data n=2 ic=3 oc=2 in=6 k=3 s=2 p=same_upper\n"
             "conv1d in=9 k=4 p=2 bias fill=normal\n");
  EXPECT_EQ(run({"replay", "some.cases", "--oracle=none", "--plugin=" + plugin("guilty")}).exit_code, 0);
}

TEST_F(GuiltyPlugin, IsReproducedFromTheCaseLine) {
  for (const json& mismatch : trial().mismatches()) {
    if (mismatch["blame"] == "target") {
      EXPECT_EQ(repro(mismatch["case"]).exit_code, 1) << mismatch["case"];
    }
  }
}

TEST_F(GuiltyPlugin, IsReproducedByMismatchNumber) {
  const json mismatches = trial().mismatches();
  const auto mismatch = std::ranges::find_if(mismatches, [](const json& one) { return one["suspect"] == "guilty"; });
  ASSERT_NE(mismatch, mismatches.end());
  const CommandResult result = repro((*mismatch)["id"].dump());
  EXPECT_EQ(result.exit_code, 1) << result.err;
  EXPECT_NE(result.out.find("guilty: " + (*mismatch)["verdict"].get<std::string>()), std::string::npos) << result.out;
}

TEST_F(GuiltyPlugin, IsNotWhatTheNativeKernelIs) {
  for (const json& mismatch : trial().mismatches()) {
    if (mismatch["blame"] == "target") {
      EXPECT_EQ(repro(mismatch["case"], "direct").exit_code, 0) << mismatch["case"];
    }
  }
}

/// Pairs of a signature and what the campaign says of it.
std::map<std::string, json> by_signature(const CommandResult& result, const char* column) {
  std::map<std::string, json> found;
  for (const json& mismatch : result.mismatches()) found[mismatch["signature"]] = mismatch[column];
  return found;
}

TEST_F(GuiltyPlugin, IsFoundInTheSameCasesByAnyNumberOfJobs) {
  const CommandResult one = fuzz({"--oracle=none", "--cases=3000", "--db=1.db"});
  EXPECT_FALSE(by_signature(one, "case").empty());
  for (const char* jobs : {"2", "4"}) {
    const CommandResult many = fuzz({"--oracle=none", "--cases=3000", std::string("--db=") + jobs + ".db", "-j", jobs});
    EXPECT_EQ(by_signature(one, "hits"), by_signature(many, "hits")) << jobs;
    EXPECT_EQ(by_signature(one, "case"), by_signature(many, "case")) << jobs;
  }
}

TEST_F(GuiltyPlugin, IsStoredWithTheSameCasesByAnyNumberOfJobs) {
  std::set<std::string> lists;
  for (const char* jobs : {"1", "2"}) {
    const std::string database = std::string("--db=") + jobs + ".db";
    fuzz({"--oracle=none", "--cases=3000", database, "-j", jobs});
    json rows = run({"list", "mismatches", database, "--format=json"}).json();
    std::set<std::string> found;
    for (const json& row : rows) found.insert(row["verdict"].dump() + row["case"].dump() + row["hits"].dump());
    lists.insert(json(found).dump());
  }
  EXPECT_EQ(lists.size(), 1);
}

TEST_F(GuiltyPlugin, IsFoundByTheShardsTogether) {
  const CommandResult all = fuzz({"--oracle=none", "--cases=1001", "--db=all.db"});
  const CommandResult first = fuzz({"--oracle=none", "--cases=1001", "--db=1.db", "--shard=1/2"});
  const CommandResult second = fuzz({"--oracle=none", "--cases=1001", "--db=2.db", "--shard=2/2"});
  EXPECT_EQ(first.json()["cases"].get<int>() + second.json()["cases"].get<int>(), 1001);
  std::map<std::string, int> hits;
  for (const CommandResult* shard : {&first, &second})
    for (const auto& [signature, count] : by_signature(*shard, "hits")) hits[signature] += count.get<int>();
  EXPECT_EQ(json(hits), json(by_signature(all, "hits")));
}

}  // namespace
}  // namespace convict::test
