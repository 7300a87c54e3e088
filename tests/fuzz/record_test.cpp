// SPDX-License-Identifier: Apache-2.0
#include "fuzz/record.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>

#include "core/case_text.h"
#include "core/corpus.h"
#include "core/earlier.h"
#include "core/fields.h"
#include "core/random.h"
#include "generate/generate.h"
#include "tests/fuzz/affordable.h"

namespace convict::test {
namespace {

using Bytes = std::vector<uint8_t>;

Bytes random_bytes(Random& random, size_t count) {
  Bytes bytes(count);
  for (uint8_t& byte : bytes) byte = static_cast<uint8_t>(random.bits());
  return bytes;
}

TEST(Record, CorpusSurvivesIt) {
  int legal = 0, same = 0;
  for (const char* part : {"/seeds", "/networks", "/regressions"})
    for (const CorpusEntry& entry : read_corpus(std::string(CONVICT_CORPUS) + part)) {
      if (entry.must_be_refused) continue;
      ++legal;
      const Case back = fuzz::decode(fuzz::encode(entry.c));
      EXPECT_TRUE(is_affordable(back));
      if (!is_affordable(entry.c)) continue;
      ++same;
      EXPECT_EQ(to_text(back), to_text(entry.c));
    }
  EXPECT_GT(same * 3, legal);  // the others do not fit the budget
}

TEST(Record, GeneratedCasesSurviveIt) {
  int same = 0;
  for (uint64_t i = 0; i < 3'000; ++i) {
    const Case c = generate::generate(nullptr, 11, i);
    if (!is_affordable(c)) continue;
    ++same;
    const Bytes bytes = fuzz::encode(c);
    ASSERT_LE(bytes.size(), fuzz::record_size());
    ASSERT_EQ(to_text(fuzz::decode(bytes)), to_text(c));
  }
  EXPECT_GT(same, 300);
}

TEST(Record, KeepsWhatEarlierProblemsChange) {
  for (const char* line :
       {"conv2d ic=2 oc=2 in=5x6 k=3x3 before=oc:1,in[1]:9/n:3/k[0]:1,d[1]:2 seed=7",
        "conv2d ic=2 oc=2 in=5x6 k=3x3 bias before=bias:0,relu:1/dt:bf16/threads:8,lay:nhwc:ohwi:nhwc",
        "conv2d in=5 dt=s8 scale=channel requant=even before=clamp:127:127/clamp:-32768:-128/requant:none",
        "conv2d in=5 dt=u8:s8:s8 scale=channel requant=even clamp=-128:127 before=clamp:-32768:32767"}) {
    const Case c = parse_case(line);
    ASSERT_FALSE(resolve(c).why_not) << line;
    EXPECT_EQ(to_text(fuzz::decode(fuzz::encode(c))), to_text(c));
  }
}

TEST(Record, AnyBytesAreACase) {
  Random random(3, 0);
  for (int i = 0; i < 5'000; ++i) {
    Bytes bytes =
        random_bytes(random, static_cast<size_t>(random.below(static_cast<int64_t>(2 * fuzz::record_size()))));
    ASSERT_TRUE(is_affordable(fuzz::decode(bytes)));
    Bytes headed = {'c', 'v', fuzz::kRecordVersion};
    headed.insert(headed.end(), bytes.begin(), bytes.end());
    ASSERT_TRUE(is_affordable(fuzz::decode(headed)));
  }
}

TEST(Record, AnyDamageLeavesACase) {
  Random random(4, 0);
  for (uint64_t i = 0; i < 1'000; ++i) {
    Bytes bytes = fuzz::encode(generate::generate(nullptr, 5, i));
    bytes[static_cast<size_t>(random.below(static_cast<int64_t>(bytes.size())))] ^= 1 << random.below(8);
    bytes.resize(static_cast<size_t>(random.below(static_cast<int64_t>(bytes.size()) + 1)));
    ASSERT_TRUE(is_affordable(fuzz::decode(bytes)));
  }
}

TEST(Record, WhatIsMissingIsTheDefault) {
  const Case c = parse_case("conv2d n=2 in=4x5 k=3 bias seed=9");
  const Bytes bytes = fuzz::encode(c);
  Bytes padded = bytes;
  padded.resize(fuzz::record_size());
  EXPECT_EQ(to_text(fuzz::decode(padded)), to_text(c));
  EXPECT_EQ(to_text(fuzz::decode(std::span(bytes).first(4))), "conv2d in=1x1");
  EXPECT_LT(fuzz::encode(parse_case("conv2d in=4x5")).size(), bytes.size());
}

TEST(Record, OtherVersionsStandForAnotherCase) {
  const Case c = parse_case("conv2d n=2 in=4x5 k=3 bias seed=9");
  Bytes bytes = fuzz::encode(c);
  ++bytes[2];
  const Case drawn = fuzz::decode(bytes);
  EXPECT_NE(to_text(drawn), to_text(c));
  EXPECT_EQ(to_text(fuzz::decode(bytes)), to_text(drawn));  // the same one, always
  EXPECT_TRUE(is_affordable(drawn));
  Bytes others = bytes;
  ++others.back();
  EXPECT_NE(to_text(fuzz::decode(others)), to_text(drawn));
}

/// Names, widths and, by their numbers, words: all that the meaning of a byte depends on.
std::string meaning() {
  std::string text = fmt::format("{}: {}", fuzz::kRecordVersion, fuzz::record_layout());
  for (const Slot& slot : slots())
    if (!slot.words.empty() && slot.kind != SlotKind::kEarlier)
      text += fmt::format(" | {}", fmt::join(slot.words, " "));
  text += " |";
  for (const ChangeableField& field : changeable_fields()) text += fmt::format(" {}", field.name);
  return text;
}

/// If this fails, raise kRecordVersion, and put what is new here: corpora that exist are read as other cases.
TEST(Record, LayoutBelongsToItsVersion) {
  EXPECT_EQ(meaning(),
            "6: op pass rank n:1x8 g:1x8 ic:1x8 oc:1x8 in:3x8 k:3x4 s:3x4 d:3x4 p.mode:1x4 p.begin:3x4 p.end:3x"
            "4 op:3x4 bias:1x4 beta:1x4 relu:1x4 dt.src:1x4 dt.wei:1x4 dt.dst:1x4 zp.src:1x4 zp.dst:1x4 scale:1"
            "x4 requant:1x4 clamp.low:1x4 clamp.high:1x4 lay.src:1x4 lay.wei:1x4 lay.dst:1x4 view.src:1x4 view."
            "wei:1x4 view.dst:1x4 fill:1x4 seed:1x8 threads:1x4 calls:1x4 before:3x2x1+1+4 | explicit same_uppe"
            "r same_lower valid | no yes | 0 1 -1 0.5 -0.5 2 -2 | no yes | f32 f64 f16 bf16 s32 s8 u8 s16 | f32"
            " f64 f16 bf16 s32 s8 u8 s16 | f32 f64 f16 bf16 s32 s8 u8 s16 | none tensor channel | none single d"
            "ouble even | channels_first channels_last | oihw iohw ohwi hwio | channels_first channels_last | n"
            "o yes | no yes | no yes | int normal wide positive comb special subnormal zero structured large_su"
            "ms special_weights sparse ones onehot | once again refilled after together reshaped | n ic oc in k s d bia"
            "s relu threads dt requant clamp lay");
}

TEST(Record, BytesAreTheSameOnEveryMachine) {
  std::string hex;
  for (const uint8_t byte : fuzz::encode(parse_case("conv_transpose1d.backward_data g=2 ic=2 oc=4 in=3 k=258")))
    hex += fmt::format("{:02x}", byte);
  EXPECT_EQ(hex,
            "6376060500000000000000000100000000000000010000000000000003000000"
            "0000000002000000000000000000000000000000000000000000000001010000");
}

}  // namespace
}  // namespace convict::test
