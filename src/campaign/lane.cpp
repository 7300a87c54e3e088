// SPDX-License-Identifier: Apache-2.0
#include "campaign/lane.h"

#include <algorithm>
#include <utility>

namespace convict::campaign {

constexpr size_t kMostTrials = 20'000;  // that wait
constexpr int kMostKills = 3;           // of workers on one case from outside, e.g. by a system short of memory

Lane::Lane(const LaneSettings& settings, Bookkeeping books, std::set<std::string> targets)
    : settings_(settings),
      books_(std::move(books)),
      targets_(std::move(targets)),
      accusations_(settings_, books_) {
  settings_.kept.add_books(targets_, books_);
}

workers::SupervisionSettings Lane::supervisor() const {
  workers::SupervisionSettings supervisor = settings_.supervisor;
  supervisor.most_kills = kMostKills;
  supervisor.at_start = [this](workers::WorkerSettings& worker) { add_what_is_known(worker); };
  if (targets_.empty()) return supervisor;
  supervisor.worker.gives_way = true;
  supervisor.worker.coverage = workers::CoverageOf::kTargets;
  return supervisor;
}

Task<void> Lane::work() {
  workers::Workers workers(settings_.pool, supervisor());
  while (const auto answer = co_await workers.next()) {
    if (const auto* began = std::get_if<workers::Began>(&*answer); began && targets_.empty()) settings_.begin(*began);
    std::visit([this](const auto& one) { take(one); }, *answer);
    if (!std::holds_alternative<workers::Tick>(*answer)) continue;
    accusations_.forget_finished();
    counts_ = workers.counts();
    const Pace pace = settings_.pace();
    if (pace == Pace::kFinish) workers.finish();
    if (pace == Pace::kStop) workers.stop();
    if (is_recalled_)
      workers.recall();
    else
      put_work(workers);
    workers.expect_more(accusations_.pending() > 0 || is_recalled_);
  }
  counts_ = workers.counts();
}

/// Hands out work, unless too many accusations wait for their trials.
void Lane::put_work(workers::Workers& workers) {
  while (accusations_.pending() < kMostTrials) {
    const uint64_t count = workers.wants();
    const auto work = count > 0 ? books_.next_work(count) : std::nullopt;
    if (!work) return;
    workers.put(*work, books_.order(*work));
  }
}

/// Without the known tuples, a new worker would report all of them again, half a million. A worker that libFuzzer
/// guides gets none: it asks the libraries about cases with tuples that are new to itself.
void Lane::add_what_is_known(workers::WorkerSettings& worker) const {
  worker.spared = accusations_.spared();
  if (settings_.result.has_begun() && targets_.empty() && worker.corpus.empty())
    worker.seen = known_tuples(settings_.result);
}

/// A lane of some targets counts only deaths and the calls of these targets: the first lane counts the rest.
workers::Counts Lane::counts() const {
  workers::Counts counts = counts_;
  if (targets_.empty()) {
    books_.correct(counts);
    return counts;
  }
  for (const CounterRow& row : kCounters)
    if (row.counter != Counter::kDeaths) counts[row.counter] = 0;
  for (size_t i = 0; i < counts.computed.size(); ++i)
    if (!targets_.contains(settings_.result.roster[i].name)) counts.computed[i] = counts.refused[i] = 0;
  return counts;
}

void Lane::give_up() {
  accusations_.end();
  std::vector<Mismatch> unconfirmed = accusations_.take_untried();
  settings_.kept.keep(books_.give_up(unconfirmed));
  for (Mismatch& one : unconfirmed) {
    one.certificate.alone.runs = 0;
    if (!settings_.kept.row_of(one)) one = without_blame(std::move(one));
  }
  settings_.kept.keep(unconfirmed);
}

/// Whether this lane tells what it sees of the target, and not the lane of all.
bool Lane::speaks_of(const std::string& implementation) const {
  const std::vector<workers::RosterEntry>& roster = settings_.result.roster;
  return targets_.empty() || targets_.contains(implementation) ||
         std::ranges::find(roster, implementation, &workers::RosterEntry::name) == roster.end();
}

void Lane::take(const workers::Sighting& sighting) {
  if (!settings_.result.reference_is_wrong && speaks_of(sighting.mismatch.suspect)) accusations_.accuse(sighting);
}

void Lane::take(const workers::Reported& reported) {
  if (!settings_.result.reference_is_wrong) settings_.kept.keep(books_.complete(reported.work));
}

void Lane::take(const workers::Recalled& recalled) {
  for (const workers::Work& work : recalled.works) books_.recall(work);
  is_recalled_ = false;
}

void Lane::take(const workers::Finished& finished) {
  for (const workers::Refusals& one : finished.done.refusals)
    if (speaks_of(one.implementation)) settings_.result.count(one);
  Ratios own = finished.done.ratios;
  std::erase_if(own, [this](const auto& one) { return !speaks_of(one.first); });
  books_.add(finished.work, own);
  settings_.kept.cover(finished.done, targets_);
}

}  // namespace convict::campaign
