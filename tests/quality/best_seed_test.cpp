// SPDX-License-Identifier: Apache-2.0
//
// No single step makes a shrunk case smaller, whichever data it has then: one number one nearer to its default, or one
// word, with the best of 64 seeds.
#include <gtest/gtest.h>

#include <optional>
#include <string>

#include "core/case_text.h"
#include "core/fields.h"
#include "core/geometry.h"
#include "examine/pipeline.h"
#include "lab/faults/draw.h"
#include "lab/faults/faulty_kernel.h"
#include "shrink/shrink.h"
#include "tests/thorough.h"

namespace convict {
namespace {

constexpr uint64_t kSeed = 77, kSeedsOfData = 64;

/// A kernel with one fault that depends on the problem alone, and a case on which it shows.
class FaultySuspect {
 public:
  explicit FaultySuspect(const faults::Fault& fault) : kernel_(&fault) {
    examiner_.subjects = {{&kernel_.implementation(), true, "1"}};
  }

  bool fails(const Case& c) { return !examiner_.examine(c).mismatches.empty(); }

  /// The problem with data that show it.
  std::optional<Case> failing(Case c) {
    for (const Fill fill : {Fill::kComb, Fill::kInt, Fill::kOneHot})
      for (c.fill = fill, c.seed = 0; c.seed < 8; ++c.seed)
        if (fails(c)) return c;
    return std::nullopt;
  }

 private:
  faults::FaultyKernel kernel_;
  examine::LocalExaminer examiner_{{}, {.most_bytes = 1e9, .relations = examine::AskedRelations::kNone}};
};

/// Calls visit(case) for each single step towards the default, until it says true.
template <class Visit>
void each_step(const Case& c, const Visit& visit) {
  const Case plain = plain_case(c);
  for (const Slot& slot : slots())
    for (int axis = 0; !slot.is_data() && axis < count_of(slot, c.rank); ++axis) {
      const int64_t step = slot.kind == SlotKind::kChannels ? c.groups : 1;  // a channel of each group
      const int64_t now = slot.get(c, axis), aim = step * slot.get(plain, axis);
      if (now == aim || slot.kind == SlotKind::kPaddingWord) continue;
      Case nearer = c;
      slot.set(nearer, axis, !slot.words.empty() ? aim : now > aim ? now - step : now + step);
      if (!resolve(nearer).why_not && visit(nearer)) return;
    }
}

bool depends_on_the_problem_alone(const faults::Fault& fault) {
  return !fault.data && !fault.history && fault.every == 1 && fault.effect != faults::Effect::kStaleValue;
}

TEST(BestSeed, NoSingleStepIsLeft) {
  const uint64_t faults = test::thorough<uint64_t>(25, 200);
  uint64_t tried = 0;
  for (uint64_t number = 0; tried < faults; ++number) {
    const faults::Fault fault = faults::draw_fault(kSeed, number, 2 + static_cast<int>(number % 2));
    if (!depends_on_the_problem_alone(fault)) continue;
    Random random(kSeed, number);
    FaultySuspect suspect(fault);
    std::optional<Case> found;
    for (int draw = 0; draw < 200 && !found; ++draw) {
      const Case c = faults::draw_witness(random).c;
      if (multiply_adds(resolve(c).problem) < 20'000) found = suspect.failing(c);
    }
    if (!found) continue;
    ++tried;
    const Case shrunk = shrink::shrink(
        *found, [&](const Case& c) { return suspect.fails(c); }, [] { return true; });
    ASSERT_TRUE(suspect.fails(shrunk)) << to_text(shrunk);
    each_step(shrunk, [&](Case step) {
      for (step.seed = 0; step.seed < kSeedsOfData; ++step.seed)
        if (suspect.fails(step)) {
          ADD_FAILURE() << fault.text() << "\nfrom " << to_text(*found) << "\nto " << to_text(shrunk)
                        << "\nbut this fails as well: " << to_text(step);
          return true;
        }
      return false;
    });
  }
}

}  // namespace
}  // namespace convict
