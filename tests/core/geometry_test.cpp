// SPDX-License-Identifier: Apache-2.0
#include "core/geometry.h"

#include <gtest/gtest.h>

#include "core/case_text.h"
#include "core/error.h"

namespace convict {
namespace {

Axes out_of(const char* line) {
  const convict_problem p = resolve_valid(parse_case(line));
  return {p.out[0], p.out[1], p.out[2]};
}

std::string why_not(const char* line) {
  const Resolved resolved = resolve(parse_case(line));
  return resolved.why_not.field + std::string(": ") + resolved.why_not.why;
}

TEST(Geometry, OutputPaddingEnlargesOnlyTheEnd) {
  EXPECT_EQ(out_of("conv_transpose2d in=2x3 k=2x2 s=2x1 p=1x1 op=1x0"), (Axes{3, 2, 1}));
  EXPECT_EQ(out_of("conv_transpose2d in=2x3 k=2x2 s=2x1 p=1x1"), (Axes{2, 2, 1}));
}

TEST(Geometry, SameKeepsTheInputExtentForAnyKernel) {
  for (const char* op : {"conv2d", "conv_transpose2d"})
    for (int kernel = 1; kernel <= 9; ++kernel)
      for (int dilation = 1; dilation <= 3; ++dilation)
        for (const char* mode : {"same_upper", "same_lower"}) {
          const std::string line =
              std::string(op) + " in=8 k=" + std::to_string(kernel) + " d=" + std::to_string(dilation) + " p=" + mode;
          EXPECT_EQ(out_of(line.c_str()), (Axes{8, 8, 1})) << line;
        }
}

TEST(Geometry, SamePutsTheOddElementOnTheNamedSide) {
  EXPECT_EQ(same_padding(/*in=*/5, /*kernel=*/2, /*stride=*/1, /*dilation=*/1, /*upper=*/true), (Padding{0, 1, 0}));
  EXPECT_EQ(same_padding(5, 2, 1, 1, false), (Padding{1, 0, 0}));
  EXPECT_EQ(same_padding(/*in=*/7, /*kernel=*/5, /*stride=*/3, 1, true), (Padding{2, 2, 0}));
  EXPECT_EQ(same_transpose_padding(/*kernel=*/4, /*stride=*/1, /*dilation=*/1, true), (Padding{1, 2, 0}));
  EXPECT_EQ(same_transpose_padding(4, 1, 1, false), (Padding{2, 1, 0}));
  EXPECT_EQ(same_transpose_padding(/*kernel=*/1, /*stride=*/3, 1, true), (Padding{0, 0, 2}));
}

TEST(Geometry, SameOfTransposedConvolutionMultipliesByTheStride) {
  EXPECT_EQ(out_of("conv_transpose1d in=5 k=3 s=4 p=same_upper"), (Axes{20, 1, 1}));
  EXPECT_EQ(out_of("conv_transpose1d in=5 k=9 s=2 d=2 p=same_lower"), (Axes{10, 1, 1}));
}

TEST(Geometry, SameOfStridedConvolutionDividesRoundingUp) {
  EXPECT_EQ(out_of("conv1d in=10 k=3 s=4 p=same_upper"), (Axes{3, 1, 1}));
}

TEST(Geometry, ContradictionsNameTheField) {
  EXPECT_EQ(why_not("conv2d g=3 ic=4 oc=3 in=5"), "g: 3 groups do not divide ic=4");
  EXPECT_EQ(why_not("conv2d g=3 ic=3 oc=4 in=5"), "g: 3 groups do not divide oc=4");
  EXPECT_EQ(why_not("conv1d in=5 k=9 p=1"), "p: a window of 9 is larger than the padded input of 7");
  EXPECT_EQ(why_not("conv1d in=5 k=3 d=3"), "p: a window of 7 is larger than the padded input of 5");
  EXPECT_EQ(why_not("conv_transpose1d in=5 k=3 s=2 op=2"),
            "op: output padding 2 is not in 0..1 (below the larger of stride and dilation)");
  EXPECT_EQ(why_not("conv1d in=5 k=3 s=2 op=1"), "op: only conv_transpose has output padding");
  EXPECT_EQ(why_not("conv_transpose1d in=1 k=3 p=2"), "p: the padding crops the whole output (extent -1)");
  EXPECT_EQ(why_not("conv_transpose1d in=5 k=3 s=2 op=1 p=same_upper"),
            "op: SAME padding decides the output padding itself; leave op out");
  EXPECT_EQ(why_not("conv1d.backward_data in=5 bias"), "bias: backward_data has no bias");
}

TEST(Geometry, OutputPaddingMayReachTheDilation) {
  EXPECT_EQ(out_of("conv_transpose1d in=3 k=2 s=2 d=5 op=4"), (Axes{2 * 2 + 6 + 4, 1, 1}));
}

TEST(Geometry, AbsurdSizesAreRefusedWithoutOverflow) {
  for (const char* line :
       {"conv1d in=281474976710656 s=2147483647", "conv1d in=5 k=2147483647 d=2147483647 p=2147483647",
        "conv3d in=281474976710656 n=281474976710656", "conv2d ic=281474976710656 oc=281474976710656 in=9"})
    EXPECT_THROW(resolve_valid(parse_case(line)), UsageError) << line;
}

/// Nothing has an element, and still the strides have to fit.
TEST(Geometry, RefusesStridesThatNoNumberHolds) {
  EXPECT_TRUE(resolve(parse_case("conv2d n=4294967296 ic=0 oc=0 in=2147483648")).why_not);
  EXPECT_TRUE(resolve(parse_case("conv2d n=0 ic=131072 in=65536x65536")).why_not);
  EXPECT_FALSE(resolve(parse_case("conv2d n=0 ic=3 in=65536x65536")).why_not);
}

TEST(Geometry, TypesThatGoTogether) {
  for (const char* line : {"conv2d in=3 dt=u8:s8:s32 zp=7:0 beta=2 relu", "conv2d in=3 dt=s8 zp=-128:127 scale=channel",
                           "conv_transpose2d in=3 dt=u8:s8:u8 zp=255:255 scale=tensor beta=0.5",
                           "conv2d in=3 dt=s8 requant=double scale=channel clamp=-3:127 bias relu",
                           "conv2d in=3 dt=s16:s8:s16 requant=single scale=tensor bias",
                           "conv2d in=3 dt=s8:s8:f32 bias", "conv2d in=3 dt=bf16:f32:f64 relu"})
    EXPECT_FALSE(resolve(parse_case(line)).why_not) << line << ": " << why_not(line);
  EXPECT_EQ(why_not("conv2d in=3 dt=u8"), "dt: integers are src u8, s8 or s16 with wei s8");
  EXPECT_EQ(why_not("conv2d in=3 dt=s32:s8:s32"), "dt: integers are src u8, s8 or s16 with wei s8");
  EXPECT_EQ(why_not("conv2d in=3 dt=f32:s8:f32"), "dt: integers are src u8, s8 or s16 with wei s8");
  EXPECT_EQ(why_not("conv2d in=3 dt=u8:s8:bf16"), "dt: dst of integers is s32, f32, s8, u8 or s16");
  EXPECT_EQ(why_not("conv2d.backward_data in=3 dt=s8"), "dt: integers have no gradients");
  EXPECT_EQ(why_not("conv2d in=3 zp=1:0"), "zp: only integers have zero points");
  EXPECT_EQ(why_not("conv2d in=3 dt=u8:s8:s8 zp=-1:0"), "zp: the zero point of src is no number of its type");
  EXPECT_EQ(why_not("conv2d in=3 dt=u8:s8:s8 zp=0:128"), "zp: the zero point of dst is no number of its type");
  EXPECT_EQ(why_not("conv2d in=3 dt=u8:s8:f32 zp=0:1"), "zp: only dst of u8 or s8 has a zero point");
  EXPECT_EQ(why_not("conv2d in=3 scale=tensor"), "scale: only sums of integers are scaled");
  EXPECT_EQ(why_not("conv2d in=3 dt=s8:s8:s32 scale=channel"), "scale: sums in s32 are not scaled");
  EXPECT_EQ(why_not("conv2d in=3 dt=s8:s8:s32 beta=-0.5"),
            "beta: sums in s32 take whole multiples of their old contents");
  EXPECT_EQ(why_not("conv2d in=3 dt=s16:s8:s16 scale=tensor"), "dt: s16 is for requantized sums (requant)");
  EXPECT_EQ(why_not("conv2d in=3 dt=s16:s8:s8 scale=tensor requant=single"),
            "dt: src and dst are both s16, or neither is");
  EXPECT_EQ(why_not("conv2d in=3 dt=s16:s8:s16 scale=tensor requant=double"),
            "requant: s16 has the single rounding only");
  EXPECT_EQ(why_not("conv2d in=3 dt=s16:s8:s16 scale=tensor requant=single zp=1:0"),
            "zp: the zero point of src is no number of its type");
  EXPECT_EQ(why_not("conv2d in=3 dt=s8:s8:f32 scale=tensor requant=single"),
            "requant: only dst of s8, u8 or s16 is requantized");
  EXPECT_EQ(why_not("conv2d in=3 dt=s8 requant=even"),
            "requant: requantized sums have multipliers, of the tensor or of each channel (scale)");
  EXPECT_EQ(why_not("conv2d in=3 dt=s8 scale=tensor requant=even beta=1"),
            "beta: requantized sums take no old contents");
  EXPECT_EQ(why_not("conv2d in=3 dt=u8:s8:u8 scale=tensor requant=even clamp=-9:-1"),
            "clamp: no number of dst is inside the clamp");
  EXPECT_EQ(why_not("conv2d in=3 dt=s8 clamp=0:1"), "clamp: only requantized results are clamped (requant)");
  EXPECT_EQ(why_not("conv2d in=3 requant=even"), "requant: only sums of integers are requantized");
  EXPECT_EQ(why_not("conv2d.backward_weights in=3 relu"), "relu: only forward has a ReLU");
}

}  // namespace
}  // namespace convict
