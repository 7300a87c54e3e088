// SPDX-License-Identifier: Apache-2.0
//
// A seed has the same cases in this version as in the last one: databases, nights and reports name cases by seed and
// number. Who changes them on purpose runs this once with CONVICT_REWRITE_GOLDEN=1, and says so in the changelog.
#include <gtest/gtest.h>

#include <cstdlib>
#include <sstream>
#include <string>

#include "core/case_text.h"
#include "generate/generate.h"
#include "tests/cli/command.h"

namespace convict::test {
namespace {

constexpr uint64_t kCases = 3000, kSeed = 20261128;

/// FNV-1a of the lines.
class Checksum {
 public:
  void add(const std::string& line) {
    for (const char byte : line + "\n") hash_ = (hash_ ^ static_cast<unsigned char>(byte)) * 0x100000001b3;
  }
  uint64_t value() const { return hash_; }

 private:
  uint64_t hash_ = 0xcbf29ce484222325;
};

std::string checksums() {
  std::ostringstream text;
  for (const generate::Profile& profile : generate::profiles()) {
    Checksum legal, illegal;
    for (uint64_t i = 0; i < kCases; ++i) legal.add(to_text(generate::generate(&profile, kSeed, i)));
    for (uint64_t i = 0; i < kCases / 10; ++i) illegal.add(to_text(generate::generate_invalid(&profile, kSeed, i)));
    text << profile.name << ' ' << std::hex << legal.value() << ' ' << illegal.value() << std::dec << '\n';
  }
  return text.str();
}

TEST(SameCases, OfEachProfile) {
  const std::string path = std::string(CONVICT_GOLDEN) + "/cases.txt", now = checksums();
  if (std::getenv("CONVICT_REWRITE_GOLDEN")) write_file(path, now);
  EXPECT_EQ(now, read_file(path)) << "CONVICT_REWRITE_GOLDEN=1 writes " << path;
}

}  // namespace
}  // namespace convict::test
