// SPDX-License-Identifier: Apache-2.0
#include "campaign/lane.h"

#include <algorithm>
#include <utility>

#include "campaign/result.h"

namespace convict::campaign {

constexpr size_t kMostTrials = 20'000;  // that wait

Lane::Lane(const LaneSettings& settings, Bookkeeping books, std::set<std::string> targets)
    : settings_(settings),
      books_(std::move(books)),
      targets_(std::move(targets)),
      accusations_(
          {settings_.pool, settings_.supervisor, settings_.roster, books_, settings_.result, settings_.shrinks}) {
  settings_.result.add_books(targets_, books_);
}

Task<void> Lane::work() {
  workers::SupervisorSettings supervisor = settings_.supervisor;
  if (!targets_.empty()) {
    supervisor.worker.gives_way = true;
    supervisor.worker.coverage = workers::CoverageOf::kTargets;
  }
  counts_ = co_await workers::supervised(settings_.pool, *this, supervisor);
}

/// The cases are those of the lane of everybody, and who else is called on them is counted there.
workers::Counts Lane::counts() const {
  workers::Counts counts = counts_;
  if (targets_.empty()) {
    books_.correct(counts);
    return counts;
  }
  for (const CounterRow& row : kCounters)
    if (row.counter != Counter::kDeaths) counts[row.counter] = 0;
  for (size_t i = 0; i < counts.computed.size(); ++i)
    if (!targets_.contains(settings_.roster[i].name)) counts.computed[i] = counts.refused[i] = 0;
  return counts;
}

void Lane::give_up() {
  accusations_.end();
  std::vector<Mismatch> unconfirmed = accusations_.take_untried();
  settings_.result.keep(books_.give_up(unconfirmed));
  for (Mismatch& one : unconfirmed) {
    one.certificate.alone.runs = 0;
    if (!settings_.result.row_of(one)) one = workers::of_nobody(std::move(one));
  }
  settings_.result.keep(unconfirmed);
}

void Lane::on_roster(const std::vector<workers::RosterEntry>& roster, const std::vector<std::string>& notes) {
  if (targets_.empty()) settings_.begin(roster, notes);
}

/// Whoever is accused much faster than tried has to wait.
std::optional<workers::Work> Lane::next_work(uint64_t count) {
  return accusations_.pending() < kMostTrials ? books_.next_work(count) : std::nullopt;
}

/// Whether what is seen of it is told here, and not in the lane of everybody.
bool Lane::speaks_of(const std::string& implementation) const {
  return targets_.empty() || targets_.contains(implementation) ||
         std::ranges::find(settings_.roster, implementation, &workers::RosterEntry::name) == settings_.roster.end();
}

void Lane::on_mismatch(const workers::Sighting& sighting) {
  if (!settings_.result.is_at_an_end() && speaks_of(sighting.mismatch.suspect)) accusations_.accuse(sighting);
}

void Lane::on_reported(const workers::Work& work) {
  if (!settings_.result.is_at_an_end()) settings_.result.keep(books_.complete(work));
}

void Lane::on_refusals(const std::vector<workers::Refusals>& refusals) {
  for (const workers::Refusals& one : refusals)
    if (speaks_of(one.implementation)) settings_.result.count(one);
}

void Lane::on_ratios(const workers::Work& work, const Ratios& ratios) {
  Ratios own = ratios;
  std::erase_if(own, [this](const auto& one) { return !speaks_of(one.first); });
  books_.add(work, own);
}

/// A new worker would tell of all tuples again, half a million. One that libFuzzer guides has the libraries see what
/// is new to it, so it begins with nothing.
workers::KnownTuples Lane::known_tuples() const {
  if (!settings_.result.has_begun() || !targets_.empty() || !settings_.supervisor.worker.corpus.empty()) return {};
  return settings_.result.known_tuples();
}

workers::Assignment::Next Lane::on_tick(const workers::Counts& counts) {
  accusations_.forget_finished();
  counts_ = counts;
  return settings_.pace();
}

}  // namespace convict::campaign
