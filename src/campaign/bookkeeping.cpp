// SPDX-License-Identifier: Apache-2.0
#include "campaign/bookkeeping.h"

#include <algorithm>
#include <utility>

#include "core/case_text.h"

namespace convict::campaign {

constexpr int kMostKills = 3;  // of workers on one case by somebody else, e.g. a system short of memory

std::optional<workers::Work> Bookkeeping::next_work(uint64_t count) {
  const Intervals::Gap gap = done_.gap(next_);
  if (gap.first >= shard_.size) return std::nullopt;
  count = std::min({count, gap.count, shard_.size - gap.first});
  next_ = gap.first + count;
  return workers::Work{shard_.first + gap.first * shard_.step, count, shard_.step};
}

workers::Order Bookkeeping::order(const workers::Work& work) const {
  if (work.without == 0) return work;
  workers::GivenCases again;
  again.first = work.first;
  again.cases = {to_text(lost_.at(work.first).c)};
  again.relations = examine::AskedRelations::kOne;
  again.without = work.without;
  return again;
}

std::vector<Mismatch> Bookkeeping::complete(const workers::Work& work) {
  std::vector<Mismatch> hits = std::exchange(unkept_, {});
  const auto cut_off = std::exchange(cut_off_, {});
  // A mismatch ends what is reported at once, so it is of the last of these cases.
  done_.add(position_of(work.first), work.count - (cut_off ? 1 : 0));
  if (cut_off) {
    for (const CounterRow& row : kCounters) undone_[row.counter] += (*cut_off)[row.counter];
    return {};
  }
  if (work.without != 0) {
    const auto lost = lost_.extract(work.first);
    hits.insert(hits.begin(), lost.mapped().deaths.begin(), lost.mapped().deaths.end());
  }
  return hits;
}

std::vector<Mismatch> Bookkeeping::died(const workers::WorkerDeath& death, const Case& lost, Mismatch mismatch,
                                        bool again) {
  if (death.reported) return {std::move(mismatch)};
  Lost& here = lost_.try_emplace(death.index, Lost{lost, {}}).first->second;
  here.deaths.push_back(std::move(mismatch));
  if (again) return {};
  done_.add(position_of(death.index), 1);
  return lost_.extract(death.index).mapped().deaths;
}

const Case* Bookkeeping::lost_case(uint64_t index) const {
  const auto lost = lost_.find(index);
  return lost == lost_.end() ? nullptr : &lost->second.c;
}

bool Bookkeeping::wants_again(uint64_t index) { return ++kills_[index] <= kMostKills; }

void Bookkeeping::correct(PerCounter<uint64_t>& counts) const {
  for (const CounterRow& row : kCounters) counts[row.counter] -= std::min(counts[row.counter], undone_[row.counter]);
}

}  // namespace convict::campaign
