// SPDX-License-Identifier: Apache-2.0
//
// `convict export` as a command: what is written where, and what is not.
#include <algorithm>

#include "core/case_text.h"
#include "store/store.h"
#include "tests/cli/command.h"

namespace convict::test {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

class ExportCommand : public CliTest {
 protected:
  CommandResult exported(const std::string& line, std::vector<std::string> more) const {
    more.insert(more.begin(), {"export", line});
    return run(more);
  }
  std::vector<std::string> names() const {
    std::vector<std::string> all;
    for (const fs::directory_entry& entry : fs::recursive_directory_iterator(directory_.path()))
      if (!entry.is_directory()) all.push_back(fs::relative(entry.path(), directory_.path()));
    std::sort(all.begin(), all.end());
    return all;
  }
};

TEST_F(ExportCommand, TextGoesToStdoutOrAFile) {
  for (const char* format : {"pytorch", "benchdnn", "onednn", "cpp", "json"}) {
    const CommandResult shown = exported("conv2d in=5 k=3 seed=7", {"--to", format});
    EXPECT_EQ(shown.exit_code, 0) << shown.err;
    EXPECT_NE(shown.out.find("conv2d in=5x5 k=3x3 seed=7"), std::string::npos) << format;
    const CommandResult written = exported("conv2d in=5 k=3 seed=7", {"--to", format, "--output", "out"});
    EXPECT_EQ(written.exit_code, 0) << written.err;
    EXPECT_EQ(written.out, "");
    EXPECT_EQ(read_file(file("out")), shown.out);
    EXPECT_EQ(names(), std::vector<std::string>{"out"});
  }
}

TEST_F(ExportCommand, WordsNeedNoQuotes) {
  EXPECT_EQ(run({"export", "conv2d", "in=5", "k=3", "--to", "json"}).json()["case"], "conv2d in=5x5 k=3x3");
}

TEST_F(ExportCommand, WhatIsNoTextNeedsAnOutput) {
  EXPECT_TRUE(refuses(exported("conv2d in=5 k=3", {"--to", "npz"}), {"--to npz", "--output", "file"}));
  EXPECT_TRUE(refuses(exported("conv2d in=5 k=3", {"--to", "onnx"}), {"--to onnx", "--output", "directory"}));
  EXPECT_TRUE(names().empty());
}

TEST_F(ExportCommand, DirectoriesAreNewOrEmpty) {
  const std::vector<std::string> to = {"--to", "onnx", "-o", "test/"};
  EXPECT_EQ(exported("conv2d in=5 k=3", to).exit_code, 0);
  const std::vector<std::string> written = {"test/model.onnx", "test/test_data_set_0/input_0.pb",
                                            "test/test_data_set_0/input_1.pb", "test/test_data_set_0/output_0.pb"};
  EXPECT_EQ(names(), written);
  EXPECT_TRUE(refuses(exported("conv2d in=5 k=3", to), {"'test/'", "no empty directory"}));
  write_file(file("file"), "mine");
  EXPECT_TRUE(refuses(exported("conv2d in=5 k=3", {"--to", "onnx", "-o", "file"}), {"'file'"}));
  EXPECT_EQ(read_file(file("file")), "mine");
  fs::create_directory(file("elsewhere"));
  fs::create_directory_symlink(file("elsewhere"), file("link"));
  EXPECT_TRUE(refuses(exported("conv2d in=5 k=3", {"--to", "onnx", "-o", "link"}), {"'link'"}));
  EXPECT_TRUE(fs::is_empty(file("elsewhere")));
  fs::create_directory(file("empty"));
  EXPECT_EQ(exported("conv2d in=5 k=3", {"--to", "onnx", "-o", "empty"}).exit_code, 0);
}

TEST_F(ExportCommand, WrittenWholeOrNotAtAll) {
  for (const char* format : {"json", "npz", "onnx"})
    EXPECT_TRUE(refuses(exported("conv2d in=5 k=3", {"--to", format, "-o", "missing/out"}), {"'missing/out'"}))
        << format;
  fs::create_directory(file("directory"));
  EXPECT_TRUE(refuses(exported("conv2d in=5 k=3", {"--to", "json", "-o", "directory"}), {"'directory'"}));
  EXPECT_TRUE(names().empty());
}

TEST_F(ExportCommand, SaysWhatAFormatCannotSay) {
  EXPECT_TRUE(refuses(exported("conv2d.backward_data in=5 k=3", {"--to", "onnx", "-o", "x"}), {"gradients"}, 125));
  EXPECT_TRUE(refuses(exported("conv2d in=5 k=7 => refused", {"--to", "npz", "-o", "x"}), {"refused"}, 125));
  EXPECT_TRUE(refuses(exported("conv2d in=50000 k=3", {"--to", "json"}), {"bytes, more than 67,108,864"}, 125));
  EXPECT_TRUE(names().empty());
}

TEST_F(ExportCommand, WithoutAFormatListsThem) {
  const CommandResult result = exported("conv2d in=5 k=3", {});
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_EQ(result.out, "");
  EXPECT_NE(result.err.find("--to is missing; valid:\n  benchdnn  a command line of oneDNN's own test driver\n  cpp  "),
            std::string::npos)
      << result.err;
}

TEST_F(ExportCommand, BadInput) {
  EXPECT_TRUE(refuses(exported("conv2d in=5 k=3", {"--to", "tensorflow"}), {"--to", "pytorch"}));
  EXPECT_TRUE(refuses(exported("conv2d in=5 k=7", {"--to", "json"}), {"field 'p'"}));
  EXPECT_TRUE(refuses(exported("conv2d in=5 k=3 => refused", {"--to", "json"}), {"is legal"}));
  EXPECT_TRUE(refuses(exported("3", {"--to", "json"}), {"'convict.db' does not exist"}));
}

/// A row whose every text is somebody's attempt.
TEST_F(ExportCommand, MismatchesOfADatabaseAreQuoted) {
  const std::string hostile =
      "x\"\"\"\n'); import os; os._exit(77) */ \\\x1b[31m\n#include </etc/passwd>\n../../escaped";
  {
    store::Store store = store::Store::open(file("convict.db"));
    const int64_t campaign = store.begin_campaign({});
    Mismatch mismatch = {
        parse_case("conv_transpose2d in=2x3 k=2 s=2"), hostile, Verdict::kWrongExact, Blame::kTarget, {}};
    mismatch.certificate.text = hostile;
    mismatch.certificate.witnesses.emplace().emplace(hostile, hostile);
    store.record(campaign, mismatch);
  }
  for (const char* format : {"pytorch", "benchdnn", "onednn", "cpp", "json"}) {
    const CommandResult result = exported("1", {"--to", format});
    ASSERT_EQ(result.exit_code, 0) << format << result.err;
    EXPECT_TRUE(std::ranges::all_of(result.out, [](char c) { return c == '\n' || (c >= 0x20 && c < 0x7f); })) << format;
    EXPECT_EQ(result.out.find("\n#include </etc"), std::string::npos) << format;
    EXPECT_EQ(result.out.find("\n');"), std::string::npos) << format;
    EXPECT_NE(result.out.find("wrong-exact"), std::string::npos) << format;
  }
  EXPECT_EQ(exported("1", {"--to", "npz", "-o", "a.npz"}).exit_code, 0);
  EXPECT_EQ(exported("1", {"--to", "onnx", "-o", "a"}).exit_code, 0);
  for (const std::string& name : names()) EXPECT_TRUE(name.starts_with("a") || name.starts_with("convict.db")) << name;
  EXPECT_EQ(exported("1", {"--to", "json"}).json()["mismatch"]["suspect"], hostile);
}

/// From a campaign to the script in the words of a library's users, which is run before it is offered.
TEST_F(ExportCommand, AScriptIsTriedBeforeItIsOffered) {
  const CommandResult fuzzed = run({"fuzz", "--target=libtorch:native", "--oracle=none", "--cases=40", "--illegal=0",
                                    "--shrink=none", "-q", "--where=conv1d.forward ic=0", "--format=json"});
  ASSERT_FALSE(fuzzed.mismatches().empty()) << fuzzed.err;
  const std::string id = fuzzed.mismatches()[0]["id"].dump();
  const CommandResult tried = exported(id, {"--to", "pytorch"});
  EXPECT_EQ(tried.exit_code, 0) << tried.err;
  if (!python_has("torch")) GTEST_SKIP() << "needs the package python3-torch";
  EXPECT_NE(tried.err.find("ran here: shows the fault"), std::string::npos) << tried.err;
  EXPECT_EQ(exported(id, {"--to", "pytorch", "--no-run"}).err, "");
}

/// A program for the maintainers of oneDNN shows what a campaign found in it: a fault of both of its generations.
TEST_F(ExportCommand, AProgramForOnednnIsTriedBeforeItIsOffered) {
  const CommandResult fuzzed =
      run({"fuzz", "--target=onednn:any", "--oracle=none", "--cases=100", "--illegal=0", "--shrink=none", "-q",
           "--where=conv.forward and relu=yes and fill=special and dt.src=f32", "--format=json"});
  ASSERT_FALSE(fuzzed.mismatches().empty()) << fuzzed.err;
  const std::string id = fuzzed.mismatches()[0]["id"].dump();
  const CommandResult tried = exported(id, {"--to", "onednn"});
  EXPECT_EQ(tried.exit_code, 0) << tried.err;
  EXPECT_NE(tried.err.find("ran here: shows the fault"), std::string::npos) << tried.err;
  EXPECT_EQ(exported(id, {"--to", "onednn", "--no-run"}).err, "");
}

/// The same case where nothing is wrong: a script that shows nothing is not offered as if it did.
TEST_F(ExportCommand, AScriptThatShowsNothingSaysSo) {
  {
    store::Store store = store::Store::open(file("convict.db"));
    store.record(store.begin_campaign({}),
                 {parse_case("conv1d in=4 k=2"), "libtorch:native", Verdict::kWrongExact, Blame::kOracle, {}});
  }
  const CommandResult tried = exported("1", {"--to", "pytorch"});
  if (!python_has("torch")) GTEST_SKIP() << "needs the package python3-torch";
  EXPECT_NE(tried.err.find("ran here: does NOT show the fault"), std::string::npos) << tried.err;
}

}  // namespace
}  // namespace convict::test
