// SPDX-License-Identifier: Apache-2.0
#include "core/layout.h"

#include <gtest/gtest.h>

#include <vector>

#include "core/case_text.h"
#include "core/geometry.h"

namespace convict {
namespace {

std::vector<int64_t> strides_of(const convict_tensor& t) { return {t.strides, t.strides + t.ndim}; }
std::vector<int64_t> dims_of(const convict_tensor& t) { return {t.dims, t.dims + t.ndim}; }

convict_tensors describe(const std::string& line) {
  const Case c = parse_case(line);
  return describe_tensors(c, resolve_valid(c));
}

TEST(Layout, ConvWeightsAreOutputChannelsFirst) {
  EXPECT_EQ(dims_of(describe("conv2d g=2 ic=4 oc=6 in=5 k=3x2").wei), (std::vector<int64_t>{6, 2, 3, 2}));
  EXPECT_EQ(dims_of(describe("conv_transpose2d g=2 ic=4 oc=6 in=5 k=3x2").wei), (std::vector<int64_t>{4, 3, 3, 2}));
}

TEST(Layout, EveryWeightLayoutHasItsOwnStrides) {
  const std::string conv = "conv2d ic=2 oc=3 in=5 k=4x5 lay=nchw:";
  EXPECT_EQ(strides_of(describe(conv + "oihw:nchw").wei), (std::vector<int64_t>{40, 20, 5, 1}));
  EXPECT_EQ(strides_of(describe(conv + "iohw:nchw").wei), (std::vector<int64_t>{20, 60, 5, 1}));
  EXPECT_EQ(strides_of(describe(conv + "ohwi:nchw").wei), (std::vector<int64_t>{40, 1, 10, 2}));
  EXPECT_EQ(strides_of(describe(conv + "hwio:nchw").wei), (std::vector<int64_t>{1, 3, 30, 6}));
}

TEST(Layout, TheSameArrayServesConvAndItsTranspose) {
  EXPECT_EQ(strides_of(describe("conv2d ic=2 oc=3 in=5 k=4x5").wei),
            strides_of(describe("conv_transpose2d ic=3 oc=2 in=5 k=4x5").wei));
}

TEST(Layout, ChannelsLastKeepsLogicalDimensions) {
  const convict_tensors t = describe("conv3d n=2 ic=3 in=4x5x6 lay=ndhwc:oidhw:ncdhw");
  EXPECT_EQ(dims_of(t.src), (std::vector<int64_t>{2, 3, 4, 5, 6}));
  EXPECT_EQ(strides_of(t.src), (std::vector<int64_t>{360, 1, 90, 18, 3}));
  EXPECT_EQ(strides_of(t.dst), (std::vector<int64_t>{120, 120, 30, 6, 1}));
}

TEST(Layout, EachPassNamesItsOwnOperands) {
  const convict_tensors forward = describe("conv1d in=5 bias"), weights = describe("conv1d.backward_weights in=5 bias");
  EXPECT_EQ(forward.bias.ndim, 1);
  EXPECT_EQ(forward.diff_bias.ndim + forward.diff_dst.ndim + forward.diff_src.ndim + forward.diff_wei.ndim, 0);
  EXPECT_EQ(weights.diff_bias.ndim, 1);
  EXPECT_EQ(weights.bias.ndim + weights.wei.ndim + weights.dst.ndim + weights.diff_src.ndim, 0);
}

}  // namespace
}  // namespace convict
