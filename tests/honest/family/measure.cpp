// SPDX-License-Identifier: Apache-2.0
//
// measure_honest_family SUMS CASES SEED: puts the members that keep their sums in SUMS (f32, f16 or bf16) on trial, and
// prints what docs/background/bounds.md shows of them: a row for each. Fails if anything is held against one.
#include <fmt/format.h>

#include <cstdlib>
#include <string_view>

#include "core/names.h"
#include "tests/honest/family/family_trial.h"

namespace {

using namespace convict;

std::string_view in_words(const convict_contract& contract) {
  switch (contract.summation) {
    case CONVICT_FIXED_ORDER: return "fixed order";
    case CONVICT_BLOCKED: return "blocked";
    case CONVICT_PAIRWISE: return "pairwise";
    case CONVICT_ANY_ORDER: break;
  }
  return "any order";
}

}  // namespace

int main(int argc, char** argv) {
  for (const convict_dtype sums : {CONVICT_F32, CONVICT_F16, CONVICT_BF16}) {
    if (argc != 4 || type_name(sums) != argv[1]) continue;
    uint64_t accused = 0;
    const auto members = honest::family::members_with(sums);
    for (const auto& one : honest::family::trial_of(members, sums, std::strtoull(argv[2], nullptr, 10),
                                                    std::strtoull(argv[3], nullptr, 10))) {
      fmt::print("| `{}` | {} | {} | {:.3f} | {:.2g} |\n", one.who->name, one.who->description,
                 in_words(one.who->contract), one.nearest, one.nearest_many);
      for (const auto& [verdict, times] : one.verdicts) {
        fmt::print("  {} {}, e.g. {}\n", times, verdict, one.first);
        accused += times;
      }
    }
    return accused == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
  }
  fmt::print(stderr, "usage: measure_honest_family f32|f16|bf16 CASES SEED\n");
  return 2;
}
