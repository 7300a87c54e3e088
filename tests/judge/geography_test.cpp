// SPDX-License-Identifier: Apache-2.0
#include "judge/compare.h"

#include <gtest/gtest.h>

#include <functional>

namespace convict {
namespace {

using At = std::vector<int64_t>;

/// In words, where the elements of an output lie for which `wrong` holds.
std::string where(std::string_view role, const At& dims, const std::function<bool(const At&)>& wrong,
                  int64_t groups = 1) {
  std::vector<size_t> indices;
  const int64_t volume = judge::volume_of({role, dims, {}});
  for (int64_t index = 0; index < volume; ++index) {
    At at(dims.size());
    int64_t rest = index;
    for (size_t dim = dims.size(); dim-- > 0; rest /= dims[dim]) at[dim] = rest % dims[dim];
    if (wrong(at)) indices.push_back(static_cast<size_t>(index));
  }
  return judge::geography({role, dims, indices}, groups);
}

TEST(Geography, OfTails) {
  EXPECT_EQ(where("dst", {2, 3, 4, 5}, [](const At&) { return true; }), "everything");
  EXPECT_EQ(where("dst", {2, 3, 4, 5}, [](const At& at) { return at[3] == 4; }), "w: last");
  EXPECT_EQ(where("dst", {2, 3, 4, 5}, [](const At& at) { return at[2] == 0; }), "h: first");
  EXPECT_EQ(where("dst", {2, 18, 4}, [](const At& at) { return at[1] >= 16; }), "c: tail");
  EXPECT_EQ(where("dst", {2, 18, 4}, [](const At& at) { return at[1] < 16; }), "c: head");
  EXPECT_EQ(where("dst", {1, 1, 9}, [](const At& at) { return at[2] == 0 || at[2] == 8; }), "w: first and last");
  EXPECT_EQ(where("dst", {1, 1, 9}, [](const At& at) { return at[2] == 4; }), "w: inside");
}

TEST(Geography, OfPhases) {
  EXPECT_EQ(where("dst", {1, 1, 9}, [](const At& at) { return at[2] % 2 == 1; }), "w: every 2 from 1");
  EXPECT_EQ(where("diff_src", {1, 1, 4, 12}, [](const At& at) { return at[3] % 3 == 2; }), "w: every 3 from 2");
}

TEST(Geography, OfGroups) {
  EXPECT_EQ(where(
                "dst", {1, 6, 3}, [](const At& at) { return at[1] >= 4; }, 3),
            "c: last group");
  EXPECT_EQ(where(
                "dst", {1, 6, 3}, [](const At& at) { return at[1] / 2 == 1; }, 3),
            "c: one group");
  EXPECT_EQ(where(
                "dst", {1, 6, 3}, [](const At& at) { return at[1] >= 3; }, 3),
            "c: tail");
}

TEST(Geography, OfOtherTensors) {
  EXPECT_EQ(where("diff_wei", {4, 2, 3, 3}, [](const At& at) { return at[3] == 2; }), "kw: last");
  EXPECT_EQ(where("diff_bias", {4}, [](const At& at) { return at[0] == 3; }), "c: last");
}

TEST(Geography, SaysWhenItIsNotAll) {
  EXPECT_EQ(where("dst", {1, 1, 4, 4}, [](const At& at) { return at[2] == at[3]; }), "scattered");
  EXPECT_EQ(where("dst", {1, 1, 4, 4}, [](const At& at) { return at[2] == at[3] && at[2] >= 2; }),
            "h: tail, w: tail, scattered");
}

}  // namespace
}  // namespace convict
