// SPDX-License-Identifier: Apache-2.0
#include "core/case_text.h"

#include <gtest/gtest.h>

#include "core/error.h"
#include "core/fields.h"
#include "generate/generate.h"

namespace convict {
namespace {

std::string error_of(std::string_view line) {
  try {
    parse_case(line);
  } catch (const UsageError& error) {
    return error.what();
  }
  return "";
}

TEST(CaseText, EverySampledCaseSurvivesPrintingAndParsing) {
  for (uint64_t i = 0; i < 20'000; ++i) {
    const Case c = generate::generate(nullptr, 3, i);
    ASSERT_EQ(parse_case(to_text(c)), c) << to_text(c);
    ASSERT_EQ(to_text(parse_case(to_text(c))), to_text(c));
  }
}

TEST(CaseText, LeavesDefaultsOutAndKeepsCanonicalOrder) {
  EXPECT_EQ(to_text(parse_case("conv2d seed=7 d=1 k=3 in=5 n=1 s=1 fill=int dt=f32 threads=1 lay=nchw:oihw:nchw")),
            "conv2d in=5x5 k=3x3 seed=7");
  EXPECT_EQ(to_text(parse_case("conv_transpose1d.forward in=4 lay=ncw:iow:ncw p=0:0")), "conv_transpose1d in=4");
}

TEST(CaseText, KeepsTheLongestFormOfEveryField) {
  const std::string line =
      "conv3d.backward_weights n=2 g=2 ic=8 oc=12 in=5x9x9 k=3x7x7 s=1x3x2 d=1x1x2 p=0:1x3:3x2:0 bias dt=f64:f32:f64 "
      "lay=ndhwc:odhwi:ndhwc fill=normal seed=42 threads=3";
  EXPECT_EQ(to_text(parse_case(line)), line);
  const std::string transposed = "conv_transpose2d in=2x3 k=2x2 s=2x1 p=1x1 op=1x0 seed=7";
  EXPECT_EQ(to_text(parse_case(transposed)), transposed);
}

TEST(CaseText, OneNumberStandsForAllAxes) {
  EXPECT_EQ(parse_case("conv3d in=5 k=3 p=1:2"), parse_case("conv3d in=5x5x5 k=3x3x3 p=1:2x1:2x1:2"));
}

TEST(CaseText, AutoPaddingIsAWord) {
  for (const char* word : {"same_upper", "same_lower", "valid"}) {
    const std::string line = std::string("conv2d in=5x5 p=") + word;
    EXPECT_EQ(to_text(parse_case(line)), line);
  }
}

TEST(CaseText, ErrorsNameFieldValueColumnAndWhatIsValid) {
  EXPECT_EQ(error_of("conv2d in=5 k=0"),
            "case, column 13: 'k=0': less than 1; k is kernel extents from 1: 3, 3x7 (default 1)");
  EXPECT_EQ(
      error_of("conv2d in=5x5x5"),
      "case, column 8: 'in=5x5x5': 3 values for 2 axes; in is spatial input extents from 0, one for all axes or one "
      "each: 9, 5x9, 3x5x9 (no default)");
  EXPECT_NE(error_of("conv2d k=3").find("'in' is missing"), std::string::npos);
  EXPECT_NE(error_of("conv2d in=5 k=3 k=3").find("column 17: 'k=3': field 'k' is given twice"), std::string::npos);
  EXPECT_NE(error_of("conv2d in=5 bais").find("did you mean 'bias'?"), std::string::npos);
  EXPECT_NE(error_of("conv4d in=5").find("unknown operation; valid: conv1d"), std::string::npos);
  EXPECT_NE(error_of("").find("empty line"), std::string::npos);
}

/// Every field of the table, with every kind of nonsense: an error that names the field, never a crash.
TEST(CaseText, EveryFieldRejectsNonsense) {
  for (const Field& field : fields()) {
    if (field.bare) continue;
    for (const char* nonsense : {"", "x", "-", "1x", "x1", "1x2x3x4", "99999999999999999999999",
                                 "-99999999999999999999999", "1.5", "\x01", "ihwo", ":::"}) {
      const std::string word = std::string(field.key) + "=" + nonsense;
      const std::string line = field.key == "in" ? "conv2d " + word : "conv2d in=5 " + word;
      const std::string error = error_of(line);
      EXPECT_NE(error.find(field.key), std::string::npos) << line << " -> " << error;
    }
  }
}

TEST(CaseText, TheIdIsAHashOfTheCanonicalLine) {
  EXPECT_EQ(case_id(parse_case("conv2d in=5 k=3")), case_id(parse_case("conv2d k=3x3 in=5x5 n=1")));
  EXPECT_NE(case_id(parse_case("conv2d in=5 k=3")), case_id(parse_case("conv2d in=5 k=3 seed=1")));
  EXPECT_EQ(case_id(parse_case("conv_transpose2d in=2x3 k=2x2 s=2x1 p=1x1 op=1x0 seed=7")),
            0x78ec2ecd80b3e564u);  // pinned: ids are kept for years
}

}  // namespace
}  // namespace convict
