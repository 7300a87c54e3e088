// SPDX-License-Identifier: Apache-2.0
#include "diagnose/probe.h"

#include <algorithm>
#include <utility>

#include "core/case_text.h"
#include "workers/fork_servers.h"
#include "workers/heap_probe.h"
#include "workers/lone_run.h"

namespace convict::diagnose {
namespace {

using examine::AskedRelations;

constexpr std::chrono::milliseconds kHangTimeout{2000};  // limit for a call, where hangs are expected

workers::SupervisorSettings settings_for(const Suspicion& suspicion, const workers::SupervisorSettings& settings) {
  workers::SupervisorSettings alone = workers::settings_for_one(suspicion.suspect, suspicion.verdict, settings);
  if (suspicion.verdict == Verdict::kHang) alone.timeout = std::min(alone.timeout, kHangTimeout);
  return alone;
}

}  // namespace

Probe::Probe(const Suspicion& suspicion, const workers::SupervisorSettings& settings)
    : suspicion_(suspicion), settings_(settings_for(suspicion, settings)) {}

const Probe::Answer& Probe::ask(const Case& c) {
  const auto [known, inserted] = answers_.try_emplace(to_text(c));
  if (inserted) known->second = ask_again(c);
  return known->second;
}

Probe::Answer Probe::ask_again(const Case& c) {
  run(c);
  // Corrupted memory may kill the process several cases later: a death counts only if the case kills a new one too.
  if (died_ && cases_in_this_process_ > 1) {
    cases_in_this_process_ = 0;
    run(c);
  }
  if (died_) cases_in_this_process_ = 0;
  return std::move(answer_);
}

Probe::Answer Probe::ask_for_values(const Case& c) {
  for_values_ = true;
  run(c);
  for_values_ = false;
  if (died_) cases_in_this_process_ = 0;
  return std::move(answer_);
}

void Probe::run(const Case& c) {
  if (separate_ || !suspicion_.before.empty()) supervisor_.reset();
  if (!supervisor_) {
    if (settings_.fork_servers) settings_.fork_servers->start(settings_);
    supervisor_.emplace(static_cast<workers::Assignment&>(*this), settings_);
  }
  asked_ = c;
  handed_out_ = died_ = false;
  answer_ = {};
  ++runs_;
  ++cases_in_this_process_;
  supervisor_->work();
}

Probe::Answer Probe::ask_fresh(const Case& c, const std::map<std::string, std::string>& environment,
                               bool fresh_clients) const {
  workers::SupervisorSettings settings = settings_;
  settings.worker.environment = environment;
  settings.fork_servers = nullptr;
  settings.fresh_clients = fresh_clients;
  return Probe(suspicion_, settings).ask(c);
}

std::optional<workers::Work> Probe::next_work(uint64_t) {
  if (std::exchange(handed_out_, true)) return std::nullopt;
  const uint64_t count = suspicion_.before.size() + 1;
  work_ = {static_cast<uint64_t>(runs_) * count, count, 1};
  return work_;
}

/// Heap damage may be noticed in a later call of the case.
bool Probe::is_shown_by_relations() const {
  return suspicion_.verdict == Verdict::kWrongRelation || !settings_.heap_guard.empty();
}

/// `work` may be the rest of work_, after a death.
workers::Order Probe::order(const workers::Work& work) const {
  std::vector<std::string> lines = suspicion_.before;
  lines.push_back(to_text(asked_));
  lines.erase(lines.begin(), lines.begin() + static_cast<std::ptrdiff_t>(work.first - work_.first));
  return workers::GivenCases{.first = work.first,
                             .cases = std::move(lines),
                             .values = for_values_,
                             .patient = suspicion_.verdict == Verdict::kSideEffect,
                             .relations = is_shown_by_relations() ? AskedRelations::kAll : AskedRelations::kOne};
}

void Probe::on_mismatch(const workers::Sighting& sighting) {
  if (sighting.index != index_of_case()) return;
  const Mismatch& mismatch = sighting.mismatch;
  // What a relation shows of another problem comes after what the case itself shows.
  if (!answer_.mismatch && mismatch.suspect == suspicion_.suspect && are_alike(mismatch.verdict, suspicion_.verdict))
    answer_.mismatch = mismatch;
}

void Probe::on_case(const workers::CaseReport& report) {
  if (report.index == index_of_case()) answer_.judged = report.judged;
}

/// The suspect is the only implementation here, so it caused the death, unless a foreign process did.
void Probe::on_death(const workers::WorkerDeath& death) {
  died_ = true;
  if (death.index != index_of_case()) return;
  answer_.judged = !death.from_outside;
  if (!settings_.heap_guard.empty() && !workers::is_heap_damage(death, settings_.heap_guard))
    answer_.judged = false;  // of the allocator itself
  else if (!death.from_outside && death.verdict == suspicion_.verdict)
    answer_.mismatch = Mismatch{asked_, suspicion_.suspect, death.verdict, Blame::kTarget, death.certificate};
}

}  // namespace convict::diagnose
