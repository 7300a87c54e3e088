// SPDX-License-Identifier: Apache-2.0
#include "relations/shared/calls.h"

#include <gtest/gtest.h>

#include <cmath>

#include "abi/validity.h"
#include "core/random.h"
#include "relations/shared/calls.h"

namespace convict {
namespace {

using Numbers = std::vector<double>;

/// 2 x 3: 1 2 3, 4 5 6.
relations::Array matrix() { return {CONVICT_F32, {2, 3}, {1, 2, 3, 4, 5, 6}}; }

TEST(Arrays, PartsMayReachBeyondEitherEnd) {
  EXPECT_EQ(relations::part(matrix(), 1, 1, 3).data, (Numbers{2, 3, 5, 6}));
  const relations::Array padded = relations::part(matrix(), 1, -1, 4);
  EXPECT_EQ(padded.dims, (std::vector<int64_t>{2, 5}));
  EXPECT_EQ(padded.data, (Numbers{0, 1, 2, 3, 0, 0, 4, 5, 6, 0}));
  EXPECT_EQ(relations::part(matrix(), 0, 1, 3).data, (Numbers{4, 5, 6, 0, 0, 0}));
}

TEST(Arrays, FlipStuffThinJoinPermuteReshape) {
  EXPECT_EQ(relations::flipped(matrix(), 1).data, (Numbers{3, 2, 1, 6, 5, 4}));
  EXPECT_EQ(relations::flipped(matrix(), 0).data, (Numbers{4, 5, 6, 1, 2, 3}));
  EXPECT_EQ(relations::stuffed(matrix(), 1, 2).data, (Numbers{1, 0, 2, 0, 3, 4, 0, 5, 0, 6}));
  EXPECT_EQ(relations::thinned(matrix(), 1, 2).data, (Numbers{1, 3, 4, 6}));
  const relations::Array parts[] = {relations::part(matrix(), 1, 0, 1), relations::part(matrix(), 1, 1, 3)};
  EXPECT_EQ(relations::joined(parts, 1).data, matrix().data);
  const relations::Array transposed = relations::permuted(matrix(), std::vector<int>{1, 0});
  EXPECT_EQ(transposed.dims, (std::vector<int64_t>{3, 2}));
  EXPECT_EQ(transposed.data, (Numbers{1, 4, 2, 5, 3, 6}));
  const relations::Array cube{
      CONVICT_F32, {1, 2, 3}, matrix().data};  // dimension i of the result is dimension order[i]
  EXPECT_EQ(relations::permuted(cube, std::vector<int>{2, 0, 1}).dims, (std::vector<int64_t>{3, 1, 2}));
  EXPECT_EQ(relations::permuted(cube, std::vector<int>{2, 0, 1}).data, transposed.data);
  EXPECT_EQ(relations::reshaped(matrix(), {3, 2}).data, matrix().data);
  EXPECT_EQ(relations::sum(matrix(), relations::times(matrix(), 2)).data, (Numbers{3, 6, 9, 12, 15, 18}));
}

TEST(Arrays, AnOperandThatIsNotThereStaysSo) {
  const relations::Array none;
  for (const relations::Array& result :
       {relations::part(none, 2, -1, 3), relations::flipped(none, 2), relations::stuffed(none, 2, 3),
        relations::thinned(none, 2, 3), relations::permuted(none, std::vector<int>{1, 0}),
        relations::reshaped(none, {1, 2}), relations::times(none, 2)})
    EXPECT_TRUE(result.dims.empty() && result.data.empty());
}

TEST(Arrays, DifferencesAreOfValues) {
  const relations::Array zero{CONVICT_F32, {1, 2}, {0.0, NAN}}, minus{CONVICT_F32, {1, 2}, {-0.0, NAN}};
  EXPECT_FALSE(relations::difference(zero, minus, ""));
  relations::Array other = matrix();
  other.data[5] = 7;
  const auto found = relations::difference(matrix(), other, "text");
  ASSERT_TRUE(found);
  EXPECT_EQ(found->at, (std::vector<int64_t>{1, 2}));
  EXPECT_EQ(found->got, 6);
  EXPECT_EQ(found->expected, 7);
}

/// Whatever the extents and the begin padding, there are end paddings that make the problem legal.
TEST(Calls, FittedProblemsAreLegal) {
  Random random(1, 1);
  for (int i = 0; i < 20'000; ++i) {
    convict_problem p{};
    p.op = random.chance(0.5) ? CONVICT_CONV : CONVICT_CONV_TRANSPOSE;
    p.pass = CONVICT_FORWARD;
    p.rank = 1;
    p.threads = 1;
    p.batch = p.groups = p.ic = p.oc = 1;
    p.in[0] = random.between(1, 9);
    p.out[0] = random.between(1, 9);
    p.kernel[0] = random.between(1, 5);
    p.stride[0] = random.between(1, 4);
    p.dilation[0] = random.between(1, 4);
    p.pad_begin[0] = random.between(-9, 9);
    relations::fit(p);
    ASSERT_FALSE(invalid(p)) << invalid(p).why;
  }
}

}  // namespace
}  // namespace convict
