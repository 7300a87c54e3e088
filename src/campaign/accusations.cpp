// SPDX-License-Identifier: Apache-2.0
#include "campaign/accusations.h"

#include <algorithm>
#include <iterator>

#include "core/plugin_name.h"
#include "workers/lone_run.h"

namespace convict::campaign {

constexpr size_t kMostTried = 4;  // of the waiting accusations of one kind

std::chrono::seconds grace_for(const std::vector<workers::RosterEntry>& roster) {
  const auto runs_there = [](const workers::RosterEntry& entry) { return is_client(entry.plugin); };
  return std::chrono::seconds(std::ranges::any_of(roster, runs_there) ? 4 : 1);
}

void Accusations::accuse(const workers::Sighting& sighting) {
  const Mismatch& seen = sighting.mismatch;
  const uint64_t index = sighting.index;
  // The checker contradicts the reference in this process, too, where no plugin has run: that ends the campaign.
  if (seen.blame == Blame::kReference && refuted_claim(seen)) return books_.add(index, seen);
  const workers::KindOfAccusation kind = kind_of(seen);
  if (auto settled = confirmations_.settle_without_trial(seen, kind))
    return books_.add(index, *std::move(settled));
  const int number = books_.accuse(index, seen, sighting.counts);
  if (is_ending_) return;
  const auto others = alike_.find(kind.name);
  // Only the first that wait may get trials of their own, for which they need their history.
  const bool may_be_tried = others == alike_.end() || others->second.size() < kMostTried;
  Accusation accusation{index, number, seen, {}, {}};
  if (may_be_tried) {
    accusation.before = sighting.before;
    accusation.draws = workers::draws_in(*sighting.record);
  }
  if (others == alike_.end()) return put_on_trial(std::move(accusation), kind.name);
  others->second.push_back(std::move(accusation));
  ++waiting_;
}

workers::KindOfAccusation Accusations::kind_of(const Mismatch& seen) {
  const auto row = settings_.kept.row_of(seen);
  if (!row) return {signature(seen), true};
  // A simpler line of a row is shown in place of the row's own, unless that is shrunk, which repeats what it shows.
  const bool is_shrunk = settings_.shrinks && seen.verdict != Verdict::kAcceptsInvalid;
  return {settings_.kept.kind_of_row(row->id), row->would_show && !is_shrunk};
}

void Accusations::put_on_trial(Accusation accusation, const std::string& kind) {
  alike_.try_emplace(kind);
  trials_.start(confirm(std::move(accusation), kind));
}

Task<void> Accusations::confirm(Accusation one, std::string kind) {
  const auto turn = co_await settings_.pool.turn(one.seen.suspect, is_of_cost(one.seen.verdict));
  const workers::KindOfAccusation now = kind_of(one.seen);  // a trial before this one may have made a row
  const auto earlier = [&] {
    return workers::earlier_lines(one.before, workers::sampled_lines(settings_.supervisor.worker, one.draws));
  };
  Mismatch found = co_await confirmations_.checked(one.seen, now, settings_.result.roster, earlier);
  if (settings_.supervisor.is_interrupted()) co_return;  // which proves nothing: the case stays open
  settings_.kept.keep(books_.settle(one.index, one.number, std::move(found)));
  settle_alike(kind);
}

/// Settles the accusations that waited for this trial. If the kind is due for another trial, one of them gets it, and
/// the others wait for that.
void Accusations::settle_alike(const std::string& kind) {
  std::vector<Accusation> alike = std::move(alike_.extract(kind).mapped());
  waiting_ -= alike.size();
  std::vector<Mismatch> hits;
  for (Accusation& one : alike) {
    const workers::KindOfAccusation now = kind_of(one.seen);
    if (auto settled = confirmations_.settle_without_trial(one.seen, now)) {
      std::ranges::move(books_.settle(one.index, one.number, *std::move(settled)), std::back_inserter(hits));
    } else if (const auto others = alike_.find(now.name); others != alike_.end()) {
      others->second.push_back(std::move(one));
      ++waiting_;
    } else {
      put_on_trial(std::move(one), now.name);
    }
  }
  settings_.kept.keep(hits);
}

Task<void> Accusations::repeat(int64_t row, Mismatch seen) {
  const auto turn = co_await settings_.pool.turn(seen.suspect, is_of_cost(seen.verdict));
  const auto nothing = [] { return std::vector<std::string>{}; };
  const workers::KindOfAccusation kind{signature(seen), true};
  const Mismatch found = co_await confirmations_.checked(seen, kind, settings_.result.roster, nothing);
  if (settings_.supervisor.is_interrupted()) co_return;
  settings_.kept.keep({found});
  const auto home = settings_.kept.row_of(found);
  if (found.blame != Blame::kNobody && home) settings_.kept.confirm(row, home->id);
}

Task<void> Accusations::replay(OpenRow row) {
  const auto turn = co_await settings_.pool.turn(row.mismatch.suspect, is_of_cost(row.mismatch.verdict));
  if (auto result = co_await replayed(settings_.pool, row, settings_.supervisor))
    settings_.kept.note(*std::move(result));
}

void Accusations::accuse(const workers::WorkerDeath& death) {
  // The draws of the dead process do not lead to a case that is examined again: it was handed out by its line.
  const Case* again = books_.lost_case(death.index);
  const Case lost = again ? *again : workers::lost_case(death, settings_.supervisor.worker);
  const Mismatch suspected = workers::first_suspicion(death, lost, settings_.result.roster);
  settings_.result.note_loss(suspected.suspect, death.lost_seconds);
  const int number = death.reported ? 0 : books_.lose(death, lost, suspected);
  if (auto likely = without_trial(death, suspected)) return settle(death, lost, number, *std::move(likely));
  if (!is_ending_) return trials_.start(attribute(death, lost, number));
  if (death.reported) untried_.push_back(suspected);
}

std::optional<Mismatch> Accusations::without_trial(const workers::WorkerDeath& death,
                                                   const Mismatch& suspected) const {
  if (death.from_outside()) return std::nullopt;
  auto likely = attributions_.without_trial(suspected);
  return likely && settings_.kept.row_of(*likely) ? likely : std::nullopt;
}

Task<void> Accusations::attribute(workers::WorkerDeath death, Case lost, int number) {
  const Mismatch suspected = workers::first_suspicion(death, lost, settings_.result.roster);
  const auto turn = co_await settings_.pool.turn(suspected.suspect, is_of_cost(death.verdict));
  auto likely = without_trial(death, suspected);  // by the trials before this one
  if (!likely) {
    const auto lines = workers::sampled_lines(settings_.supervisor.worker, death.draws);
    likely = co_await attributions_.attributed(settings_.pool, death, lost, settings_.result.roster,
                                               settings_.supervisor, lines);
  }
  if (settings_.supervisor.is_interrupted()) co_return;
  settle(death, lost, number, *std::move(likely));
}

void Accusations::settle(const workers::WorkerDeath& death, const Case& lost, int number, Mismatch found) {
  if (found.blame == Blame::kOracle) spared_.insert(examine::kind_of_case(found.suspect, found.problem_case));
  settings_.result.note_death(found.suspect, lost);
  if (death.reported) return settings_.kept.keep({found});
  const uint64_t without = workers::without_dead(death, found, settings_.result.roster);
  settings_.kept.keep(books_.settle_death(death.index, number, std::move(found), without));
}

void Accusations::end() {
  is_ending_ = true;
  trials_.drop_all();
  alike_.clear();
  waiting_ = 0;
}

}  // namespace convict::campaign
