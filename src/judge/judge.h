// SPDX-License-Identifier: Apache-2.0
//
// From what everybody did on one case to mismatches: the verdict, whose fault it is, and the certificate.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "abi/convict.h"
#include "core/outcome.h"
#include "core/verdict.h"
#include "judge/compare.h"

namespace convict::judge {

/// A metamorphic relation that an implementation breaks.
struct BrokenRelation {
  std::string_view name;
  std::string text;
  std::vector<int64_t> at;
  double got = 0, expected = 0;
};

/// One implementation's part in a case.
struct Result {
  const convict_implementation* who = nullptr;
  bool is_target = false;
  convict_contract contract{};  // of `who`, for this problem; unless it refused
  Outcome outcome;
  // Of kComputed outcomes:
  Comparison comparison;
  bool repeats_differently = false;  // other bits from the same call
  bool minus_zero = false;           // comparison.minus_zeros holds one that no order of summation gives
  bool improbable = false;           // comparison.suspects holds one that came back on redrawn data
  std::string weaker_contract;       // explains what is wrong, in words
  std::string read;                  // what the offender read instead, in words
  std::optional<BrokenRelation> relation;
};

/// The mismatches of one case, at most one per implementation. The reference is the arbiter, unless every
/// implementation that computed agrees against it and two of them share no lineage: then it is the suspect.
std::vector<Mismatch> judge(const Case& c, std::span<const Result> results);

/// The mismatches of a case that is not legal: whoever computed it.
std::vector<Mismatch> judge_acceptance(const Case& c, std::span<const Result> results);

/// "agrees", "differs", "refused: ...": a result in a few words, for certificates and people.
std::string in_words(const Result& result);

}  // namespace convict::judge
