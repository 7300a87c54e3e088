// SPDX-License-Identifier: Apache-2.0
//
// Whatever is wrong with what users type or name, they get one line that says so, exit code 2, and their files back.
#include <SQLiteCpp/SQLiteCpp.h>

#include "tests/cli/command.h"

namespace convict::test {
namespace {

namespace fs = std::filesystem;

/// A case line that must be refused, and what the refusal has to name.
struct BadLine {
  const char* name;
  std::string line;
  std::vector<std::string> named;
};

void PrintTo(const BadLine& bad, std::ostream* out) { *out << bad.name; }
std::string name_of(const testing::TestParamInfo<BadLine>& info) { return info.param.name; }

class BadCaseLine : public CliTest, public testing::WithParamInterface<BadLine> {};

TEST_P(BadCaseLine, IsRefusedByName) {
  EXPECT_TRUE(refuses(run({"repro", "--oracle=none", "--", GetParam().line}), GetParam().named));
}

const std::string kNotANumber = "not a number";

INSTANTIATE_TEST_SUITE_P(
    Value, BadCaseLine,
    testing::Values(
        BadLine{"BatchIsAWord", "conv2d in=5 n=many", {"column 13", "'n=many'", kNotANumber}},
        BadLine{"BatchIsNegative", "conv2d in=5 n=-1", {"'n=-1'", "less than 0"}},
        BadLine{"BatchIsEmpty", "conv2d in=5 n=", {"'n='", kNotANumber}},
        BadLine{"BatchHasNoValue", "conv2d in=5 n", {"'n'", "needs a value"}},
        BadLine{"BatchOverflows", "conv2d in=5 n=99999999999999999999", {"'n=99999999999999999999'", "64 bits"}},
        BadLine{"BatchIsAFraction", "conv2d in=5 n=1.5", {"'n=1.5'", kNotANumber}},
        BadLine{"BatchIsAboveTheLimit", "conv2d in=5 n=281474976710657", {"more than 281474976710656"}},
        BadLine{"BatchIsAList", "conv2d in=5 n=1x2", {"'n=1x2'"}},
        BadLine{"GroupsAreZero", "conv2d in=5 g=0", {"'g=0'", "less than 1"}},
        BadLine{"GroupsAreNegative", "conv2d in=5 g=-2", {"'g=-2'", "less than 1"}},
        BadLine{"GroupsAreAWord", "conv2d in=5 g=two", {"'g=two'"}},
        BadLine{"InputChannelsAreNegative", "conv2d in=5 ic=-1", {"'ic=-1'", "less than 0"}},
        BadLine{"InputChannelsOverflow", "conv2d in=5 ic=9223372036854775808", {"'ic=9223372036854775808'"}},
        BadLine{"OutputChannelsAreNegative", "conv2d in=5 oc=-1", {"'oc=-1'", "less than 0"}},
        BadLine{"OutputChannelsAreAWord", "conv2d in=5 oc=x", {"'oc=x'"}},
        BadLine{"InputIsNegative", "conv2d in=-5", {"'in=-5'", "less than 0"}},
        BadLine{"InputEndsWithX", "conv2d in=3x", {"'in=3x'"}},
        BadLine{"InputHasCommas", "conv2d in=3,3", {"'in=3,3'"}},
        BadLine{"InputHasTwoValuesForThreeAxes", "conv3d in=3x3", {"'in=3x3'", "2 values for 3 axes"}},
        BadLine{"InputOverflows", "conv1d in=99999999999999999999", {"'in=99999999999999999999'"}},
        BadLine{"KernelIsZero", "conv2d in=5 k=0", {"'k=0'", "less than 1"}},
        BadLine{"KernelIsNegative", "conv2d in=5 k=3x-1", {"'k=3x-1'", "less than 1"}},
        BadLine{"KernelHasTwoValuesForThreeAxes", "conv3d in=5 k=3x3", {"'k=3x3'", "2 values for 3 axes"}},
        BadLine{"StrideIsZero", "conv2d in=5 s=0x1", {"'s=0x1'", "less than 1"}},
        BadLine{"StrideIsNegative", "conv2d in=5 s=-1", {"'s=-1'", "less than 1"}},
        BadLine{"StrideIsAWord", "conv2d in=5 s=fast", {"'s=fast'"}},
        BadLine{"StrideHasThreeValuesForTwoAxes", "conv2d in=5 s=1x2x3", {"'s=1x2x3'", "3 values for 2 axes"}},
        BadLine{"DilationIsZero", "conv2d in=5 d=0", {"'d=0'", "less than 1", "1 is dense"}},
        BadLine{"DilationIsNegative", "conv2d in=5 d=-1", {"'d=-1'"}},
        BadLine{"DilationOverflows", "conv2d in=5 d=4294967296", {"'d=4294967296'", "more than 2147483647"}},
        BadLine{"PaddingIsAnUnknownWord", "conv2d in=5 p=same", {"'p=same'", "same_upper"}},
        BadLine{"PaddingHasThreeParts", "conv2d in=5 p=1:2:3", {"'p=1:2:3'"}},
        BadLine{"PaddingHasTwoValuesForThreeAxes", "conv3d in=5 p=1x1", {"'p=1x1'", "2 values for 3 axes"}},
        BadLine{"PaddingOverflows", "conv2d in=5 p=99999999999999999999", {"'p=99999999999999999999'"}},
        BadLine{"OutputPaddingIsNegative", "conv_transpose2d in=5 op=-1", {"'op=-1'", "less than 0"}},
        BadLine{"OutputPaddingIsAWord", "conv_transpose2d in=5 op=x", {"'op=x'"}},
        BadLine{"BiasHasAValue", "conv2d in=5 bias=1", {"'bias=1'", "takes no value"}},
        BadLine{"DataTypeIsUnknown", "conv2d in=5 dt=f15", {"'dt=f15'", "f32, f64, f16 and bf16"}},
        BadLine{"BetaIsOdd", "conv2d in=5 beta=0.3", {"'beta=0.3'", "0.5, 1, 2"}},
        BadLine{"ViewIsOfNothing", "conv2d in=5 view=bias", {"'view=bias'", "src, wei, dst"}},
        BadLine{"CallsAreMisspelt", "conv2d in=5 calls=agian", {"'calls=agian'", "again"}},
        BadLine{"DataTypesAreTwo", "conv2d in=5 dt=f32:f32", {"'dt=f32:f32'", "src:wei:dst"}},
        BadLine{"LayoutsAreTwo", "conv2d in=5 lay=nhwc:oihw", {"'lay=nhwc:oihw'", "src:wei:dst"}},
        BadLine{"LayoutIsOfAnotherRank", "conv3d in=5 lay=nchw:oidhw:ncdhw", {"'nchw'", "ncdhw, ndhwc"}},
        BadLine{"FillIsUnknown", "conv2d in=5 fill=random", {"'fill=random'", "int", "normal"}},
        BadLine{"SeedIsNegative", "conv2d in=5 seed=-1", {"'seed=-1'", "18446744073709551615"}},
        BadLine{"SeedOverflows", "conv2d in=5 seed=18446744073709551616", {"'seed=18446744073709551616'"}},
        BadLine{"ThreadsAreZero", "conv2d in=5 threads=0", {"'threads=0'", "less than 1"}},
        BadLine{"ThreadsAreTooMany", "conv2d in=5 threads=1025", {"'threads=1025'", "more than 1024"}}),
    name_of);

INSTANTIATE_TEST_SUITE_P(
    Word, BadCaseLine,
    testing::Values(
        BadLine{"InputIsMissing", "conv2d k=3", {"'in' is missing"}},
        BadLine{"FieldIsRepeated", "conv2d in=5 k=3 k=3", {"column 17", "'k=3'", "given twice"}},
        BadLine{"BiasIsRepeated", "conv2d in=5 bias bias", {"'bias'", "given twice"}},
        BadLine{"FieldIsMisspelt", "conv2d in=5 sed=2", {"'sed=2'", "unknown field", "did you mean 'seed'"}},
        BadLine{"FieldIsUnknown", "conv2d in=5 colour=red", {"'colour=red'", "valid: n g ic oc in k s d p op"}},
        BadLine{"FieldHasNoName", "conv2d in=5 =3", {"'=3'", "unknown field"}},
        BadLine{"OperationIsUnknown", "convolution2d in=5", {"'convolution2d'", "conv_transpose3d"}},
        BadLine{"OperationIsOfRankFour", "conv4d in=5", {"'conv4d'", "conv3d"}},
        BadLine{"OperationIsInCapitals", "CONV2D in=5", {"'CONV2D'"}},
        BadLine{"PassIsUnknown", "conv2d.backward in=5", {"'conv2d.backward'", "backward_data"}},
        BadLine{"OperationIsLast", "in=5 conv2d", {"column 1", "'in=5'"}}, BadLine{"LineIsEmpty", "", {"empty line"}},
        BadLine{"LineIsBlank", " \t ", {"empty line"}},
        BadLine{"LineIsTenKilobytes", std::string(10240, 'a'), {"10240 bytes"}},
        BadLine{"LineIsBinary", "conv2d in=5 n=\x01\x1b[31m\x7f", {"column 13", "[31m"}},
        BadLine{"LineIsNoUtf8", "conv2d in=5 \xff\xfe=3", {"=3'", "unknown field"}},
        BadLine{"LineIsTwoLines", "conv2d in=5\nk=3", {"'in=5?k=3'"}},
        BadLine{"NumberIsTooLarge", "99999999999999999999", {"'99999999999999999999'"}}),
    name_of);

INSTANTIATE_TEST_SUITE_P(
    Problem, BadCaseLine,
    testing::Values(BadLine{"GroupsDoNotDivideInputChannels", "conv2d g=2 ic=3 oc=2 in=5", {"'g'", "ic=3"}},
                    BadLine{"GroupsDoNotDivideOutputChannels", "conv2d g=2 ic=2 oc=3 in=5", {"'g'", "oc=3"}},
                    BadLine{
                        "KernelIsLargerThanPaddedInput", "conv2d in=3 k=6 p=1", {"'p'", "window of 6", "input of 5"}},
                    BadLine{"CropTakesTheWholeInput", "conv2d in=3 p=-2", {"'p'", "window of 1", "input of -1"}},
                    BadLine{"CropTakesTheWholeOutput", "conv_transpose2d in=1 p=1", {"'p'", "crops the whole output"}},
                    BadLine{"OutputPaddingIsAsLargeAsTheStride", "conv_transpose2d in=3 s=2 op=2", {"'op'", "0..1"}},
                    BadLine{"OutputPaddingOnConv", "conv2d in=5 s=2 op=1", {"'op'", "only conv_transpose"}},
                    BadLine{"OutputPaddingWithSame", "conv_transpose2d in=3 s=2 p=same_upper op=1", {"'op'", "SAME"}},
                    BadLine{"BiasOnBackwardData", "conv2d.backward_data in=5 bias", {"'bias'", "backward_data"}},
                    BadLine{"InputIsEmpty", "conv2d in=0", {"window of 1", "input of 0"}},
                    BadLine{"AxisIsTooLong", "conv2d in=200000000000000 s=2000000000", {"'in'", "2^48"}},
                    BadLine{"TensorIsTooLarge", "conv3d in=200000000", {"'in'", "2^48"}}),
    name_of);

/// A corpus file that must be refused: its text, and what the refusal has to name.
class BadCorpus : public CliTest {
 protected:
  testing::AssertionResult is_refused(const std::string& text, const std::vector<std::string>& named) const {
    write_file(file("some.cases"), text);
    return refuses(run({"replay", "--oracle=none", "some.cases"}), named);
  }
};

TEST_F(BadCorpus, Missing) {
  EXPECT_TRUE(refuses(run({"replay", "--oracle=none", "missing.cases"}), {"'missing.cases'", "does not exist"}));
}

TEST_F(BadCorpus, Empty) { EXPECT_TRUE(is_refused("", {"'some.cases'", "holds no case"})); }

TEST_F(BadCorpus, OnlyComments) { EXPECT_TRUE(is_refused("# nothing yet\n\n", {"'some.cases'", "holds no case"})); }

TEST_F(BadCorpus, Binary) {
  EXPECT_TRUE(is_refused(std::string("\x7f"
                                     "ELF\0\1\2\n",
                                     8),
                         {"'some.cases'", "not a text file", "line 1"}));
}

TEST_F(BadCorpus, DirectoryWithoutCases) {
  fs::create_directory(file("directory"));
  write_file(file("directory/readme.txt"), "conv2d in=5\n");
  EXPECT_TRUE(refuses(run({"replay", "--oracle=none", "directory"}), {"'directory'", "*.cases"}));
}

TEST_F(BadCorpus, UnknownExpectation) {
  EXPECT_TRUE(is_refused("conv2d in=5 => crash\n", {"some.cases:1", "'crash'", "=> refused"}));
}

TEST_F(BadCorpus, BadLine) {
  EXPECT_TRUE(is_refused("# fine\nconv2d in=5\nconv2d in=5 k=x\n", {"some.cases:3", "'k=x'"}));
}

TEST_F(BadCorpus, IllegalProblem) {
  EXPECT_TRUE(is_refused("conv2d in=5\nconv2d in=3 k=4\n", {"some.cases:2", "window of 4"}));
}

TEST_F(BadCorpus, RefusalOfALegalCase) {
  EXPECT_TRUE(is_refused("conv2d in=5 => refused\n", {"some.cases:1", "'conv2d in=5x5'", "legal"}));
}

/// A file that is no database for us. It must be left as it was.
class BadDatabase : public CliTest {
 protected:
  CommandResult fuzz(const std::string& database) const {
    return run({"fuzz", "--target=direct", "--oracle=none", "--cases=1", "-q", "--db", database});
  }
};

TEST_F(BadDatabase, TextFile) {
  write_file(file("notes.txt"), "do not overwrite me\n");
  EXPECT_TRUE(refuses(fuzz("notes.txt"), {"'notes.txt'", "not a SQLite database"}));
  EXPECT_EQ(read_file(file("notes.txt")), "do not overwrite me\n");
}

TEST_F(BadDatabase, Directory) {
  fs::create_directory(file("directory"));
  EXPECT_TRUE(refuses(fuzz("directory"), {"'directory'", "a directory"}));
  EXPECT_TRUE(fs::is_empty(file("directory")));
}

TEST_F(BadDatabase, MissingDirectory) {
  EXPECT_TRUE(refuses(fuzz("missing/convict.db"), {"'missing/convict.db'", "no directory"}));
  EXPECT_FALSE(fs::exists(file("missing")));
}

TEST_F(BadDatabase, NewerSchema) {
  ASSERT_EQ(fuzz("future.db").exit_code, 0);
  SQLite::Database(file("future.db"), SQLite::OPEN_READWRITE).exec("PRAGMA user_version = 999");
  const std::string before = read_file(file("future.db"));
  EXPECT_TRUE(refuses(fuzz("future.db"), {"'future.db'", "version 999"}));
  EXPECT_EQ(read_file(file("future.db")), before);
}

TEST_F(BadDatabase, MissingForReproduction) {
  EXPECT_TRUE(refuses(run({"repro", "3", "--db", "missing.db"}), {"'missing.db'", "does not exist", "3"}));
  EXPECT_FALSE(fs::exists(file("missing.db")));
}

TEST_F(BadDatabase, WithoutTheMismatch) {
  ASSERT_EQ(fuzz("some.db").exit_code, 0);
  EXPECT_TRUE(refuses(run({"repro", "3", "--db", "some.db"}), {"'some.db'", "no mismatch 3"}));
}

}  // namespace
}  // namespace convict::test
