// SPDX-License-Identifier: Apache-2.0
//
// What outputs hold before a call: a kernel that merges with it is wrong, and NaN alone does not show that.
#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "core/names.h"
#include "tests/examine/twisted.h"

namespace convict {
namespace {

/// The correct kernel, whose results are merged with the old contents.
struct Merging : convict_implementation {
  using Merge = float (*)(float result, float old);
  explicit Merging(Merge merge) : convict_implementation(direct()), merge_(merge) {
    name = lineage = "merging";
    run = [](const convict_implementation* self, const convict_problem* p, const convict_tensors* t, char* error,
             size_t size) {
      std::vector<float> old;
      for_each_element<float>(t->dst, [&](float& element, const int64_t*) { old.push_back(element); });
      const convict_status status = direct().run(self, p, t, error, size);
      size_t i = 0;
      for_each_element<float>(t->dst, [&](float& element, const int64_t*) {
        element = static_cast<const Merging*>(self)->merge_(element, old[i++]);
      });
      return status;
    };
  }
  Merge merge_;
};

int convicted_of_64(const convict_implementation& target, const std::string& fill) {
  int convicted = 0;
  for (int seed = 0; seed < 64; ++seed)
    convicted +=
        examined(target, "conv2d ic=3 oc=2 in=6 k=3 fill=" + fill + " seed=" + std::to_string(seed)).mismatches.empty()
            ? 0
            : 1;
  return convicted;
}

TEST(Poison, ShowsAKernelThatMergesWithWhatWasThere) {
  const Merging::Merge merges[] = {
      [](float result, float old) { return std::fmax(result, old); },
      [](float result, float old) { return std::fmin(result, old); },
      [](float result, float old) { return old == old ? old + result : result; },
      [](float result, float old) { return std::isnormal(old) ? old : result; },
      [](float result, float old) { return result + 0 * old; },
  };
  for (const std::string fill : {"int", "normal"})
    for (size_t i = 0; i < std::size(merges); ++i)
      EXPECT_GE(convicted_of_64(Merging(merges[i]), fill), 8) << fill << ", merge " << i;
}

TEST(Poison, IsHeldAgainstNobodyWhoWritesAll) {
  EXPECT_EQ(convicted_of_64(direct(), "int"), 0);
  EXPECT_EQ(convicted_of_64(direct(), "normal"), 0);
}

/// Whatever the poison is, an element that still holds it is unwritten, and the checker says so.
TEST(Poison, IsKnownAgain) {
  struct Leaving : convict_implementation {
    Leaving() : convict_implementation(direct()) {
      name = lineage = "leaving";
      run = [](const convict_implementation* self, const convict_problem* p, const convict_tensors* t, char* error,
               size_t size) {
        const float old = *static_cast<const float*>(t->dst.data);
        const convict_status status = direct().run(self, p, t, error, size);
        *static_cast<float*>(t->dst.data) = old;
        return status;
      };
    }
  };
  std::set<std::string> poisons;
  for (int seed = 0; seed < 64; ++seed)
    for (const std::string fill : {"int", "normal"}) {
      const auto found =
          examined(Leaving(), "conv2d ic=3 oc=2 in=6 k=3 fill=" + fill + " seed=" + std::to_string(seed)).mismatches;
      ASSERT_EQ(found.size(), 1u);
      EXPECT_EQ(found[0].verdict, Verdict::kOutputUnwritten);
      EXPECT_TRUE(checked(found[0]).confirmed());
      poisons.insert(std::to_string(found[0].certificate.element.got->value));
      Mismatch other = found[0];
      other.certificate.element.got = Decimal{1.5};
      other.certificate.element.got_hex = Hexadecimal{1.5};
      EXPECT_TRUE(checked(other).refuted());
    }
  EXPECT_EQ(poisons.size(), 5u) << "NaN, large and small of either sign";
}

}  // namespace
}  // namespace convict
