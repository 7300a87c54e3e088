// SPDX-License-Identifier: Apache-2.0
//
// A plugin writes one element behind a heap buffer of its own, in some calls. The process dies later, of another case;
// the call that did it is found.
#include <fmt/format.h>

#include <algorithm>

#include "core/case_text.h"
#include "run/heap_guard.h"
#include "tests/cli/command.h"

namespace convict::test {
namespace {

using nlohmann::json;

class HeapDamageTest : public CliTest {
 protected:
  void SetUp() override {
    if (kKeepsFreedMemory) GTEST_SKIP() << "the sanitizer has an allocator of its own";
    for (const run::HeapGuard& guard : run::heap_guards())
      if (run::file_of(guard).empty()) GTEST_SKIP() << "the package " << guard.package << " is not installed";
  }
};

/// The plugin writes too far only where the stride of its first axis is 2 or more. Relations exchange the axes, and
/// compute a gradient of the weights as a convolution whose strides are its dilation.
bool is_guilty_call(const json& mismatch) {
  const Case c = parse_case(mismatch["case"].get<std::string>());
  const auto is_two_or_more = [](int64_t number) { return number >= 2; };
  return std::ranges::any_of(c.stride, is_two_or_more) ||
         (c.pass == CONVICT_BACKWARD_WEIGHTS && std::ranges::any_of(c.dilation, is_two_or_more));
}

TEST_F(HeapDamageTest, TheCallThatDidItIsFound) {
  const json rows = run({"fuzz", "--plugin=" + plugin("heap_overrun"), "--oracle=none", "--cases=150", "--illegal=0",
                         "--format=json", "--shrink=none", "-q", "--db=h.db"})
                        .mismatches();
  ASSERT_FALSE(rows.empty());
  size_t guarded = 0;
  for (const json& row : rows) {
    EXPECT_EQ(row["suspect"], "heap-overrun") << row;
    EXPECT_EQ(row["verdict"], "crash") << row;
    EXPECT_TRUE(is_guilty_call(row)) << row;
    EXPECT_FALSE(row["certificate"].contains("before")) << row;
    guarded += row["certificate"].contains("heap_guard") ? 1 : 0;
  }
  EXPECT_GT(guarded, 0u);
  EXPECT_EQ(run({"repro", rows[0]["id"].dump(), "--db=h.db", "--oracle=none", "--plugin=" + plugin("heap_overrun")})
                .exit_code,
            1);
}

TEST_F(HeapDamageTest, WithoutTheAllocatorTheCallPasses) {
  const std::vector<std::string> words = {"repro", "--plugin=" + plugin("heap_overrun"), "--oracle=none",
                                          "conv1d ic=2 in=9 k=3"};
  EXPECT_EQ(run(words).exit_code, 0);
  std::vector<std::string> guarded = words;
  guarded.push_back("--heap-guard=electric-fence");
  EXPECT_EQ(run(guarded).exit_code, 0);
  guarded[3] += " s=2";
  EXPECT_EQ(run(guarded).exit_code, 1);
}

TEST_F(HeapDamageTest, AKnownCauseIsShownByDamageThatNobodyNotices) {
  const auto check = [&](const char* line) {
    write_file(file("heap.causes"),
               fmt::format("cause too-far\ntitle Writes too far\nsuspect heap-overrun\nversions all\n"
                           "verdicts crash\nshare 0\nwhen rank = 1\ncase {}\n",
                           line));
    return run({"check-causes", "heap.causes", "--covered=0", "--plugin=" + plugin("heap_overrun")});
  };
  EXPECT_EQ(check("conv1d ic=2 in=9 k=3 s=2").exit_code, 0);
  EXPECT_EQ(check("conv1d ic=2 in=9 k=3").exit_code, 1);
}

}  // namespace
}  // namespace convict::test
