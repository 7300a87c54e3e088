// SPDX-License-Identifier: Apache-2.0
//
// Descriptors and options of benchdnn against case lines derived by hand from its rules (docs/imports.md).
#include "tests/imports/imported.h"

namespace convict::test {
namespace {

namespace fs = std::filesystem;
using Lines = std::vector<std::string>;

/// One descriptor with --dir=FWD_D, and the line it has to give.
struct Known {
  const char* name;
  const char* input;
  const char* line;
};

void PrintTo(const Known& known, std::ostream* out) { *out << known.name; }
std::string name_of(const testing::TestParamInfo<Known>& info) { return info.param.name; }

class Descriptor : public ImportTest, public testing::WithParamInterface<Known> {};

TEST_P(Descriptor, GivesTheCaseDerivedByHand) {
  const imports::Imported imported =
      import_from("benchdnn", put("shapes", std::string("--dir=FWD_D ") + GetParam().input));
  EXPECT_EQ(lines_of(imported), Lines{GetParam().line});
  EXPECT_EQ(reasons_of(imported), Lines{});
}

INSTANTIATE_TEST_SUITE_P(
    Conv, Descriptor,
    testing::Values(
        Known{"Plain", "mb1ic3ih5oc4oh5kh3ph1", "conv2d ic=3 oc=4 in=5x5 k=3x3 p=1x1"},
        Known{"BatchIsTwoByDefault", "ic3ih5oc4oh5kh3ph1", "conv2d n=2 ic=3 oc=4 in=5x5 k=3x3 p=1x1"},
        Known{"OneGroup", "g1mb1ic3ih5oc4kh3", "conv2d ic=3 oc=4 in=5x5 k=3x3"},
        Known{"GroupsCountTotals", "g3mb1ic3ih5oc6kh3", "conv2d g=3 ic=3 oc=6 in=5x5 k=3x3"},
        Known{"WidthAloneIsRankOne", "mb1ic3iw9oc4kw3", "conv1d ic=3 oc=4 in=9 k=3"},
        Known{"HeightAloneIsSquare", "mb1ic1ih5oc1kh3sh2", "conv2d in=5x5 k=3x3 s=2x2"},
        Known{"HeightAndWidth", "mb1ic1ih5iw7oc1kh3kw5", "conv2d in=5x7 k=3x5"},
        Known{"DepthAloneIsCubic", "mb1ic1id5oc1kd3pd1", "conv3d in=5x5x5 k=3x3x3 p=1x1x1"},
        Known{"DepthHeightAndWidth", "mb1ic1id4ih5iw6oc1kd1kh2kw3", "conv3d in=4x5x6 k=1x2x3"},
        Known{"OutputFollowsFromPadding", "mb1ic1ih5oc1kh3ph1", "conv2d in=5x5 k=3x3 p=1x1"},
        Known{"OutputIsRoundedDown", "mb1ic1ih9oc1kh2sh3", "conv2d in=9x9 k=2x2 s=3x3"},
        // (oh-1)*s - ih + E = 6 - 7 + 3 = 2: 1 on each side.
        Known{"PaddingFollowsFromOutput", "mb1ic1ih7oc1oh7kh3", "conv2d in=7x7 k=3x3 p=1x1"},
        // 222 - 224 + 7 = 5: 2 at the begin, rounded down, and 3 at the end.
        Known{"OddPaddingFollowsFromOutput", "mb1ic3ih224oc64oh112kh7sh2",
              "conv2d ic=3 oc=64 in=224x224 k=7x7 s=2x2 p=2:3x2:3"},
        // The end that benchdnn derives is 222 - 224 + 7 - 3 = 2, but 3 gives 112 as well and is what people write.
        Known{"SlackOfAStrideIsNotCropped", "mb1ic3ih224oc64oh112kh7sh2ph3",
              "conv2d ic=3 oc=64 in=224x224 k=7x7 s=2x2 p=3x3"},
        Known{"SlackWithoutPadding", "mb1ic1ih6oc1oh2kh3sh2ph0", "conv2d in=6x6 k=3x3 s=2x2"},
        Known{"EndIsPaddedMore", "mb1ic1ih5oc1oh5kh2ph0", "conv2d in=5x5 k=2x2 p=0:1x0:1"},
        Known{"EndIsPaddedLess", "mb1ic1ih3oc1oh9kh2ph4", "conv2d in=3x3 k=2x2 p=4:3x4:3"},
        Known{"EndIsCropped", "mb1ic1ih8oc1oh3kh3ph0", "conv2d in=8x8 k=3x3 p=0:-3x0:-3"},
        Known{"EndIsCroppedByAWindow", "mb1ic1ih7oc1oh2kh3sh2ph0", "conv2d in=7x7 k=3x3 s=2x2 p=0:-2x0:-2"},
        // (2 - 9 + 3) / 2 = -2; (2 - 8 + 3) / 2 = -1, truncated toward zero.
        Known{"InferredPaddingCropsBothEnds", "mb1ic1ih9oc1oh3kh3", "conv2d in=9x9 k=3x3 p=-2x-2"},
        Known{"InferredPaddingTruncatesTowardZero", "mb1ic1ih8oc1oh3kh3", "conv2d in=8x8 k=3x3 p=-1:-2x-1:-2"},
        Known{"DilationZeroIsDense", "mb1ic1ih7oc1kh3dh0", "conv2d in=7x7 k=3x3"},
        Known{"DilationOneIsTwo", "mb1ic1ih7oc1oh3kh3dh1ph0", "conv2d in=7x7 k=3x3 d=2x2"},
        Known{"DilationWidensInferredPadding", "mb1ic1ih7oc1oh7kh3dh1", "conv2d in=7x7 k=3x3 d=2x2 p=2x2"},
        Known{"StridesPerAxis", "mb1ic1ih5iw7oc1kh1kw1sh2sw3", "conv2d in=5x7 s=2x3"},
        Known{"PaddingPerAxis", "mb1ic1ih5iw7oc1kh3kw3ph0pw1", "conv2d in=5x7 k=3x3 p=0x1"},
        Known{"Depthwise", "g8mb1ic8ih4oc8kh3ph1", "conv2d g=8 ic=8 oc=8 in=4x4 k=3x3 p=1x1"},
        Known{"UnderscoresSeparate", "mb1_ic3ih5_oc4oh3kh3_", "conv2d ic=3 oc=4 in=5x5 k=3x3"},
        Known{"AnyOrder", "kh3oc4ih5ic3mb1", "conv2d ic=3 oc=4 in=5x5 k=3x3"},
        Known{"TheLastOfAKeyWins", "mb1ic3ic5ih5oc4kh3", "conv2d ic=5 oc=4 in=5x5 k=3x3"}),
    name_of);

INSTANTIATE_TEST_SUITE_P(
    Deconv, Descriptor,
    testing::Values(
        Known{"InputIsTheSource", "--deconv mb1ic3ih4oc2kh2sh2", "conv_transpose2d ic=3 oc=2 in=4x4 k=2x2 s=2x2"},
        Known{"TransposedPaddingFollowsFromOutput", "--deconv mb1ic1ih4oc1oh8kh4sh2",
              "conv_transpose2d in=4x4 k=4x4 s=2x2 p=1x1"},
        // 3*2 + 3 - 2 = 7 without output padding.
        Known{"LargerOutputIsOutputPadding", "--deconv mb1ic1ih4oc1oh8kh3sh2ph1",
              "conv_transpose2d in=4x4 k=3x3 s=2x2 p=1x1 op=1x1"},
        // (6 - 8 + 3) / 2 = 0 at the begin, so 1 is cropped at the end.
        Known{"OddCropIsAtTheEnd", "--deconv mb1ic1ih4oc1oh8kh3sh2", "conv_transpose2d in=4x4 k=3x3 s=2x2 p=0:1x0:1"},
        Known{"BeyondOutputPaddingTheCropIsNegative", "--deconv mb1ic1ih4oc1oh10kh3sh2ph1",
              "conv_transpose2d in=4x4 k=3x3 s=2x2 p=1:-2x1:-2"},
        Known{"TransposedDilation", "--deconv mb1ic1ih3oc1kh3dh1", "conv_transpose2d in=3x3 k=3x3 d=2x2"},
        Known{"OutputPaddingBelowTheDilation", "--deconv mb1ic1ih3oc1oh8kh3dh1ph0",
              "conv_transpose2d in=3x3 k=3x3 d=2x2 op=1x1"},
        Known{"TransposedGroups", "--deconv g2mb1ic4ih3oc6kh3", "conv_transpose2d g=2 ic=4 oc=6 in=3x3 k=3x3"},
        Known{"TransposedRankOne", "--deconv mb1ic512iw32oc256ow256kw16sw8pw4",
              "conv_transpose1d ic=512 oc=256 in=32 k=16 s=8 p=4"},
        Known{"TransposedRankThree", "--deconv mb1ic2id2oc3kd2sd2",
              "conv_transpose3d ic=2 oc=3 in=2x2x2 k=2x2x2 s=2x2x2"},
        Known{"BackToConv", "--deconv --conv mb1ic1ih4oc1kh2sh2", "conv2d in=4x4 k=2x2 s=2x2"}),
    name_of);

INSTANTIATE_TEST_SUITE_P(
    Option, Descriptor,
    testing::Values(
        Known{"ForwardWithBias", "--dir=FWD_B mb1ic1ih4oc1kh2", "conv2d in=4x4 k=2x2 bias"},
        Known{"Inference", "--dir=FWD_I mb1ic1ih4oc1kh2", "conv2d in=4x4 k=2x2"},
        Known{"GradientOfTheImage", "--dir=BWD_D mb1ic1ih4oc1kh2", "conv2d.backward_data in=4x4 k=2x2"},
        Known{"GradientOfTheWeights", "--dir=bwd_w mb1ic1ih4oc1kh2", "conv2d.backward_weights in=4x4 k=2x2"},
        Known{"GradientOfTheBias", "--dir=BWD_WB mb1ic1ih4oc1kh2", "conv2d.backward_weights in=4x4 k=2x2 bias"},
        Known{"BatchIsOverridden", "--mb=3 mb7ic1ih4oc1kh2", "conv2d n=3 in=4x4 k=2x2"},
        Known{"BatchZeroOverridesNothing", "--mb=0 mb7ic1ih4oc1kh2", "conv2d n=7 in=4x4 k=2x2"},
        Known{"OneType", "--dt=f64 mb1ic1ih4oc1kh2", "conv2d in=4x4 k=2x2 dt=f64"},
        Known{"ThreeTypes", "--dt=bf16:bf16:f32 mb1ic1ih4oc1kh2", "conv2d in=4x4 k=2x2 dt=bf16:bf16:f32"},
        Known{"TypesOfVersionTwo", "--cfg=f32bf16bf16 mb1ic1ih4oc1kh2", "conv2d in=4x4 k=2x2 dt=f32:bf16:bf16"},
        Known{"RangesOfVersionTwo", "--cfg=f16_no_limits mb1ic1ih4oc1kh2", "conv2d in=4x4 k=2x2 dt=f16"},
        Known{"ChannelsLastSource", "--stag=axb mb1ic1ih4oc1kh2", "conv2d in=4x4 k=2x2 lay=nhwc:oihw:nchw"},
        Known{"LayoutByLetters", "--stag=acdb --dtag=abcd mb1ic1ih4oc1kh2", "conv2d in=4x4 k=2x2 lay=nhwc:oihw:nchw"},
        Known{"LayoutByName", "--dtag=nwc mb1ic1iw4oc1kw2", "conv1d in=4 k=2 lay=ncw:oiw:nwc"},
        Known{"WeightsByName", "--wtag=hwio mb1ic1ih4oc1kh2", "conv2d in=4x4 k=2x2 lay=nchw:hwio:nchw"},
        Known{"WeightsByLetters", "--wtag=cdeba mb1ic1id4oc1kd2", "conv3d in=4x4x4 k=2x2x2 lay=ncdhw:dhwio:ncdhw"},
        Known{"GroupedWeights", "--wtag=abdec g2mb1ic2ih4oc2kh2",
              "conv2d g=2 ic=2 oc=2 in=4x4 k=2x2 lay=nchw:ohwi:nchw"},
        Known{"GroupsInsideAroundOutputs", "--wtag=hwigo g2mb1ic2ih4oc2kh2",
              "conv2d g=2 ic=2 oc=2 in=4x4 k=2x2 lay=nchw:hwio:nchw"},
        Known{"OneGroupMayLieAnywhere", "--wtag=acbde g1mb1ic2ih4oc2kh2",
              "conv2d ic=2 oc=2 in=4x4 k=2x2 lay=nchw:iohw:nchw"},
        Known{"TransposedWeightsArePlainlyOihw", "--deconv --wtag=abx mb1ic1ih4oc1kh2",
              "conv_transpose2d in=4x4 k=2x2 lay=nchw:oihw:nchw"},
        Known{"TransposedGroupsLieAroundInputs", "--deconv --wtag=acbde g2mb1ic2ih4oc2kh2",
              "conv_transpose2d g=2 ic=2 oc=2 in=4x4 k=2x2"},
        Known{
            "WhatSaysNothingOfTheProblem",
            "--skip-impl=\"ref:gemm\" --match=.*kh3.* --mode=P --alg=wino -v5 --attr-scratchpad=user --attr-post-ops= "
            "mb1ic1ih4oc1kh2",
            "conv2d in=4x4 k=2x2"}),
    name_of);

/// An input that no case says, and why.
struct Refused {
  const char* name;
  const char* input;
  const char* reason;
};

void PrintTo(const Refused& refused, std::ostream* out) { *out << refused.name; }

class NoCase : public ImportTest, public testing::WithParamInterface<Refused> {};

TEST_P(NoCase, IsListedWithItsReason) {
  const imports::Imported imported = import_from("benchdnn", put("shapes", GetParam().input));
  EXPECT_EQ(lines_of(imported), Lines{});
  ASSERT_EQ(imported.unexpressed.size(), 1u);
  EXPECT_NE(imported.unexpressed.at(0).reason.find(GetParam().reason), std::string::npos)
      << imported.unexpressed.at(0).reason;
  EXPECT_NE(imported.unexpressed.at(0).origin.find("shapes:1"), std::string::npos) << imported.unexpressed.at(0).origin;
}

constexpr const char* kNoDescriptor = "not a descriptor: ";

INSTANTIATE_TEST_SUITE_P(
    Benchdnn, NoCase,
    testing::Values(Refused{"Int8", "--dt=u8:s8:f32 mb1ic1ih4oc1kh2", "int8: u8:s8:f32"},
                    Refused{"Int8OfVersionTwo", "--cfg=u8s8s32 mb1ic1ih4oc1kh2", "int8: u8s8s32"},
                    Refused{"Float8", "--dt=f8_e5m2 mb1ic1ih4oc1kh2", "data type: f8_e5m2"},
                    Refused{"TwoTypes", "--dt=f32:f32 mb1ic1ih4oc1kh2", "data type: f32:f32"},
                    Refused{"PostOps", "--attr-post-ops=sum:0.5+relu mb1ic1ih4oc1kh2", "post-ops: sum:0.5+relu"},
                    Refused{"Scales", "--attr-scales=src:common:2 mb1ic1ih4oc1kh2", "attribute attr-scales"},
                    Refused{"FasterMath", "--attr-fpmath=bf16 mb1ic1ih4oc1kh2", "attribute attr-fpmath: bf16"},
                    Refused{"Strides", "--strides=8x1:: mb1ic1ih4oc1kh2", "strides: 8x1::"},
                    Refused{"BiasType", "--dt=bf16 --bia-dt=f32 mb1ic1ih4oc1kh2", "bias type: f32"},
                    Refused{"BlockedLayout", "--stag=aBcd8b mb1ic8ih4oc1kh2", "layout: aBcd8b"},
                    Refused{"TransposedLayout", "--stag=bacd mb1ic8ih4oc1kh2", "layout: bacd"},
                    Refused{"GroupsApartFromOutputs", "--wtag=acbde g2mb1ic2ih4oc2kh2", "layout: acbde"},
                    Refused{"LayoutOfAnotherRank", "--stag=ncw mb1ic8ih4oc1kh2", "layout: ncw"},
                    Refused{"Direction", "--dir=FWD mb1ic1ih4oc1kh2", "direction: FWD"},
                    Refused{"Batch", "--mb=-1 mb1ic1ih4oc1kh2", "batch: --mb=-1"},
                    Refused{"Driver", "--ip mb1ic1ih4oc1", "driver: --ip"},
                    Refused{"UnknownOption", "--speed=fast", "unknown option"},
                    Refused{"NoChannels", "mb1ih4oc1kh2", kNoDescriptor},
                    Refused{"NoGroup", "g0ic1ih4oc1kh2", kNoDescriptor},
                    Refused{"NoKernel", "ic1ih4oc1", "ih and kh are not both given"},
                    Refused{"NoStride", "ic1ih4oc1kh2sh0", "sh is 0"}, Refused{"NoAxis", "ic1oc1", "no spatial axis"},
                    Refused{"TwoOfThreeAxes", "ic1oc1id4kd2iw4kw2", "only one is given"},
                    Refused{"NoOutput", "ic1ih2oc1kh4", "oh would be"},
                    Refused{"NumberMissing", "ic1ih4oc1kh", "'kh' without a number"},
                    Refused{"NumberTooLarge", "ic1ih99999999999999999999oc1kh2", "'ih' without a number"},
                    Refused{"NumberAboveTheLimit", "ic1ih2000000000oc1kh2", "ih2000000000 is above"},
                    Refused{"NegativeNumber", "ic1ih-4oc1kh2", "'ih' without a number"},
                    Refused{"UnknownKey", "ic1ih4oc1kh2zz3", "unknown key 'zz'"},
                    Refused{"LeadingUnderscore", "_ic1ih4oc1kh2", "where a key should be"},
                    Refused{"DoubleUnderscore", "ic1__ih4oc1kh2", "where a key should be"},
                    Refused{"GroupsThatDoNotDivide", "g2ic3ih4oc2kh2", "not legal: g: 2 groups do not divide ic=3"},
                    Refused{"MissingBatchFile", "--batch=shapes_of_nobody", "batch file: there is no such file"},
                    Refused{"BatchFileOutside", "--batch=/etc/hostname", "batch file: outside of the directory"},
                    Refused{"BatchFileItself", "--batch=shapes", "batch file: it includes itself"}),
    [](const testing::TestParamInfo<Refused>& info) { return info.param.name; });

class Benchdnn : public ImportTest {};

TEST_F(Benchdnn, ListsMultiplyAndResetForgets) {
  const imports::Imported imported = import_from(
      "benchdnn",
      put("shapes", "--dir=FWD_D,BWD_D --mb=1,2\nic1iw4oc1kw2\n--reset mb1ic1iw4oc1kw3 # mb1ic9iw4oc1kw3\n"));
  EXPECT_EQ(lines_of(imported), (Lines{"conv1d in=4 k=2", "conv1d n=2 in=4 k=2", "conv1d.backward_data in=4 k=2",
                                       "conv1d.backward_data n=2 in=4 k=2", "conv1d in=4 k=3 bias"}));
}

TEST_F(Benchdnn, WhatIsThereAlreadyIsCountedNotRepeated) {
  const imports::Imported imported =
      import_from("benchdnn", put("shapes", "--stag=any,abx mb1ic1iw4oc1kw2 mb1ic1iw4oc1kw2"));
  EXPECT_EQ(imported.cases.size(), 1u);
  EXPECT_EQ(imported.repeated, 3u);
}

TEST_F(Benchdnn, BackslashesContinueATokenInEitherForm) {
  const imports::Imported apart = import_from(
      "benchdnn", put("apart", "--dir=FWD_D\n--attr-post-ops=,\\\n relu, \\\n sum:0.5\nmb1ic1\\\niw4oc1kw2\n"));
  EXPECT_EQ(lines_of(apart), Lines{"conv1d in=4 k=2"});
  EXPECT_EQ(reasons_of(apart), (Lines{"post-ops: relu", "post-ops: sum:0.5"}));
  EXPECT_EQ(apart.cases.at(0).origin, file("apart") + ":5");
}

TEST_F(Benchdnn, NamesAndLinesAreOrigins) {
  const std::string path = put("shapes", "# first\n\n--dir=FWD_D mb1ic1iw4oc1kw2n\"net:conv1*3\"\n");
  EXPECT_EQ(import_from("benchdnn", path).cases.at(0).origin, path + ":3 net:conv1*3");
}

TEST_F(Benchdnn, FilesOfDeconvolutionAreKnownByWhereTheyLie) {
  const std::string text = "--dir=FWD_D mb1ic1iw4oc1kw2";
  EXPECT_EQ(lines_of(import_from("benchdnn", put("deconv/shapes", text))), Lines{"conv_transpose1d in=4 k=2"});
  EXPECT_EQ(lines_of(import_from("benchdnn", put("test_deconv_ci", text))), Lines{"conv_transpose1d in=4 k=2"});
  EXPECT_EQ(lines_of(import_from("benchdnn", put("conv/shapes", text))), Lines{"conv1d in=4 k=2"});
}

TEST_F(Benchdnn, BatchFilesTakeOptionsInAndOut) {
  put("set/shapes", "--mb=5 ic1iw4oc1kw2");
  const imports::Imported imported = import_from("benchdnn", put("all", "--dir=FWD_D --batch=set/shapes ic1iw4oc1kw3"));
  EXPECT_EQ(lines_of(imported), (Lines{"conv1d n=5 in=4 k=2", "conv1d n=5 in=4 k=3"}));
  EXPECT_EQ(imported.cases.at(0).origin, "set/shapes:1");
}

TEST_F(Benchdnn, BatchFilesAreNotFollowedOutOfTheDirectory) {
  put("secret", "mb1ic1iw4oc1kw2");
  fs::create_directory(file("inner"));
  fs::create_symlink(file("secret"), file("inner/link"));
  const imports::Imported imported =
      import_from("benchdnn", put("inner/all", "--batch=../secret --batch=link mb1ic1iw4oc1kw3"));
  EXPECT_EQ(imported.cases.size(), 1u);
  ASSERT_EQ(imported.unexpressed.size(), 2u);
  for (const std::string& reason : reasons_of(imported)) EXPECT_NE(reason.find("outside"), std::string::npos) << reason;
}

TEST_F(Benchdnn, BatchFilesThatIncludeEachOtherEnd) {
  put("a", "--batch=b mb1ic1iw4oc1kw2");
  const imports::Imported imported = import_from("benchdnn", put("b", "--batch=a mb1ic1iw4oc1kw3"));
  EXPECT_EQ(imported.cases.size(), 2u);
  EXPECT_EQ(reasons_of(imported), Lines{"batch file: it includes itself"});
}

TEST_F(Benchdnn, FilesThatIncludeExponentiallyManyEnd) {
  for (int i = 0; i < 15; ++i) {
    std::string text;
    for (int k = 0; k < 10; ++k) text += "--batch=f" + std::to_string(i + 1) + " ";
    put("f" + std::to_string(i), text);
  }
  put("f15", "mb1ic1iw4oc1kw3");
  EXPECT_NE(error_of_import("benchdnn", file("f0")).find("batch files"), std::string::npos);
}

TEST_F(Benchdnn, ProductsOfListsAreBounded) {
  std::string text;
  for (const char* option : {"--mb=1", "--dir=FWD_D", "--stag=any", "--dtag=any", "--wtag=any", "--attr-x="}) {
    text += option;
    for (int i = 0; i < 20; ++i) text += ",2";
    text += " ";
  }
  EXPECT_NE(error_of_import("benchdnn", put("shapes", text + "ic1iw4oc1kw3")).find("500,000"), std::string::npos);
}

TEST_F(Benchdnn, WhatIsNoTextFileIsRefused) {
  EXPECT_NE(error_of_import("benchdnn", put("binary", std::string("ic1\0iw4", 7))).find("NUL"), std::string::npos);
  EXPECT_NE(error_of_import("benchdnn", put("long", std::string(5000, 'a'))).find("token"), std::string::npos);
  EXPECT_NE(error_of_import("benchdnn", file("missing")).find("does not exist"), std::string::npos);
  EXPECT_NE(error_of_import("benchdnn", directory_.path()).find("not a regular file"), std::string::npos);
  fs::resize_file(put("large", ""), uintmax_t{17} << 20);
  EXPECT_NE(error_of_import("benchdnn", file("large")).find("17825792 bytes"), std::string::npos);
}

}  // namespace
}  // namespace convict::test
