// SPDX-License-Identifier: Apache-2.0
#include "abi/element.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

namespace convict {
namespace {

constexpr uint32_t kPatterns = 1 << 16;

TEST(HalfTest, EveryPatternHasItsValue) {
  for (uint32_t bits = 0; bits < kPatterns; ++bits) {
    const int exponent = bits >> 10 & 0x1f, fraction = bits & 0x3ff;
    const double sign = bits & 0x8000 ? -1 : 1;
    const float value = to_float(Half{static_cast<uint16_t>(bits)});
    ASSERT_EQ(std::signbit(value), sign < 0);
    if (exponent < 31)
      ASSERT_EQ(value, sign * std::ldexp(exponent > 0 ? 1024 + fraction : fraction, std::max(exponent, 1) - 25))
          << bits;
    else if (fraction == 0)
      ASSERT_EQ(value, sign * std::numeric_limits<double>::infinity());
    else
      ASSERT_EQ(std::bit_cast<uint32_t>(value) >> 13 & 0x3ff, static_cast<uint32_t>(fraction));  // the payload
  }
}

/// Every finite number of the type survives the way there and back, and what lies between two of them goes to the
/// nearer one, the middle to the even one; from float as from double.
template <class Narrow, class Round>
void expect_nearest(uint32_t infinity, const Round& round) {
  for (uint32_t bits = 0; bits < infinity; ++bits) {
    const Narrow low{static_cast<uint16_t>(bits)}, high{static_cast<uint16_t>(bits + 1)};
    const float from = to_float(low);
    ASSERT_EQ(round(from).bits, bits);
    ASSERT_EQ(round(static_cast<double>(from)).bits, bits);
    ASSERT_EQ(round(-from).bits, bits | 0x8000);
    // Where the next one is infinite, it stands for the number that would be there.
    const double step =
        bits + 1 < infinity ? to_float(high) - from : from - to_float(Narrow{static_cast<uint16_t>(bits - 1)});
    const auto middle = static_cast<float>(from + step / 2);
    const uint32_t even = bits + (bits & 1);
    ASSERT_EQ(round(middle).bits, even) << bits;
    ASSERT_EQ(round(static_cast<double>(middle)).bits, even) << bits;
    ASSERT_EQ(round(std::nextafter(middle, 0.0f)).bits, bits);
    ASSERT_EQ(round(std::nextafter(middle, INFINITY)).bits, bits + 1);
    ASSERT_EQ(round(std::nextafter(static_cast<double>(middle), 0.0)).bits, bits);
    ASSERT_EQ(round(std::nextafter(static_cast<double>(middle), double{INFINITY})).bits, bits + 1);
  }
  for (const float large : {std::numeric_limits<float>::max(), INFINITY}) {
    EXPECT_EQ(round(large).bits, infinity);
    EXPECT_EQ(round(-double{large}).bits, infinity | 0x8000);
  }
  for (const float nan : {NAN, -NAN, std::bit_cast<float>(0x7f800001u)}) {
    EXPECT_GT(round(nan).bits & 0x7fff, static_cast<int>(infinity));
    EXPECT_EQ(round(nan).bits >> 15, std::signbit(nan));
    EXPECT_EQ(round(nan).bits, round(double{nan}).bits);
  }
}

TEST(HalfTest, RoundsToNearest) {
  expect_nearest<Half>(0x7c00, [](auto value) { return to_half(value); });
}

TEST(BfloatTest, RoundsToNearest) {
  expect_nearest<Bfloat>(0x7f80, [](auto value) { return to_bfloat(value); });
}

}  // namespace
}  // namespace convict
