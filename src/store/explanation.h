// SPDX-License-Identifier: Apache-2.0
//
// What is known of a mismatch beside the condition under which it shows: what was tried to find that condition, which
// data and which machine it takes.
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

namespace convict::store {

/// A condition of the predicate, and the line of the simplest case that passes because it alone does not hold; "" if no
/// such case was tried.
struct NeededCondition {
  std::string condition, passes;
};

/// A case that the predicate does not explain.
struct ExceptionalCase {
  std::string line;
  bool fails = false;
};

/// How the predicate was learnt.
struct PredicateEvidence {
  std::vector<NeededCondition> conditions = {};
  int64_t samples = 0, unexplained = 0;          // cases tried, and those of them that it does not explain
  bool mirrored = false;                         // the mirror images of the case were tried: "iff" may be said
  std::vector<ExceptionalCase> exceptions = {};  // the first of those unexplained
};

/// A condition on the values, such as "wei.zero_run >= 8".
struct DataEvidence {
  std::string condition;
  std::string text;                      // the condition in words
  int64_t samples = 0, unexplained = 0;  // fills tried, and those of them that it does not explain
  std::string here = {};                 // where in the smallest case, in words; "" if that is no place
};

/// The process that it takes.
struct EnvironmentEvidence {
  bool alone = true;       // the smallest case fails alone in a fresh process
  std::string oldest_isa;  // the oldest instruction set that it shows with
};

/// What a row keeps of its diagnosis.
struct Explanation {
  bool reproduced = false;    // it failed again, alone in a fresh process
  std::string text = {};      // in words, of what has no neighbours to compare with: it comes and goes, or is not legal
  std::string withheld = {};  // why there is no predicate although the case fails each time
  std::optional<int64_t> shrink_runs = {}, explain_runs = {};  // of the suspect
  std::optional<PredicateEvidence> evidence = {};
  std::optional<DataEvidence> data = {};
  std::optional<EnvironmentEvidence> environment = {};
};

/// docs/background/store-format.md, "The explanation": `{}` if there is none.
nlohmann::json to_json(const std::optional<Explanation>& explanation);

/// Reads what to_json() wrote. A value of another type, as a stranger's database may have, counts as missing.
Explanation explanation_in(const nlohmann::json& json);

}  // namespace convict::store
