// SPDX-License-Identifier: Apache-2.0
//
// What foreign code in the process of a worker could try with the messages, and that each of it shows.
#include "run/seal.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

namespace convict {
namespace {

class SealTest : public testing::Test {
 protected:
  run::SealKey key_ = run::random_key(), copy_ = key_;
  run::Seal sender_{key_}, receiver_{copy_};
};

TEST_F(SealTest, LinesArriveAsTheyWere) {
  for (const std::string line : {"{\"done\":1}", "", " ", "two words", "\xff\xfe"})
    EXPECT_EQ(receiver_.opened(sender_.sealed(line)), line);
}

TEST_F(SealTest, AForgedLineIsNone) {
  for (const std::string line : {"", "{}", "{\"done\":1}", "0123456789abcdef0123456789abcdef {\"done\":1}"})
    EXPECT_FALSE(receiver_.opened(line)) << line;
}

TEST_F(SealTest, AChangedLineIsNone) {
  std::string line = sender_.sealed("{\"mismatches\":[1]}");
  std::ranges::replace(line, '1', '2');
  EXPECT_FALSE(receiver_.opened(line));
}

TEST_F(SealTest, ADroppedLineShowsInTheNextOne) {
  sender_.sealed("{\"mismatches\":[]}");
  EXPECT_FALSE(receiver_.opened(sender_.sealed("{\"done\":1}")));
}

TEST_F(SealTest, ARepeatedLineIsNone) {
  const std::string line = sender_.sealed("{\"done\":1}");
  EXPECT_TRUE(receiver_.opened(line));
  EXPECT_FALSE(receiver_.opened(line));
}

TEST_F(SealTest, AnotherKeyIsNoKey) {
  run::SealKey other = run::random_key();
  EXPECT_FALSE(run::Seal(other).opened(sender_.sealed("x")));
}

TEST_F(SealTest, TakesTheKeyAway) {
  EXPECT_TRUE(std::ranges::all_of(key_, [](unsigned char byte) { return byte == 0; }));
}

}  // namespace
}  // namespace convict
