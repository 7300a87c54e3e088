// SPDX-License-Identifier: Apache-2.0
#include "workers/surveying.h"

#include <chrono>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "core/case_text.h"
#include "core/error.h"
#include "core/geometry.h"
#include "examine/pipeline.h"
#include "generate/surveyor.h"
#include "run/guarded_call.h"
#include "run/in_stage.h"
#include "run/proc.h"

namespace convict::workers {
namespace {

using Clock = std::chrono::steady_clock;

constexpr uint64_t kPatience = 2'000'000'000;  // ns of CPU time
constexpr auto kPatienceWithClients = std::chrono::seconds(6), kIfItIsShort = std::chrono::seconds(2);

/// Those of the user, and those that the target names; a line of its own that is no case is no example.
std::vector<Case> examples_of(const run::Subject& target, const WorkerSettings& settings) {
  std::vector<Case> examples;
  for (const std::vector<std::string>* lines : {&settings.examples, &target.examples})
    for (const std::string& line : *lines) try {
        if (const Case c = parse_case(line); !resolve(c).why_not) examples.push_back(c);
      } catch (const UsageError&) {
      }
  return examples;
}

}  // namespace

generate::Survey survey_of(size_t target, const SurveyInputs& asked, bool pairs) {
  const run::Subject& subject = asked.subjects[target];
  const WorkerSettings& settings = asked.settings;
  const examine::ExaminationSettings asking = {.most_bytes = settings.most_bytes(), .where = &asked.where};
  const uint64_t cpu_begin = run::cpu_ns();
  const Clock::time_point begin = Clock::now();
  const std::chrono::duration<double> patience = pairs ? kPatienceWithClients : kIfItIsShort;
  const auto ask = [&](std::span<const Case> cases) {
    asked.lookahead.ask_ahead(subject, cases, asking);
    const run::InStage stage(asked.record, Stage::kAsk);
    std::vector<std::optional<generate::Refusal>> refusals;
    {
      const run::OnlyAsking questions(asked.record);
      for (const Case& c : cases) {
        examine::Acceptance answer = examine::answer_to(c, subject, target, asked.record, asking);
        refusals.emplace_back();
        if (answer.reason) refusals.back() = {std::move(*answer.reason), answer.was_asked};
      }
    }
    asked.lookahead.settle();
    run::changed_by_calls(static_cast<int>(target), asked.record);  // it does that in its cases, too
    return refusals;
  };
  const auto has_time = [&](double part) {
    const bool in_cpu_time = static_cast<double>(run::cpu_ns() - cpu_begin) < part * static_cast<double>(kPatience);
    return in_cpu_time && (!subject.process || Clock::now() - begin < part * patience);
  };
  return generate::survey(
      {generate::find_profile(settings.profile), settings.seed, pairs, examples_of(subject, settings)}, ask, has_time);
}

}  // namespace convict::workers
