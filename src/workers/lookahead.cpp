// SPDX-License-Identifier: Apache-2.0
#include "workers/lookahead.h"

#include <algorithm>
#include <deque>
#include <iterator>
#include <map>

#include "core/earlier.h"
#include "core/geometry.h"
#include "examine/calls.h"
#include "examine/relation_check.h"
#include "examine/scene.h"
#include "generate/place.h"
#include "run/flight_record.h"
#include "run/guarded_call.h"

namespace convict::workers {
namespace {

using run::ProcessTarget;

/// Whether the judged call is the only one of the case that is not a relation's.
bool is_called_once(const Case& c) { return c.calls == Calls::kOnce && !has_earlier_problems(c); }

/// What a call wants to know of a problem, without its data.
ProcessTarget::Question question_of(const examine::Scene& scene) { return {scene.problem(), scene.described()}; }

bool is_taken(const convict_implementation& who, const ProcessTarget::Question& question) {
  return ProcessTarget::accepts(who, question).value_or(false);
}

/// Whether it is called for the case, with outputs that are poison before.
bool is_called(const convict_implementation& who, const Case& c) {
  return c.beta == 0 && !resolve(c).why_not && is_taken(who, question_of(examine::Scene(c)));
}

/// The problems before this one that it is asked about.
std::vector<Case> asked_before(const convict_implementation& who, const Case& c) {
  std::vector<Case> cases = examine::cases_before(c);
  std::erase_if(cases, [&](const Case& one) {
    return examine::why_not_asked(examine::Scene(one), who.contract, ProcessTarget::announced_by(who).abilities)
        .has_value();
  });
  return cases;
}

}  // namespace

size_t Lookahead::reach() const {
  size_t most = 1;
  for (const run::Subject& one : subjects_)
    if (one.is_target) most = std::max(most, ProcessTarget::batch_of(*one.implementation));
  return most;
}

void Lookahead::ask(const Implementation& who, std::span<const Case> cases) {
  std::deque<examine::Scene> scenes;
  std::vector<ProcessTarget::Question> questions;
  for (const Case& c : cases) questions.push_back(question_of(scenes.emplace_back(c)));
  ask(who, questions);
}

void Lookahead::ask(const Implementation& who, std::span<const ProcessTarget::Question> questions) {
  const run::InStage asking(record_, Stage::kAsk);
  const size_t batch = ProcessTarget::batch_of(who);
  for (size_t begin = 0; begin < questions.size(); begin += batch)
    ProcessTarget::ask_ahead(who, questions.subspan(begin, std::min(batch, questions.size() - begin)), patience_);
}

void Lookahead::ask(const Implementation& who, std::span<const RelationCalls> related) {
  std::deque<examine::PosedCall> posed;
  std::vector<ProcessTarget::Question> questions;
  for (const RelationCalls& calls : related)
    for (const relations::Call& call : calls) {
      const examine::PosedCall& one = posed.emplace_back(call);
      questions.push_back({one.problem, one.described});
    }
  ask(who, questions);
}

/// Stages the calls that the examination makes if all of them are right: those of the cases, and of their relations.
/// `position`: in the roster.
void Lookahead::run(size_t position, std::span<const Case> cases, examine::AskedRelations relations) {
  const Implementation& who = *subjects_[position].implementation;
  std::vector<Case> called, before;
  for (const Case& c : cases) {
    if (!is_called(who, c)) continue;
    called.push_back(c);
    if (ProcessTarget::announced_by(who).stateless) std::ranges::copy(asked_before(who, c), std::back_inserter(before));
  }
  ask(who, before);
  std::vector<RelationCalls> related;
  {
    const run::InStage filling(record_, Stage::kFill);
    for (const Case& c : called) {
      stage_case(who, c);
      const examine::Scene scene(c);
      if (!examine::asks_relation(scene, relations)) continue;
      scene.set(memory_);
      const relations::Call call = examine::call_of(c, scene.problem(), memory_.ours());
      std::ranges::move(examine::calls_of_relations(scene, call, who.contract, relations), std::back_inserter(related));
    }
  }
  ask(who, related);
  {
    const run::InStage filling(record_, Stage::kFill);
    for (const RelationCalls& calls : related) stage(who, calls);
  }
  const run::InCalls calling(record_, static_cast<int>(position));
  ProcessTarget::run_ahead(who, patience_);
}

/// The call of a case; and, where none can show in another one, those before it and the one that repeats it.
void Lookahead::stage_case(const Implementation& who, const Case& c) {
  if (!is_called_once(c) && !ProcessTarget::announced_by(who).stateless) return;
  const auto stage = [&](const examine::Scene& scene) {
    ProcessTarget::stage(who, {scene.problem(), memory_.theirs()});
  };
  const examine::Scene judged(c);
  if (c.calls == Calls::kRefilled) {
    judged.set(memory_);
    judged.refill(memory_, examine::data_seed_before(c));
    stage(judged);
  }
  for (const Case& before : asked_before(who, c)) {
    const examine::Scene other(before);
    if (!is_taken(who, question_of(other))) continue;
    other.set(memory_);
    stage(other);
  }
  judged.set(memory_);
  stage(judged);
  if (c.calls == Calls::kAgain && who.contract.deterministic) stage(judged);
}

/// Up to the first that is refused, which ends the relation.
void Lookahead::stage(const Implementation& who, const RelationCalls& calls) {
  for (const relations::Call& call : calls) {
    const examine::PosedCall posed(call);
    if (!is_taken(who, {posed.problem, posed.described})) return;
    examine::set(memory_, posed, call);
    ProcessTarget::stage(who, {posed.problem, memory_.theirs()});
  }
}

void Lookahead::ask_ahead(const run::Subject& subject, std::span<const Case> cases,
                          const examine::ExaminationSettings& settings) {
  if (ProcessTarget::batch_of(*subject.implementation) < 2) return;
  std::vector<Case> asked;
  std::ranges::copy_if(cases, std::back_inserter(asked), [&](const Case& c) { return is_asked(c, subject, settings); });
  ask(*subject.implementation, asked);
}

/// For each place, the case that the target takes. All places ask their next question together.
std::vector<Case> Lookahead::taken(const run::Subject& subject, const generate::Sampling& sampling,
                                   std::span<const uint64_t> indices, const examine::ExaminationSettings& settings) {
  std::deque<generate::Place> places;
  for (const uint64_t index : indices) places.emplace_back(sampling, index);
  while (true) {
    std::vector<Case> cases;
    for (const generate::Place& one : places)
      if (!one.is_decided()) cases.push_back(one.asks());
    if (cases.empty()) break;
    ask_ahead(subject, cases, settings);
    const run::InStage drawing(record_, Stage::kDraw);
    for (generate::Place& one : places)
      if (!one.is_decided())
        one.answer(is_asked(one.asks(), subject, settings) &&
                   is_taken(*subject.implementation, question_of(examine::Scene(one.asks()))));
  }
  std::vector<Case> found;
  for (const generate::Place& one : places) found.push_back(one.found());
  return found;
}

/// Each target is called for the cases of the others as well.
void Lookahead::over_places(const generate::Sampling& sampling, std::span<const uint64_t> indices,
                            const examine::ExaminationSettings& settings) {
  std::map<size_t, std::vector<Case>> cases;  // by target
  for (size_t i = 0; i < subjects_.size() && subjects_[i].is_target; ++i) {
    const run::Subject& who = subjects_[i];
    if (ProcessTarget::batch_of(*who.implementation) < 2) continue;
    std::vector<uint64_t> own;
    for (const uint64_t index : indices)
      if (const generate::Share* share = generate::share_of(sampling, index);
          share && static_cast<size_t>(share->target) == i)
        own.push_back(index);
    cases[i] = taken(who, sampling, own, settings);
  }
  for (const auto& [i, own] : cases) {
    if (examine::is_left_out(settings.without, i)) continue;
    const run::Subject& who = subjects_[i];
    std::vector<Case> all;
    for (const auto& [other, its] : cases)
      if (other != i)
        std::ranges::copy_if(its, std::back_inserter(all), [&](const Case& c) { return is_asked(c, who, settings); });
    ask(*who.implementation, all);
    all.insert(all.end(), own.begin(), own.end());
    run(i, all, settings.relations);
  }
}

void Lookahead::over_cases(std::span<const Case> cases, const examine::ExaminationSettings& settings) {
  for (size_t i = 0; i < subjects_.size(); ++i) {
    const run::Subject& one = subjects_[i];
    const Implementation& who = *one.implementation;
    if (!one.is_target || ProcessTarget::batch_of(who) < 2) continue;
    std::vector<Case> asked;
    std::ranges::copy_if(cases, std::back_inserter(asked), [&](const Case& c) { return is_asked(c, one, settings); });
    ask(who, asked);
    run(i, asked, settings.relations);
  }
}

void Lookahead::settle() {
  for (size_t i = 0; i < subjects_.size(); ++i)
    if (subjects_[i].process) run::settle_batch(*subjects_[i].implementation, static_cast<int>(i), record_);
}

}  // namespace convict::workers
