// SPDX-License-Identifier: Apache-2.0
//
// Turns the results of one case into mismatches: verdict, blame and certificate.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "abi/convict.h"
#include "core/verdict.h"
#include "judge/compare.h"

namespace convict::judge {

/// One of the calls that a relation compares, with a result that is wrong by itself.
struct WrongCall {
  Case as_case;     // its problem and types, and the recipe of data of its own: those of the call follow from no seed
  JudgedElement element;  // the first that differs from the exact one, with the data of the call
};

/// A metamorphic relation that an implementation broke.
struct BrokenRelation {
  std::string_view name;
  std::string text;
  std::vector<int64_t> at;
  double got = 0, expected = 0;
  std::optional<WrongCall> wrong = std::nullopt;  // nothing if all results are right, and contradict each other
  std::optional<JudgedElement> element = std::nullopt;  // what the result at `at` is about, if it is one element
};

/// The result of one implementation on one case.
struct Result {
  const convict_implementation* who = nullptr;
  bool is_target = false;
  bool is_excused = false;   // an oracle that this case does not ask
  bool takes_turns = false;  // an oracle of a library that takes turns with others: a case needs one of them
  convict_abilities abilities{};
  convict_contract contract{};  // of `who`, for this problem; unless it refused
  Declarations declarations = {};  // of `who`
  Outcome outcome;
  // The rest is set for kComputed outcomes only.
  Comparison comparison;
  bool repeats_differently = false;  // the same call gave other bits
  bool minus_zero = false;           // comparison.minus_zeros has an element that no order of summation gives
  bool improbable = false;           // comparison.suspects has an element that failed on redrawn data too
  std::string weaker_contract;       // the contract that explains the errors, in words
  std::string read;                  // what it read instead, in words
  std::optional<BrokenRelation> relation;
};

/// Whether code that shares nothing with the reference finds the same exact value for an element.
using Upholds = std::function<bool(const JudgedElement&)>;

/// The mismatches of one case, at most one per implementation. The reference decides. If all implementations that
/// computed the case agree against it, and two of them share no lineage, `upholds` has the last word, for lineages are
/// only declared, and may share a mistake: where it contradicts the reference as well, that is the suspect.
std::vector<Mismatch> judge(const Case& c, std::span<const Result> results, const Upholds& upholds);

/// The mismatches of an illegal case: one per implementation that accepted it (docs/plugin-interface.md, *Rules*).
std::vector<Mismatch> judge_acceptance(const Case& c, std::span<const Result> results);

/// "agrees", "differs", "refused: ...": a short text for certificates and people.
std::string in_words(const Result& result);

}  // namespace convict::judge
