// SPDX-License-Identifier: Apache-2.0
#include "tests/fuzz/targets/examiner.h"

#include <fmt/format.h>

#include <cstdio>
#include <cstdlib>
#include <nlohmann/json.hpp>

#include "core/case_text.h"
#include "fuzz/guidance.h"

namespace convict::fuzz {

void Examiner::examine(const Case& c) {
  const examine::Examination examination = local_.examine(c);
  mark(c, examination.results, *local_.record);
  for (const Mismatch& mismatch : examination.mismatches) report(mismatch);
}

void Examiner::report(const Mismatch& mismatch) {
  const bool is_oracle = mismatch.blame == Blame::kOracle;
  if (is_oracle && !reported_.insert(signature(mismatch)).second) return;
  fmt::print(stderr, "{} {}: {}\n  {}\n  convict repro --{} {} '{}'\n", is_oracle ? "oracle" : "MISMATCH",
             mismatch.suspect, name_of(mismatch.verdict),
             to_json(mismatch.certificate).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace),
             is_oracle ? "oracle" : "target", mismatch.suspect, to_text(mismatch.problem_case));
  if (!is_oracle) std::abort();
}

}  // namespace convict::fuzz
