// SPDX-License-Identifier: Apache-2.0
#include "core/predicate.h"

#include <gtest/gtest.h>

#include "core/case_text.h"
#include "core/error.h"
#include "core/fields.h"

namespace convict {
namespace {

bool holds(const char* predicate, const char* line) { return Predicate::parse(predicate).holds(parse_case(line)); }

TEST(Predicate, SpeaksOfFieldsAndOfWhatFollowsFromThem) {
  EXPECT_TRUE(holds("s >= 2 and op >= 1", "conv_transpose2d in=4 s=2 op=1"));
  EXPECT_FALSE(holds("s >= 3 and op >= 1", "conv_transpose2d in=4 s=2 op=1"));
  EXPECT_TRUE(holds("lay.wei = hwio", "conv2d in=4 lay=nchw:hwio:nchw"));
  EXPECT_FALSE(holds("lay.wei != hwio", "conv2d in=4 lay=nchw:hwio:nchw"));
  EXPECT_TRUE(holds("oc/g % 16 != 0", "conv2d g=2 ic=2 oc=34 in=4"));
  EXPECT_FALSE(holds("oc/g % 16 != 0", "conv2d g=2 ic=2 oc=32 in=4"));
  EXPECT_TRUE(holds("window > in", "conv1d in=4 k=3 d=3 p=2"));
  EXPECT_TRUE(holds("out = 3", "conv1d in=4 k=2"));
  EXPECT_TRUE(holds("p.begin % 2 = 1", "conv1d in=4 p=-1:2"));
  EXPECT_TRUE(holds("always", "conv1d in=4"));
  EXPECT_TRUE(holds("k % s = 0 and s > 1", "conv1d in=9 k=4 s=2"));
  EXPECT_FALSE(holds("k % s = 0 and s > 1", "conv1d in=9 k=4 s=3"));
  EXPECT_TRUE(holds("in[0] < in[1]", "conv2d in=4x5"));
  EXPECT_FALSE(holds("in[0] < in[1]", "conv2d in=5x4"));
  EXPECT_FALSE(holds("in[0] < in[1]", "conv1d in=4"));
  EXPECT_TRUE(holds("in.order = falling", "conv3d in=5x9x4"));
  EXPECT_TRUE(holds("same.total < 0", "conv1d in=8 s=4"));
  EXPECT_TRUE(holds("lay.src != lay.dst", "conv2d in=4 lay=nchw:oihw:nhwc"));
}

TEST(Predicate, TakesTheLargestModulus) {
  EXPECT_TRUE(holds("p.begin % 9223372036854775807 = 9223372036854775806", "conv1d in=4 p=-1:2"));
  EXPECT_TRUE(holds("p.end % 9223372036854775807 = 2", "conv1d in=4 p=-1:2"));
}

TEST(Predicate, MeansTheSameAxisThroughout) {
  EXPECT_FALSE(holds("s >= 2 and k >= 3", "conv2d in=9 k=3x1 s=1x2"));
  EXPECT_TRUE(holds("s >= 2 and k >= 3", "conv2d in=9 k=1x3 s=1x2"));
  EXPECT_FALSE(holds("k[0] >= 3", "conv2d in=9 k=1x3"));
  EXPECT_TRUE(holds("k[1] >= 3", "conv2d in=9 k=1x3"));
  EXPECT_FALSE(holds("k[1] >= 3", "conv1d in=9 k=3"));
}

TEST(Predicate, TheLastAxisIsTheInnermostInEachRank) {
  EXPECT_TRUE(holds("k[last] >= 3", "conv1d in=9 k=3"));
  EXPECT_TRUE(holds("k[last] >= 3", "conv3d in=9 k=1x1x3"));
  EXPECT_FALSE(holds("k[last] >= 3", "conv3d in=9 k=3x3x1"));
}

TEST(Predicate, ComparesTheLastAxisWithTheOneBeforeIt) {
  EXPECT_TRUE(holds("s[last] != s[last-1]", "conv2d in=9 s=1x2"));
  EXPECT_TRUE(holds("s[last] != s[last-1]", "conv3d in=9 s=1x1x2"));
  EXPECT_FALSE(holds("s[last] != s[last-1]", "conv3d in=9 s=1x2x2"));
  EXPECT_FALSE(holds("s[last] != s[last-1]", "conv1d in=9 s=2"));
  EXPECT_FALSE(holds("s[last-1] >= 1", "conv1d in=9 s=2"));
  EXPECT_TRUE(holds("s[0] > s[last]", "conv2d in=9 s=2x1"));
}

TEST(Predicate, EveryAxisMeansAllOfThem) {
  EXPECT_TRUE(holds("d[every] = 1 and k >= 2", "conv2d in=9 k=1x2"));
  EXPECT_FALSE(holds("d[every] = 1 and k >= 2", "conv2d in=9 k=1x2 d=2x1"));
}

TEST(Predicate, AnyAxisMayBeAnotherOneForEachCondition) {
  EXPECT_TRUE(holds("op[any] >= 1 and k[any] >= 3", "conv_transpose2d in=9 k=3x1 s=2 op=0x1"));
  EXPECT_FALSE(holds("op >= 1 and k >= 3", "conv_transpose2d in=9 k=3x1 s=2 op=0x1"));
  EXPECT_FALSE(holds("op[any] >= 1", "conv_transpose2d in=9 s=2"));
}

TEST(Predicate, SpeaksOfTheOperation) {
  EXPECT_TRUE(holds("rank = 2 and operation = conv and pass = backward_data", "conv2d.backward_data in=4"));
  EXPECT_FALSE(holds("operation = conv", "conv_transpose2d in=4"));
  EXPECT_TRUE(holds("as_conv = backward_data", "conv_transpose2d in=4"));
  EXPECT_TRUE(holds("as_conv = backward_data", "conv3d.backward_data in=4"));
  EXPECT_TRUE(holds("as_conv = forward", "conv_transpose2d.backward_data in=4"));
  EXPECT_TRUE(holds("as_conv = backward_weights", "conv_transpose2d.backward_weights in=4"));
  EXPECT_TRUE(holds("taps = 6", "conv2d in=4 k=2x3"));
}

TEST(Predicate, ContiguousIsWhatPyTorchCallsIt) {
  EXPECT_TRUE(holds("contiguous.wei = yes", "conv2d ic=2 oc=3 in=4 k=2"));
  EXPECT_FALSE(holds("contiguous.wei = yes", "conv2d ic=2 oc=3 in=4 k=2 lay=nchw:ohwi:nchw"));
  EXPECT_TRUE(holds("contiguous.wei = yes", "conv2d ic=1 oc=3 in=4 k=2 lay=nchw:ohwi:nchw"));  // i has extent 1
  EXPECT_FALSE(holds("contiguous.src = yes", "conv2d ic=2 in=4 view=src"));
  EXPECT_TRUE(holds("contiguous.src = no", "conv2d.backward_data ic=2 in=4 lay=nhwc:oihw:nhwc"));
  EXPECT_TRUE(holds("contiguous.src = yes", "conv2d n=0 ic=2 in=4 lay=nhwc:oihw:nhwc"));
}

TEST(Predicate, SaysToPeopleOnWhichAxis) {
  EXPECT_EQ(Predicate::parse("s >= 2 and n = 0").in_words(), "s >= 2 and n = 0 on some axis");
  EXPECT_EQ(Predicate::parse("s >= 2 on some axis").text(), "s >= 2");
}

TEST(Predicate, TextAndBack) {
  for (const char* text : {"always", "s >= 2 and op >= 1", "k[1] > s[1] and n != 1", "ic/g % 8 = 3", "dt.dst = bf16",
                           "bias = yes and beta != 0", "fill = comb", "view.src = yes", "k % s = 0", "k[1] % s[1] != 1",
                           "in[0] < in[1]", "k[2] >= s[0]", "in.order = rising", "k[last] > s[last]", "d[every] = 1",
                           "op[any] >= 1", "s[last] != s[last-1]", "k[0] < k[last]", "k[last-1] = 1"})
    EXPECT_EQ(Predicate::parse(text).text(), text);
}

TEST(Predicate, RefusesWhatItDoesNotPrint) {
  for (const char* text : {"",
                           "s",
                           "s >=",
                           "s >= 2 and",
                           "s >= two",
                           "nothing = 1",
                           "s ~ 2",
                           "s[9] = 1",
                           "s[] = 1",
                           "s[",
                           "n[0] = 1",
                           "s % 0 = 1",
                           "s % 1 = 0",
                           "bias % 2 = yes",
                           "beta % 3 = -1",
                           "k[0] > s",
                           "k % dt.src = 0",
                           "k[0] % s[1] = 0",
                           "s[last-2] = 1",
                           "s[every] = s[0]",
                           "s >= 99999999999999999999"})
    EXPECT_THROW(Predicate::parse(text), UsageError) << text;
}

TEST(Slots, GetWhatTheySet) {
  for (const Slot& slot : slots()) {
    Case c = parse_case("conv3d in=9x8x7");
    for (int axis = 0; axis < count_of(slot, c.rank); ++axis)
      for (const int64_t value : {slot.lowest, slot.lowest + 1, slot.highest}) {
        slot.set(c, axis, value);
        EXPECT_EQ(slot.get(c, axis), value) << slot.name;
      }
  }
}

/// A field without a slot would never be shrunk or mutated.
TEST(Slots, CoverEveryField) {
  for (const Field& field : fields()) EXPECT_FALSE(field.slots.empty()) << field.key;
}

TEST(Slots, ThePlainCaseHasEveryDefault) {
  const Case c = parse_case("conv_transpose3d.backward_data n=3 ic=4 oc=2 in=9 k=3 s=2 op=1 lay=ndhwc:odhwi:ndhwc");
  EXPECT_EQ(to_text(plain_case(c)), "conv_transpose3d.backward_data in=1x1x1");
}

}  // namespace
}  // namespace convict
