// SPDX-License-Identifier: Apache-2.0
#include "core/layout.h"

#include <gtest/gtest.h>

#include <vector>

#include "abi/element.h"
#include "core/random.h"

namespace convict {
namespace {

/// A tensor of any order of its dimensions in memory, with gaps now and then.
convict_tensor draw_tensor(Random& random, std::vector<float>& storage) {
  convict_tensor tensor{};
  tensor.dtype = CONVICT_F32;
  tensor.ndim = static_cast<int>(random.between(1, 5));
  std::vector<int> order;
  for (int dim = 0; dim < tensor.ndim; ++dim) order.push_back(dim);
  for (size_t i = order.size(); random.chance(0.5) && i-- > 1;)
    std::swap(order[i], order[static_cast<size_t>(random.below(static_cast<int64_t>(i) + 1))]);
  int64_t stride = random.chance(0.2) ? 2 : 1;
  for (size_t i = order.size(); i-- > 0;) {
    tensor.dims[order[i]] = random.chance(0.3) ? 1 : random.chance(0.05) ? 0 : random.between(2, 4);
    tensor.strides[order[i]] = stride;
    stride *= std::max<int64_t>(tensor.dims[order[i]], 1);
    stride += random.chance(0.15) ? 1 : 0;
  }
  storage.assign(static_cast<size_t>(stride) + 1, 0);
  for (size_t i = 0; i < storage.size(); ++i) storage[i] = static_cast<float>(i);
  tensor.data = storage.data();
  return tensor;
}

TEST(Runs, HaveEachElementInLogicalOrder) {
  Random random(1, 1);
  size_t dense = 0;
  for (int draw = 0; draw < 2'000; ++draw) {
    std::vector<float> storage, expected, got;
    const convict_tensor tensor = draw_tensor(random, storage);
    for_each_element<float>(tensor, [&](const float& element, const int64_t*) { expected.push_back(element); });
    size_t runs = 0;
    for_each_run<float>(tensor, [&](const float* first, int64_t stride, int64_t count) {
      ++runs;
      for (int64_t i = 0; i < count; ++i) got.push_back(first[i * stride]);
    });
    ASSERT_EQ(got, expected);
    dense += runs == 1 && got.size() > 8;
  }
  EXPECT_GT(dense, 200u);
}

}  // namespace
}  // namespace convict
