// SPDX-License-Identifier: Apache-2.0
//
// Levels are what real kernels branch on: none of them is left to chance.
#include <gtest/gtest.h>

#include <array>
#include <vector>

#include "core/features.h"
#include "core/geometry.h"
#include "generate/generate.h"

namespace convict {
namespace {

TEST(LevelShares, NoLevelIsRareInItsOperation) {
  for (const char* name : {"any", "all"}) {
    std::array<int, 2> all = {};  // cases by operation
    std::array<std::vector<std::vector<int>>, 2> cases;
    for (auto& features_of_op : cases)
      for (const Feature& feature : features()) features_of_op.emplace_back(feature.levels.size());
    for (uint64_t i = 0; i < 60'000; ++i) {
      const Case c = generate::generate(generate::find_profile(name), 1, i);
      const Resolved resolved = resolve(c);
      if (resolved.why_not) continue;
      const auto op = static_cast<size_t>(c.op - CONVICT_CONV);
      const Levels levels = levels_of(c, resolved.problem);
      ++all[op];
      for (const Feature& feature : features()) ++cases[op][feature.id][levels[feature.id]];
    }
    for (const size_t op : {0, 1})
      for (const Feature& feature : features())
        for (size_t level = 0; level < feature.levels.size(); ++level) {
          const double share = static_cast<double>(cases[op][feature.id][level]) / all[op];
          EXPECT_TRUE(share == 0 || share >= 0.02)
              << name << ", operation " << op << ": " << feature.name << "=" << feature.levels[level] << " " << share;
        }
  }
}

}  // namespace
}  // namespace convict
