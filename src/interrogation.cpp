// SPDX-License-Identifier: Apache-2.0
#include "interrogation.h"

#include <algorithm>
#include <utility>

#include "core/case_text.h"

namespace convict {
namespace {

constexpr std::chrono::milliseconds kPatience{2000};  // with a call, where hangs are expected

SupervisorSettings settings_for(const Charge& charge, SupervisorSettings settings) {
  RosterRequest& roster = settings.worker.roster;
  roster.targets = {charge.suspect};
  if (charge.verdict != Verdict::kLessAccurate) roster.oracles = {std::string(kNoOracle)};
  std::erase(roster.oracles, charge.suspect);
  roster.require_oracle = false;
  settings.jobs = 1;
  settings.worker.resting = {};
  if (charge.verdict == Verdict::kHang) settings.timeout = std::min(settings.timeout, kPatience);
  return settings;
}

}  // namespace

Interrogation::Interrogation(const Charge& charge, const SupervisorSettings& settings)
    : charge_(charge), settings_(settings_for(charge, settings)), supervisor_(*this, settings_) {}

const Interrogation::Answer& Interrogation::ask(const Case& c) {
  const auto [known, inserted] = answers_.try_emplace(to_text(c));
  if (!inserted) return known->second;
  run(c);
  // What corrupts memory may kill the process cases later: a death counts only if the case dies in a new one, too.
  if (died_ && cases_in_this_process_ > 1) {
    cases_in_this_process_ = 0;
    run(c);
  }
  if (died_) cases_in_this_process_ = 0;
  return known->second = std::move(answer_);
}

Interrogation::Answer Interrogation::ask_for_values(const Case& c) {
  for_values_ = true;
  run(c);
  for_values_ = false;
  if (died_) cases_in_this_process_ = 0;
  return std::move(answer_);
}

void Interrogation::run(const Case& c) {
  asked_ = c;
  handed_out_ = died_ = false;
  answer_ = {};
  ++runs_;
  ++cases_in_this_process_;
  supervisor_.work();
}

Interrogation::Answer Interrogation::ask_fresh(const Case& c,
                                               const std::map<std::string, std::string>& environment) const {
  SupervisorSettings settings = settings_;
  settings.worker.environment = environment;
  return Interrogation(charge_, settings).ask(c);
}

std::optional<Work> Interrogation::next_work(uint64_t) {
  if (std::exchange(handed_out_, true)) return std::nullopt;
  return Work{static_cast<uint64_t>(runs_), 1, 1};
}

nlohmann::json Interrogation::message(const Work& work) const {
  return {{"cases", {to_text(asked_)}}, {"first", work.first}, {"values", for_values_}};
}

void Interrogation::on_mismatch(uint64_t, const Mismatch& mismatch) {
  if (mismatch.suspect == charge_.suspect && are_alike(mismatch.verdict, charge_.verdict)) answer_.mismatch = mismatch;
}

void Interrogation::on_examination(uint64_t, const nlohmann::json& examination) {
  answer_.judged = examination["judged"];
}

/// Nobody else runs here: whatever the process died of, the suspect did it.
void Interrogation::on_casualty(const Casualty& casualty) {
  died_ = true;
  answer_.judged = !casualty.from_outside;
  if (casualty.from_outside || casualty.verdict != charge_.verdict) return;
  answer_.mismatch = Mismatch{asked_, charge_.suspect, casualty.verdict, Blame::kTarget, casualty.certificate};
}

}  // namespace convict
