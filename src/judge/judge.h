// SPDX-License-Identifier: Apache-2.0
//
// From what everybody did on one case to mismatches: the verdict, whose fault it is, and the certificate.
#pragma once

#include <span>
#include <vector>

#include "abi/convict.h"
#include "core/outcome.h"
#include "core/verdict.h"
#include "judge/compare.h"

namespace convict {

/// One implementation's part in a case.
struct Testimony {
  const convict_implementation* who = nullptr;
  bool is_target = false;
  Outcome outcome;
  Comparison comparison;  // of kComputed outcomes
};

/// The mismatches of one case, at most one per implementation. The reference is the arbiter, unless every
/// implementation that computed agrees against it and two of them share no lineage: then it is the suspect.
std::vector<Mismatch> judge(const Case& c, std::span<const Testimony> testimonies);

/// The mismatches of a case that is not legal: whoever computed it.
std::vector<Mismatch> judge_acceptance(const Case& c, std::span<const Testimony> testimonies);

/// "agrees", "differs", "refused: ...": a testimony in a few words, for certificates and people.
std::string in_words(const Testimony& testimony);

}  // namespace convict
