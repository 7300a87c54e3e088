// SPDX-License-Identifier: Apache-2.0
#include "workers/lookahead.h"

#include <algorithm>
#include <deque>
#include <iterator>
#include <map>

#include "core/earlier.h"
#include "core/geometry.h"
#include "examine/scene.h"
#include "run/guarded_call.h"
#include "run/in_stage.h"
#include "run/process_target.h"

namespace convict::workers {
namespace {

using run::ProcessTarget;

/// Whether a call for this case may be made ahead of time: one call, whose outputs are poison before it.
bool may_be_early(const Case& c) {
  return c.calls == Calls::kOnce && !has_earlier_problems(c) && c.beta == 0 && !resolve(c).why_not;
}

}  // namespace

size_t Lookahead::reach() const {
  size_t most = 1;
  for (const run::Subject& one : subjects_)
    if (one.is_target) most = std::max(most, ProcessTarget::batch_of(*one.implementation));
  return most;
}

void Lookahead::ask(const Implementation& who, std::span<const Case> cases) {
  const run::InStage asking(record_, Stage::kAsk);
  const size_t batch = ProcessTarget::batch_of(who);
  for (size_t begin = 0; begin < cases.size(); begin += batch) {
    std::deque<examine::Scene> scenes;
    std::vector<ProcessTarget::Question> questions;
    for (const Case& c : cases.subspan(begin, std::min(batch, cases.size() - begin))) {
      const examine::Scene& scene = scenes.emplace_back(c);
      questions.push_back({scene.problem(), scene.described()});
    }
    ProcessTarget::ask_ahead(who, questions, patience_);
  }
}

void Lookahead::run(const Implementation& who, std::span<const Case> cases) {
  {
    const run::InStage filling(record_, Stage::kFill);
    for (const Case& c : cases) {
      const examine::Scene scene(c);
      if (!may_be_early(c) || !ProcessTarget::accepts(who, {scene.problem(), scene.described()}).value_or(false))
        continue;
      scene.set(memory_);
      ProcessTarget::stage(who, {scene.problem(), memory_.theirs()});
    }
  }
  const run::InStage calling(record_, Stage::kCall);
  ProcessTarget::run_ahead(who, patience_);
}

/// For each place, the case that the target takes: of several draws, of which all places get the next ones together.
std::vector<Case> Lookahead::taken(const run::Subject& subject, const generate::Sampling& sampling,
                                   std::vector<uint64_t> indices, const examine::ExaminationSettings& settings) {
  const Implementation& who = *subject.implementation;
  std::vector<Case> taken;
  for (uint32_t draw = 0; draw < kMostDraws && !indices.empty();) {
    const size_t batch = ProcessTarget::batch_of(who);
    const auto draws = static_cast<uint32_t>(std::max<size_t>(1, batch / indices.size()));
    std::vector<Case> cases;
    {
      const run::InStage drawing(record_, Stage::kDraw);
      for (const uint64_t index : indices)
        for (uint32_t i = 0; i < draws; ++i) cases.push_back(generate::generate(sampling, index, draw + i));
    }
    std::vector<Case> asked;
    std::ranges::copy_if(cases, std::back_inserter(asked),
                         [&](const Case& c) { return is_asked(c, subject, settings); });
    ask(who, asked);
    std::vector<uint64_t> left;
    for (size_t place = 0; place < indices.size(); ++place) {
      const auto ours = std::span(cases).subspan(place * draws, draws);
      const auto found = std::ranges::find_if(ours, [&](const Case& c) {
        const examine::Scene scene(c);
        return resolve(c).why_not ||  // an illegal case is examined, whoever refuses it
               ProcessTarget::accepts(who, {scene.problem(), scene.described()}).value_or(false);
      });
      if (found == ours.end())
        left.push_back(indices[place]);
      else
        taken.push_back(*found);
    }
    indices = std::move(left);
    draw += draws;
  }
  return taken;
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
    cases[i] = taken(who, sampling, std::move(own), settings);
  }
  for (const auto& [i, own] : cases) {
    const run::Subject& who = subjects_[i];
    std::vector<Case> all;
    for (const auto& [other, its] : cases)
      if (other != i)
        std::ranges::copy_if(its, std::back_inserter(all), [&](const Case& c) { return is_asked(c, who, settings); });
    ask(*who.implementation, all);
    all.insert(all.end(), own.begin(), own.end());
    run(*who.implementation, all);
  }
}

void Lookahead::over_cases(std::span<const Case> cases, const examine::ExaminationSettings& settings) {
  for (const run::Subject& one : subjects_) {
    const Implementation& who = *one.implementation;
    if (!one.is_target || ProcessTarget::batch_of(who) < 2) continue;
    std::vector<Case> asked;
    std::ranges::copy_if(cases, std::back_inserter(asked), [&](const Case& c) { return is_asked(c, one, settings); });
    ask(who, asked);
    run(who, asked);
  }
}

void Lookahead::settle() {
  for (size_t i = 0; i < subjects_.size(); ++i)
    if (subjects_[i].process) run::settle_batch(*subjects_[i].implementation, static_cast<int>(i), record_);
}

}  // namespace convict::workers
