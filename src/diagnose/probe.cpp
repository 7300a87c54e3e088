// SPDX-License-Identifier: Apache-2.0
#include "diagnose/probe.h"

#include <algorithm>
#include <utility>

#include "core/case_text.h"

namespace convict::diagnose {
namespace {

constexpr std::chrono::milliseconds kPatience{2000};  // limit for a call, where hangs are expected

workers::SupervisorSettings settings_for(const Suspicion& suspicion, workers::SupervisorSettings settings) {
  run::RosterRequest& roster = settings.worker.roster;
  roster.targets = {suspicion.suspect};
  if (suspicion.verdict != Verdict::kLessAccurate) roster.oracles = {std::string(run::kNoOracle)};
  std::erase(roster.oracles, suspicion.suspect);
  roster.require_oracle = false;
  settings.jobs = 1;
  settings.worker.spared = {};
  if (suspicion.verdict == Verdict::kHang) settings.timeout = std::min(settings.timeout, kPatience);
  return settings;
}

}  // namespace

Probe::Probe(const Suspicion& suspicion, const workers::SupervisorSettings& settings)
    : suspicion_(suspicion), settings_(settings_for(suspicion, settings)), supervisor_(*this, settings_) {}

const Probe::Answer& Probe::ask(const Case& c) {
  const auto [known, inserted] = answers_.try_emplace(to_text(c));
  if (!inserted) return known->second;
  run(c);
  // Corrupted memory may kill the process several cases later: a death counts only if the case kills a new one too.
  if (died_ && cases_in_this_process_ > 1) {
    cases_in_this_process_ = 0;
    run(c);
  }
  if (died_) cases_in_this_process_ = 0;
  return known->second = std::move(answer_);
}

Probe::Answer Probe::ask_for_values(const Case& c) {
  for_values_ = true;
  run(c);
  for_values_ = false;
  if (died_) cases_in_this_process_ = 0;
  return std::move(answer_);
}

void Probe::run(const Case& c) {
  asked_ = c;
  handed_out_ = died_ = false;
  answer_ = {};
  ++runs_;
  ++cases_in_this_process_;
  supervisor_.work();
}

Probe::Answer Probe::ask_fresh(const Case& c, const std::map<std::string, std::string>& environment) const {
  workers::SupervisorSettings settings = settings_;
  settings.worker.environment = environment;
  return Probe(suspicion_, settings).ask(c);
}

std::optional<workers::Work> Probe::next_work(uint64_t) {
  if (std::exchange(handed_out_, true)) return std::nullopt;
  return workers::Work{static_cast<uint64_t>(runs_), 1, 1};
}

workers::Order Probe::order(const workers::Work& work) const {
  return workers::GivenCases{work.first, {to_text(asked_)}, for_values_};
}

void Probe::on_mismatch(uint64_t, const Mismatch& mismatch) {
  if (mismatch.suspect == suspicion_.suspect && are_alike(mismatch.verdict, suspicion_.verdict))
    answer_.mismatch = mismatch;
}

void Probe::on_case(const workers::CaseReport& report) { answer_.judged = report.judged; }

/// The suspect is the only implementation here, so it caused the death, unless a foreign process did.
void Probe::on_death(const workers::WorkerDeath& death) {
  died_ = true;
  answer_.judged = !death.from_outside;
  if (death.from_outside || death.verdict != suspicion_.verdict) return;
  answer_.mismatch = Mismatch{asked_, suspicion_.suspect, death.verdict, Blame::kTarget, death.certificate};
}

}  // namespace convict::diagnose
