// SPDX-License-Identifier: Apache-2.0
#include "core/plain_words.h"

#include <gtest/gtest.h>

namespace convict {
namespace {

TEST(PlainWords, OfConditions) {
  const char* line = "conv2d in=5x4 k=2";
  for (const auto& [text, words] :
       {std::pair("unreached.end[1] = 0", "the last column of the input is read"),
        std::pair("unreached.begin[last] = 0", "the first column of the input is read"),
        std::pair("unreached.begin[last-1] >= 1", "the first row of the input is not read"),
        std::pair("unreached.end > 0", "the last position of the input is not read on some axis"),
        std::pair("k >= 2 and idle[every] = 0",
                  "no position of windows lies in the padding alone on every axis and k >= 2 on some axis"),
        std::pair("unreached.end[1] >= 2", "unreached.end[1] >= 2"),
        std::pair("contiguous.src = yes", "the input is a dense tensor"),
        std::pair("contiguous.wei != no", "the weights are a dense tensor"),
        std::pair("rest[0] < 1", "no row is left over behind the last window"),
        std::pair("s >= 2 and n = 0", "s >= 2 and n = 0 on some axis"), std::pair("n = 0", "n = 0"),
        std::pair("s[last] >= 2", "s[last] >= 2"), std::pair("always", "anything is computed"),
        std::pair("of another version", "of another version")})
    EXPECT_EQ(predicate_in_words(text, line), words);
  EXPECT_EQ(predicate_in_words("unreached.end[0] = 0", "conv_transpose1d in=5"),
            "the last column of the output is reached");
  EXPECT_EQ(predicate_in_words("unreached.end = 0", "no case"), "unreached.end = 0");
}

TEST(PlainWords, OfPlaces) {
  for (const auto& [text, words] :
       {std::pair("w: last", "the last column"), std::pair("n: first, c: inside", "the first image, channels inside"),
        std::pair("everything", "all elements"), std::pair("h: head, w: tail", "the first rows, the last columns"),
        std::pair("c: last group", "the channels of the last group"),
        std::pair("c: one group", "the channels of one group"),
        std::pair("d: first and last, scattered", "the first and last planes, scattered"),
        std::pair("kw: every 2 from 1", "columns of the kernel, every 2 from 1"), std::pair("", ""),
        std::pair("comes and goes", "comes and goes")})
    EXPECT_EQ(place_in_words(text), words);
}

}  // namespace
}  // namespace convict
