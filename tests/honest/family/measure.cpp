// SPDX-License-Identifier: Apache-2.0
//
// measure_honest_family SUMS CASES SEED: puts the members that keep their sums in SUMS (f32, f16 or bf16) on trial, and
// prints what docs/background/bounds.md shows of them: a row for each. Fails if anything is held against one. With
// units:TYPE for SUMS: those on matrix units, for operands of the type and results of f32.
#include <fmt/format.h>

#include <cstdlib>
#include <string_view>
#include <vector>

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

/// How many verdicts there are.
uint64_t show(const std::vector<honest::family::Record>& records) {
  uint64_t accused = 0;
  for (const auto& one : records) {
    fmt::print("| `{}` | {} | {} | {:.3f} | {:.2g} |\n", one.who->name, one.who->description,
               in_words(one.who->contract), one.nearest, one.nearest_many);
    for (const auto& [verdict, times] : one.verdicts) {
      fmt::print("  {} {}, e.g. {}\n", times, verdict, one.first);
      accused += times;
    }
  }
  return accused;
}

}  // namespace

int main(int argc, char** argv) {
  namespace family = honest::family;
  const uint64_t cases = argc == 4 ? std::strtoull(argv[2], nullptr, 10) : 0,
                 seed = argc == 4 ? std::strtoull(argv[3], nullptr, 10) : 0;
  for (const convict_dtype type : {CONVICT_F32, CONVICT_F16, CONVICT_BF16}) {
    if (cases == 0) continue;
    if (type_name(type) == argv[1])
      return show(family::trial_of(family::members_with(type), type, cases, seed)) == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
    const auto case_of = [&](uint64_t index) { return family::case_of_types(seed, index, type, CONVICT_F32); };
    if (fmt::format("units:{}", type_name(type)) == argv[1])
      return show(family::trial_on(family::on_units(type, false), cases, case_of)) == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
  }
  fmt::print(stderr, "usage: measure_honest_family f32|f16|bf16|units:f32|units:f16|units:bf16 CASES SEED\n");
  return 2;
}
