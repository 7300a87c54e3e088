// SPDX-License-Identifier: Apache-2.0
#include "diagnose/probe.h"

#include <algorithm>
#include <utility>

#include "core/case_text.h"
#include "workers/attribution.h"
#include "workers/fork_servers.h"
#include "workers/lone_run.h"

namespace convict::diagnose {
namespace {

using examine::AskedRelations;

constexpr std::chrono::milliseconds kHangTimeout{2000};  // limit for a call, where hangs are expected

workers::SupervisionSettings settings_for(const Suspicion& suspicion, const workers::SupervisionSettings& settings) {
  workers::SupervisionSettings alone = workers::settings_for_one(suspicion.suspect, suspicion.verdict, settings);
  if (suspicion.verdict == Verdict::kHang) alone.timeout = std::min(alone.timeout, kHangTimeout);
  return alone;
}

}  // namespace

Probe::Probe(const Suspicion& suspicion, const workers::SupervisionSettings& settings)
    : suspicion_(suspicion), settings_(settings_for(suspicion, settings)) {}

const Probe::Finding& Probe::ask(const Case& c) {
  const auto [known, inserted] = answers_.try_emplace(to_text(c));
  if (inserted) known->second = ask_again(c);
  return known->second;
}

Probe::Finding Probe::ask_again(const Case& c) {
  run(c);
  // Corrupted memory may kill the process several cases later: a death counts only if the case kills a new one too.
  if (died_ && cases_in_this_process_ > 1) {
    cases_in_this_process_ = 0;
    run(c);
  }
  if (died_) cases_in_this_process_ = 0;
  return std::move(answer_);
}

Probe::Finding Probe::ask_for_values(const Case& c) {
  for_values_ = true;
  run(c);
  for_values_ = false;
  if (died_) cases_in_this_process_ = 0;
  return std::move(answer_);
}

void Probe::run(const Case& c) {
  if (separate_ || !suspicion_.before.empty()) workers_.reset();
  if (!workers_) {
    if (settings_.fork_servers) settings_.fork_servers->start(settings_);
    workers_.emplace(pool_, settings_);
  }
  died_ = false;
  ++runs_;
  ++cases_in_this_process_;
  answer_ = pool_.finish(answer_to(c));
}

Probe::Finding Probe::ask_fresh(const Case& c, const std::map<std::string, std::string>& environment,
                                bool fresh_clients) const {
  workers::SupervisionSettings settings = settings_;
  settings.worker.environment = environment;
  settings.fork_servers = nullptr;
  settings.fresh_clients = fresh_clients;
  return Probe(suspicion_, settings).ask(c);
}

/// Heap damage may be noticed in a later call of the case.
bool Probe::is_shown_by_relations() const {
  return suspicion_.verdict == Verdict::kWrongRelation || !settings_.heap_guard.empty();
}

Task<Probe::Finding> Probe::answer_to(const Case& c) {
  std::vector<std::string> lines = suspicion_.before;
  lines.push_back(to_text(c));
  const uint64_t count = lines.size(), first = static_cast<uint64_t>(runs_) * count, index = first + count - 1;
  workers_->put({first, count, 1}, workers::GivenCases{.first = first,
                                                       .cases = std::move(lines),
                                                       .values = for_values_,
                                                       .patient = suspicion_.verdict == Verdict::kSideEffect,
                                                       .relations = is_shown_by_relations() ? AskedRelations::kAll
                                                                                            : AskedRelations::kOne});
  Finding answer;
  while (const auto news = co_await workers_->next()) {
    const auto* report = std::get_if<workers::CaseReport>(&*news);
    if (report && report->index == index) answer.judged = report->judged;
    const auto* sighting = std::get_if<workers::Sighting>(&*news);
    if (sighting && sighting->index == index) note(sighting->mismatch, answer);
    const auto* death = std::get_if<workers::WorkerDeath>(&*news);
    died_ |= death != nullptr;
    if (death && death->index == index) note(*death, c, answer);
  }
  co_return answer;
}

/// What a relation shows of another problem comes after what the case itself shows.
void Probe::note(const Mismatch& mismatch, Finding& answer) const {
  const bool is_alike = may_show(suspicion_.verdict, mismatch.verdict) || may_show(mismatch.verdict, suspicion_.verdict);
  if (!answer.mismatch && mismatch.suspect == suspicion_.suspect && is_alike) answer.mismatch = mismatch;
}

/// The suspect is the only implementation here, so it caused the death, unless a foreign process did.
void Probe::note(const workers::WorkerDeath& death, const Case& c, Finding& answer) const {
  answer.judged = !death.from_outside();
  if (!settings_.heap_guard.empty() && !workers::is_heap_damage(death, settings_.heap_guard))
    answer.judged = false;  // of the allocator itself
  else if (!death.from_outside() && death.verdict == suspicion_.verdict)
    answer.mismatch = Mismatch{c, suspicion_.suspect, death.verdict, Blame::kTarget, death.certificate};
}

}  // namespace convict::diagnose
