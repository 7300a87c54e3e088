// SPDX-License-Identifier: Apache-2.0
//
// `convict import` as its users see it.
#include "tests/imports/onnx_models.h"

namespace convict::test {
namespace {

namespace fs = std::filesystem;

class ImportCommand : public CliTest {
 protected:
  void put_known(const std::vector<float>& output) const {
    fs::create_directories(file("test/test_data_set_0"));
    write_file(file("test/model.onnx"), model_of("Conv").SerializeAsString());
    const std::string set = file("test/test_data_set_0/");
    write_file(set + "input_0.pb", tensor({1, 1, 3}, {1, 2, 3}).SerializeAsString());
    write_file(set + "input_1.pb", tensor({1, 1, 2}, {1, 2}).SerializeAsString());
    write_file(set + "output_0.pb", tensor({1, 1, 2}, output).SerializeAsString());
  }
};

TEST_F(ImportCommand, PrintsACorpusFileAndASummary) {
  write_file(file("shapes"), "--dir=FWD_D --dt=f32,u8:s8:f32 mb1ic1iw4oc1kw2n\"first\" --dt=f32 mb1ic1iw5oc1kw2\n");
  const CommandResult result = run({"import", "benchdnn", "shapes"});
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_EQ(
      result.out,
      "# 2 cases, imported from benchdnn\n\n# shapes:1 first\nconv1d in=4 k=2\n\n# shapes:1\nconv1d in=5 k=2\n\n"
      "# shapes:1: not expressible: --conv --dir=FWD_D --dt=u8:s8:f32 mb1ic1iw4oc1kw2n\"first\": int8: u8:s8:f32\n");
  EXPECT_EQ(result.err, "2 cases; 1 not expressible: 1 × int8\n");
}

TEST_F(ImportCommand, ItsFileCanBeReplayed) {
  write_file(file("shapes"), "--dir=FWD_D,BWD_W mb1ic1iw4oc1kw2n\"#=>\" g3ic2iw4oc2kw2\n");
  ASSERT_EQ(run({"import", "benchdnn", "shapes", "--output=some.cases"}).exit_code, 0);
  const CommandResult result = run({"replay", "some.cases", "--oracle=none"});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_NE(result.out.find("2 cases: 2 judged"), std::string::npos) << result.out;
}

TEST_F(ImportCommand, VerboseListsWhatIsNotExpressible) {
  write_file(file("shapes"), "--dt=u8:s8:f32,f32 mb1ic1iw4oc1kw2");
  const CommandResult result = run({"import", "benchdnn", "shapes", "-v"});
  EXPECT_NE(result.err.find("shapes:1: not expressible: --conv --dt=u8:s8:f32 mb1ic1iw4oc1kw2: int8"),
            std::string::npos)
      << result.err;
}

TEST_F(ImportCommand, JsonIsWhatItsOwnImporterReads) {
  write_file(file("shapes"), "--dir=FWD_D mb1ic1iw4oc1kw2 mb1ic1iw5oc1kw2 --matmul 2x2:2x2");
  const CommandResult first = run({"import", "benchdnn", "shapes", "--format=json", "-o", "one.json"});
  ASSERT_EQ(first.exit_code, 0) << first.err;
  const CommandResult second = run({"import", "json", "one.json", "--format=json"});
  const nlohmann::json document = second.json();
  ASSERT_EQ(document["cases"].size(), 2u);
  EXPECT_EQ(document["cases"][1]["case"], "conv1d in=5 k=2");
  EXPECT_EQ(nlohmann::json::parse(read_file(file("one.json")))["not_expressible"].size(), 1u);
}

TEST_F(ImportCommand, ARecordedOutputThatAgreesIsSaid) {
  put_known({5, 8});
  const CommandResult result = run({"import", "onnx", ".", "-v"});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  for (const char* part : {"test/test_data_set_0: recorded output agrees (worst error 0 of its bound)", "1 agree", " 0 differ"})
    EXPECT_NE(result.err.find(part), std::string::npos) << result.err;
}

TEST_F(ImportCommand, ARecordedOutputThatDiffersIsShownAndExitsWithOne) {
  put_known({5, 9});
  const CommandResult result = run({"import", "onnx", "."});
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_NE(result.out.find("\nconv1d in=3 k=2\n"), std::string::npos);
  for (const char* part : {"recorded output differs in 1 of 2 elements: conv1d in=3 k=2",
                           "dst[0,0,1] is recorded as 9, exact is 8, allowed error 1.9", "0 agree", "1 differ"})
    EXPECT_NE(result.err.find(part), std::string::npos) << result.err;
}

TEST_F(ImportCommand, WithoutASingleCaseNothingIsWritten) {
  write_file(file("shapes"), "--dt=u8:s8:f32 mb1ic1iw4oc1kw2 ic1\n");
  EXPECT_TRUE(refuses(run({"import", "benchdnn", "shapes", "--output=some.cases"}),
                      {"nothing", "1 × int8, 1 × not a descriptor"}));
  EXPECT_FALSE(fs::exists(file("some.cases")));
  write_file(file("empty"), "# nothing\n");
  EXPECT_TRUE(refuses(run({"import", "benchdnn", "empty"}), {"nothing", "empty"}));
}

TEST_F(ImportCommand, OneBadPathSpoilsAll) {
  write_file(file("shapes"), "mb1ic1iw4oc1kw2");
  EXPECT_TRUE(refuses(run({"import", "benchdnn", "shapes", "missing", "--output=some.cases"}), {"'missing'"}));
  EXPECT_FALSE(fs::exists(file("some.cases")));
}

TEST_F(ImportCommand, BadUsageIsOneLine) {
  write_file(file("shapes"), "mb1ic1iw4oc1kw2");
  write_file(file("garbage.onnx"), "\x01\x02");
  EXPECT_TRUE(refuses(run({"import", "benchdn", "shapes"}), {"'benchdn'", "did you mean 'benchdnn'", "json, onnx"}));
  EXPECT_TRUE(refuses(run({"import", "benchdnn"}), {"paths"}));
  EXPECT_TRUE(refuses(run({"import", "json", "shapes"}), {"'shapes' is not JSON"}));
  EXPECT_TRUE(refuses(run({"import", "onnx", "garbage.onnx"}), {"not a directory"}));
  EXPECT_TRUE(refuses(run({"import", "benchdnn", "."}), {"not a regular file"}));
  EXPECT_TRUE(refuses(run({"import", "benchdnn", "shapes", "--output=missing/some.cases"}), {"--output"}));
}

TEST_F(ImportCommand, GarbageForAModelIsOneLine) {
  fs::create_directories(file("test"));
  write_file(file("test/model.onnx"), "\xff\xff\xff\xff garbage");
  EXPECT_TRUE(refuses(run({"import", "onnx", "."}), {"nothing", "1 × malformed model"}));
}

}  // namespace
}  // namespace convict::test
