// SPDX-License-Identifier: Apache-2.0
#include "campaign/prediction.h"

#include <algorithm>

#include "core/case_text.h"
#include "core/geometry.h"
#include "diagnose/data_condition.h"
#include "diagnose/probe.h"
#include "generate/generate.h"

namespace convict::campaign {
namespace {

constexpr uint64_t kSeed = 20'001;    // no campaign is likely to have drawn these cases
constexpr uint64_t kMostDrawn = 100;  // times the wanted cases, in search of those of the operation
constexpr double kMostCost = 1e7;     // multiply-adds of a case
constexpr size_t kMostExamples = 5;

/// Whether the case fails as `shrunk` does. Nothing if it is refused, or fails in another way.
std::optional<bool> fails(diagnose::Probe& probe, const Mismatch& shrunk, const Case& c) {
  const auto seen = [&](const Case& one) -> std::optional<bool> {
    const auto answer = probe.ask(one);
    if (answer.mismatch && !is_same_failure(*answer.mismatch, shrunk)) return std::nullopt;
    return answer.judged ? std::optional(answer.mismatch.has_value()) : std::nullopt;
  };
  if (const std::optional<bool> first = seen(c); first != false) return first;
  return std::ranges::any_of(diagnose::kTellingData,
                             [&](const diagnose::Data& data) { return seen(diagnose::with(c, data)) == true; });
}

}  // namespace

double Prediction::share_right() const {
  return cases == 0 ? 1 : 1 - static_cast<double>(unsaid + oversaid) / static_cast<double>(cases);
}

Prediction predicted(const Predicate& predicate, const Mismatch& shrunk, uint64_t count,
                     const workers::SupervisionSettings& settings, const std::function<bool()>& go_on) {
  diagnose::Probe probe({shrunk.suspect, shrunk.verdict}, settings);
  const bool computes_nothing = multiply_adds(resolve(shrunk.problem_case).problem) == 0;
  Prediction result;
  for (uint64_t i = 0; i < kMostDrawn * count && result.cases < count && go_on(); ++i) {
    const Case c = generate::generate(nullptr, kSeed, i);
    if (c.op != shrunk.problem_case.op || c.pass != shrunk.problem_case.pass) continue;
    const Resolved resolved = resolve(c);
    const double cost = multiply_adds(resolved.problem);
    if (resolved.why_not || cost > kMostCost || (cost == 0 && !computes_nothing)) continue;
    const auto failed = fails(probe, shrunk, c);
    if (!failed) continue;
    ++result.cases;
    const bool said = predicate.holds(c, resolved.problem);
    if (said == *failed) continue;
    ++(said ? result.oversaid : result.unsaid);
    if (result.wrong.size() < kMostExamples) result.wrong.push_back(to_text(c));
  }
  return result;
}

}  // namespace convict::campaign
