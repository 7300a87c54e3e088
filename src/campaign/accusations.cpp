// SPDX-License-Identifier: Apache-2.0
#include "campaign/accusations.h"

#include <fmt/format.h>

#include "campaign/own_evidence.h"
#include "workers/history.h"

namespace convict::campaign {

void Accusations::accuse(const workers::Sighting& sighting) {
  const Mismatch& seen = sighting.mismatch;
  const uint64_t index = sighting.index;
  // Contradicted here, too, where no plugin has run: this ends the campaign.
  if (seen.blame == Blame::kReference && refuted_claim(seen)) return settings_.books.add(index, seen);
  const Kind kind = kind_of(seen);
  if (auto settled = confirmations_.known(seen, kind.name, kind.is_shown))
    return settings_.books.add(index, *std::move(settled));
  const int number = settings_.books.accuse(index, seen, sighting.counts);
  if (!is_ending_)
    trials_.start(confirm(index, number, seen, sighting.before, workers::draws_in(sighting.record)));
}

/// What is confirmed is a row. One that this campaign made has been confirmed as its signature.
Accusations::Kind Accusations::kind_of(const Mismatch& seen) {
  const auto row = settings_.row_of(seen);
  if (!row) return {signature(seen), true};
  const auto [kind, inserted] = kind_of_row_.try_emplace(row->id, fmt::format("row {}", row->id));
  // A simpler line of a row is shown in place of the row's own, unless that is shrunk, which repeats what it shows.
  const bool is_shrunk = settings_.shrinks && seen.verdict != Verdict::kAcceptsInvalid;
  return {kind->second, row->would_show && !is_shrunk};
}

Task<void> Accusations::confirm(uint64_t index, int number, Mismatch seen, std::vector<workers::Work> before,
                                workers::Draws draws) {
  const auto turn = co_await settings_.pool.turn(seen.suspect, workers::is_of_cost(seen.verdict));
  const Kind kind = kind_of(seen);
  const auto earlier = [&] {
    return workers::earlier_lines(before, workers::sampled_lines(settings_.supervisor.worker, false, draws));
  };
  Mismatch found = co_await confirmations_.checked(seen, kind.name, kind.is_shown, settings_.roster, earlier);
  if (is_interrupted()) co_return;  // which proves nothing: the case stays open
  settings_.keep(settings_.books.settle(index, number, std::move(found)));
}

void Accusations::accuse(const workers::WorkerDeath& death) {
  // Of a case that is examined again, the dead process knew the line, and not which draw it was.
  const Case* again = settings_.books.lost_case(death.index);
  const Case lost = again ? *again : workers::lost_case(death, settings_.supervisor.worker);
  const Mismatch suspected = workers::first_suspicion(death, lost, settings_.roster);
  const int number = death.reported ? 0 : settings_.books.lose(death, lost, suspected);
  if (auto likely = known(death, suspected)) return settle(death, lost, number, *std::move(likely));
  if (!is_ending_) return trials_.start(attribute(death, lost, number));
  if (death.reported) untried_.push_back(suspected);
}

std::optional<Mismatch> Accusations::known(const workers::WorkerDeath& death, const Mismatch& suspected) const {
  if (death.from_outside) return std::nullopt;
  auto likely = attributions_.known(suspected);
  return likely && settings_.row_of(*likely) ? likely : std::nullopt;
}

Task<void> Accusations::attribute(workers::WorkerDeath death, Case lost, int number) {
  const Mismatch suspected = workers::first_suspicion(death, lost, settings_.roster);
  const auto turn = co_await settings_.pool.turn(suspected.suspect, workers::is_of_cost(death.verdict));
  auto likely = known(death, suspected);  // by the trials before this one
  if (!likely) {
    const auto lines =
        workers::sampled_lines(settings_.supervisor.worker, !death.case_text.empty(), death.draws);
    likely = co_await attributions_.attributed(settings_.pool, death, lost, settings_.roster, settings_.supervisor,
                                               lines);
  }
  if (is_interrupted()) co_return;
  settle(death, lost, number, *std::move(likely));
}

void Accusations::settle(const workers::WorkerDeath& death, const Case& lost, int number, Mismatch found) {
  if (found.blame == Blame::kOracle) spared_.insert(examine::kind_of_case(found.suspect, found.problem_case));
  if (death.reported) return settings_.keep({found});
  const uint64_t without = workers::without_dead(death, found, settings_.roster);
  if (without != 0) settings_.note_death(found.suspect, lost);
  settings_.keep(settings_.books.settle_death(death.index, number, std::move(found), without));
}

void Accusations::end() {
  is_ending_ = true;
  trials_.drop_all();
}

}  // namespace convict::campaign
