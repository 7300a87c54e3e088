// SPDX-License-Identifier: Apache-2.0
#include "campaign/bookkeeping.h"

#include <algorithm>

#include "core/case_text.h"

namespace convict::campaign {

std::optional<workers::Work> Bookkeeping::next_work(uint64_t count) {
  if (!again_.empty()) {
    const workers::Work work = again_.front();
    again_.pop_front();
    return work;
  }
  const Intervals::Gap gap = handed_out_.gap(0);
  if (gap.first >= shard_.size) return std::nullopt;
  count = std::min({count, gap.count, shard_.size - gap.first});
  handed_out_.add(gap.first, count);
  return workers::Work{shard_.first + gap.first * shard_.step, count, shard_.step, without_};
}

void Bookkeeping::recall(const workers::Work& work) { handed_out_.remove(position_of(work.first), work.count); }

workers::Order Bookkeeping::order(const workers::Work& work) const {
  const Case* lost = lost_case(work.first);
  if (!lost) return work;
  workers::GivenCases again;
  again.first = work.first;
  again.cases = {to_text(*lost)};
  again.relations = examine::AskedRelations::kOne;
  again.without = work.without;
  return again;
}

void Bookkeeping::add(uint64_t index, Mismatch mismatch) { open_[index].hits.push_back(std::move(mismatch)); }

int Bookkeeping::accuse(uint64_t index, const Mismatch& seen, const PerCounter<uint64_t>& counts) {
  Open& one = open_[index];
  one.counts = counts;
  one.accusations.emplace(++accusations_, seen);
  return accusations_;
}

std::vector<Mismatch> Bookkeeping::settle(uint64_t index, int number, Mismatch found) {
  Open& one = open_.at(index);
  one.accusations.erase(number);
  one.hits.push_back(std::move(found));
  return close_if_complete(index);
}

std::vector<Mismatch> Bookkeeping::close_if_complete(uint64_t index) {
  const auto found = open_.find(index);
  if (!found->second.is_told || !found->second.accusations.empty()) return {};
  std::vector<Mismatch> hits = std::move(found->second.hits);
  if (!found->second.is_counted) ++uncounted_;
  open_.erase(found);
  done_.add(position_of(index), 1);
  return hits;
}

std::vector<Mismatch> Bookkeeping::complete(const workers::Work& work) {
  std::vector<Mismatch> hits;
  uint64_t next = 0;  // of the cases of the work that are not done yet
  for (auto one = open_.lower_bound(work.first); one != open_.end() && work.contains(one->first);) {
    const uint64_t index = (one++)->first, place = (index - work.first) / work.step;
    if (place > next) done_.add(position_of(work.first) + next, place - next);
    next = place + 1;
    open_.at(index).is_told = true;
    std::ranges::move(close_if_complete(index), std::back_inserter(hits));
  }
  if (work.count > next) done_.add(position_of(work.first) + next, work.count - next);
  return hits;
}

int Bookkeeping::lose(const workers::WorkerDeath& death, const Case& lost, const Mismatch& suspected) {
  Open& one = open_[death.index];
  one.lost = lost;
  one.is_counted = death.counted;
  one.is_told = false;
  one.accusations.emplace(++accusations_, suspected);
  return accusations_;
}

std::vector<Mismatch> Bookkeeping::settle_death(uint64_t index, int number, Mismatch found, uint64_t without) {
  Open& one = open_.at(index);
  one.accusations.erase(number);
  one.hits.push_back(std::move(found));
  one.is_told = without == 0;
  if (without != 0) {
    one.is_counted = true;  // the worker that examines it again counts it
    again_.push_back({index, 1, shard_.step, without});
  }
  return close_if_complete(index);
}

const Case* Bookkeeping::lost_case(uint64_t index) const {
  const auto found = open_.find(index);
  return found == open_.end() || !found->second.lost ? nullptr : &*found->second.lost;
}

std::vector<Mismatch> Bookkeeping::give_up(std::vector<Mismatch>& unconfirmed) {
  std::vector<Mismatch> hits;
  for (auto one = open_.begin(); one != open_.end();) {
    const uint64_t index = one->first;
    Open& open = (one++)->second;
    for (auto& [number, seen] : std::exchange(open.accusations, {})) unconfirmed.push_back(std::move(seen));
    open.is_told = true;
    std::ranges::move(close_if_complete(index), std::back_inserter(hits));
  }
  return hits;
}

const Ratios& Bookkeeping::ratios() {
  std::erase_if(of_work_, [this](const auto& one) {
    if (has_open(one.first)) return false;
    for (const auto& [name, histogram] : one.second) ratios_[name] += histogram;
    return true;
  });
  return ratios_;
}

bool Bookkeeping::has_open(const workers::Work& work) const {
  const auto first = open_.lower_bound(work.first);
  return first != open_.end() && work.contains(first->first);
}

void Bookkeeping::correct(PerCounter<uint64_t>& counts) const {
  counts[Counter::kCases] += uncounted_;
  for (const auto& [index, one] : open_)
    for (const CounterRow& row : kCounters)
      counts[row.counter] -= std::min(counts[row.counter], one.counts[row.counter]);
}

}  // namespace convict::campaign
