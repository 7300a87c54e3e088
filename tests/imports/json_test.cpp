// SPDX-License-Identifier: Apache-2.0
#include "tests/imports/imported.h"

namespace convict::test {
namespace {

using Lines = std::vector<std::string>;

class Json : public ImportTest {
 protected:
  imports::Imported read(const std::string& text) const { return import_from("json", put("some.json", text)); }
};

const Lines kTwo = {"conv1d in=5 k=3", "conv1d in=6 k=3"};

TEST_F(Json, EveryFormThatConvictPrints) {
  EXPECT_EQ(lines_of(read(R"({"case": "conv1d in=5 k=3"})")), Lines{kTwo[0]});
  EXPECT_EQ(lines_of(read(R"([{"case": "conv1d in=5 k=3"}, {"case": "conv1d in=6 k=3"}])")), kTwo);
  EXPECT_EQ(lines_of(read(R"(["conv1d in=5 k=3", "conv1d k=3 in=6"])")), kTwo);
  EXPECT_EQ(lines_of(read(R"({"cases": [{"case": "conv1d in=5 k=3"}, "conv1d in=6 k=3"]})")), kTwo);
  EXPECT_EQ(lines_of(read(R"({"mismatches": [{"case": "conv1d in=5 k=3"}, {"case": "conv1d in=6 k=3"}]})")), kTwo);
  EXPECT_EQ(lines_of(read("{\"case\": \"conv1d in=5 k=3\"}\n\n{\"case\": \"conv1d in=6 k=3\"}\n")), kTwo);
}

TEST_F(Json, TheCaseOfAMismatchIsThereOnce) {
  const imports::Imported imported =
      read(R"({"case": "conv1d in=5 k=3", "mismatches": [{"case": "conv1d in=5 k=3"}]})");
  EXPECT_EQ(imported.cases.size(), 1u);
  EXPECT_EQ(imported.repeated, 1u);
}

TEST_F(Json, BadEntriesAreListedAndTheOthersKept) {
  const imports::Imported imported = read(
      R"(["conv1d in=5 k=3", "conv1d in=x", "conv1d in=2 k=3", 7, null, {"name": "x"}, {"case": 3}, {"cases": 4}])");
  EXPECT_EQ(lines_of(imported), Lines{kTwo[0]});
  const Lines reasons = reasons_of(imported);
  ASSERT_EQ(reasons.size(), 7u);
  const char* parts[] = {
      "not a case: case, column 8", "not legal: p",        "no case in it", "no case in it", "no case in it",
      "\"case\" is no case line",   "\"cases\" is no list"};
  for (size_t i = 0; i < reasons.size(); ++i) EXPECT_NE(reasons[i].find(parts[i]), std::string::npos) << reasons[i];
  EXPECT_EQ(imported.unexpressed.at(0).origin, file("some.json") + "[1]");
}

TEST_F(Json, LinesThatAreNoJsonAreListed) {
  const imports::Imported imported = read("{\"case\": \"conv1d in=5 k=3\"}\n{\"case\": \n");
  EXPECT_EQ(imported.cases.size(), 1u);
  EXPECT_EQ(reasons_of(imported), Lines{"not JSON"});
  EXPECT_EQ(reasons_of(read("{\"case\": 1e999}\n\"conv1d in=5 k=3\"\n")), Lines{"not JSON"});  // no double
}

TEST_F(Json, WhatIsNoJsonIsRefused) {
  for (const char* text : {"", "conv1d in=5\n", "{\"case\":", "[1e999]", "\xff\xfe\x00"})
    EXPECT_NE(error_of_import("json", put("some.json", text)).find("not JSON"), std::string::npos) << text;
  EXPECT_NE(error_of_import("json", put("some.json", std::string(100'000, '['))).find("nested"), std::string::npos);
  EXPECT_NE(error_of_import("json", file("missing.json")).find("does not exist"), std::string::npos);
}

}  // namespace
}  // namespace convict::test
