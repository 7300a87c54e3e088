// SPDX-License-Identifier: Apache-2.0
#include "examine/answer.h"

#include <utility>

#include "abi/element.h"
#include "fill/fill.h"
#include "run/guarded_call.h"
#include "run/subject.h"

namespace convict::examine {

namespace {

std::optional<std::string> beyond_contract(const Case& c, const convict_contract& contract) {
  if (c.beta != 0 && !contract.accumulates) return "its contract has no beta";
  if (c.relu && !contract.fuses_relu) return "its contract has no ReLU";
  return std::nullopt;
}

}  // namespace

std::optional<std::string> why_not_asked(const Scene& scene, const convict_contract& contract,
                                         const convict_abilities& abilities) {
  if (auto reason = beyond_contract(scene.the_case(), contract)) return reason;
  if (const char* missing = run::missing_ability(scene.problem(), abilities)) return missing;
  return std::nullopt;
}

Acceptance answer_of(const Scene& scene, bool legal, const convict_implementation& who,
                     const convict_abilities& abilities, bool is_target, int position, run::FlightRecord& record) {
  const convict_problem& p = scene.problem_for(is_target);
  const Case& c = scene.the_case();
  Acceptance answer;
  const auto refuses = [&](std::optional<std::string> reason) {
    answer.reason = std::move(reason);
    return answer.reason.has_value();
  };
  if (refuses(why_not_asked(scene, who.contract, abilities))) return answer;
  answer.was_asked = true;
  run::Asked asked = run::ask_unsupported(who, position, p, scene.described(), record);
  answer.side_effect = std::move(asked.side_effect);
  if (refuses(std::move(asked.reason)) || !legal) return answer;
  run::Declared declared = run::ask_contract(who, position, p, scene.described(), record);
  if (!declared.trouble.empty() && refuses(std::move(declared.trouble))) return answer;
  answer.contract = declared.contract;
  if (refuses(beyond_contract(c, declared.contract))) return answer;
  const bool special = fill::has_special_values(c) && !is_integer(c.src_type);
  if (special && declared.contract.algorithm != CONVICT_DIRECT)
    refuses("special values are judged in direct sums only: transforms spread them");
  return answer;
}

}  // namespace convict::examine
