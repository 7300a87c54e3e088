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
using Seconds = std::chrono::duration<double>;

// A survey ends by the number of its questions, so that a seed has the same cases each time: these take about 2 s. A
// target that answers slowly is given so many ns of CPU time.
constexpr uint64_t kMostQuestions = 340'000, kPatience = 8'000'000'000;
constexpr auto kPatienceWithClients = std::chrono::seconds(6), kIfItIsShort = std::chrono::seconds(4);

/// What a client is charged with: all questions at the pace of its fastest batch. So a busy machine does not change
/// what a survey finds, and with it the cases of a seed. A client whose pace varies by more than kBusy is charged with
/// the time that it took, divided by that.
class ClientTime {
 public:
  void add(size_t questions, Seconds took) {
    if (questions == 0) return;
    asked_ += questions;
    waited_ += took;
    fastest_ = std::min(fastest_, took / questions);
  }
  Seconds charged() const { return asked_ == 0 ? Seconds(0) : std::max(fastest_ * asked_, waited_ / kBusy); }

 private:
  static constexpr int kBusy = 10;

  size_t asked_ = 0;
  Seconds waited_{0};
  Seconds fastest_ = Seconds::max();  // a question
};

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
  uint64_t questions = 0;
  ClientTime client_time;
  const Seconds patience = pairs ? kPatienceWithClients : kIfItIsShort;
  const auto ask = [&](std::span<const Case> cases) {
    questions += cases.size();
    const Clock::time_point begin = Clock::now();
    asked.lookahead.ask_ahead(subject, cases, asking);
    const Clock::duration took = Clock::now() - begin;
    const run::InStage stage(asked.record, Stage::kAsk);
    std::vector<std::optional<generate::Refusal>> refusals;
    size_t reached = 0;  // the client; others are outside of --where
    {
      const run::OnlyAsking questions(asked.record);
      for (const Case& c : cases) {
        examine::Acceptance answer = examine::answer_to(c, subject, target, asked.record, asking);
        reached += answer.was_asked ? 1 : 0;
        refusals.emplace_back();
        if (answer.reason) refusals.back() = {std::move(*answer.reason), answer.was_asked};
      }
    }
    asked.lookahead.settle();
    client_time.add(reached, took);
    run::changed_by_calls(static_cast<int>(target), asked.record);  // it does that in its cases, too
    return refusals;
  };
  const auto has_time = [&](double part) {
    const bool has_questions = static_cast<double>(questions) < part * static_cast<double>(kMostQuestions);
    const bool in_cpu_time = static_cast<double>(run::cpu_ns() - cpu_begin) < part * static_cast<double>(kPatience);
    return has_questions && in_cpu_time && (!subject.process || client_time.charged() < part * patience);
  };
  return generate::survey(
      {generate::find_profile(settings.profile), settings.seed, pairs, examples_of(subject, settings)}, ask, has_time);
}

}  // namespace convict::workers
