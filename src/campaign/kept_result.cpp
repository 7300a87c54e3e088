// SPDX-License-Identifier: Apache-2.0
#include "campaign/kept_result.h"

#include <algorithm>
#include <thread>

#include "certificate/check.h"
#include "core/error.h"
#include "core/geometry.h"
#include "core/layout.h"
#include "core/text.h"
#include "diagnose/known.h"
#include "store/sqlite.h"

namespace convict::campaign {
namespace {

constexpr double kMostBytes = 64.0 * (1 << 20);  // of operands, which are drawn again in the supervisor

bool takes_long(const Case& c) {
  const Resolved resolved = resolve(c);
  return resolved.why_not || examination_bytes(describe_tensors(c, resolved.problem), resolved.problem) > kMostBytes;
}

}  // namespace

std::optional<std::string> refuted_claim(const Mismatch& mismatch) {
  if (!mismatch.certificate.element.at || takes_long(mismatch.problem_case)) return std::nullopt;
  const auto check =
      certificate::check_certificate(mismatch.problem_case, mismatch.verdict, mismatch.certificate);
  if (!check.refuted()) return std::nullopt;
  return *std::ranges::find_if(check.lines, [](const std::string& line) {
    return line.find(": REFUTED: ") != std::string::npos;
  });
}

namespace {

using nlohmann::json;
using store::CampaignState;

constexpr size_t kMostUnkept = 2000;  // hits before they are written
constexpr size_t kMostWaiting = 20'000;  // hits, while another process has the database locked
constexpr auto kBetweenWrites = std::chrono::milliseconds(100);
constexpr auto kBetweenCounts = std::chrono::seconds(1);
constexpr auto kBetweenCoverage = std::chrono::seconds(5);  // that a kill -9 may cost

}  // namespace

constexpr auto kPatience = std::chrono::seconds(1);  // before the lock is reported, and between tries

void PatientStore::tell() {
  if (!std::exchange(has_told_, true))
    tell_(fmt::format("database '{}' is locked by another process; what is found waits for its end",
                      printable(path_, 200)));
}

bool PatientStore::tried(const std::function<void()>& action) {
  if (std::chrono::steady_clock::now() < try_again_) return false;
  try {
    action();
    return true;
  } catch (const store::Locked&) {
    tell();
    try_again_ = std::chrono::steady_clock::now() + kPatience;
    return false;
  }
}

void PatientStore::insist(const std::function<void()>& action) {
  for (;;) try {
      return action();
    } catch (const store::Locked&) {
      if (interrupted_ && *interrupted_) throw;
      tell();
    }
}

void PatientStore::open() {
  insist([this] { store_ = store::Store::open(path_, kPatience); });
}

std::optional<store::RowOfHit> KeptResult::row_of(const Mismatch& hit) {
  std::optional<store::RowOfHit> row;
  store_.insist([&] { row = store_->row_of(result_.id, hit); });
  return row;
}

void KeptResult::confirm(int64_t row, int64_t as) {
  store_.insist([&] { store_->confirm(row, as); });
}

void KeptResult::own(int64_t id) {
  ownership_ = store::Ownership::take(settings_.database, id);
  if (!ownership_)
    throw UsageError(fmt::format("campaign {} of database '{}' is being run by another process; wait for it to end", id,
                                 printable(settings_.database, 200)));
}

/// Owns the campaign before it reads it: no other process can resume it in between.
store::StoredCampaign KeptResult::take_over(int64_t id) {
  own(id);
  store_.open();
  auto before = store_->campaign(id);
  if (!before || before->is_finished())
    throw UsageError(fmt::format("campaign {} of database '{}' is {}; there is nothing to resume", id,
                                 printable(settings_.database, 200), before ? before->state : "gone"));
  take(store_->coverage(before->info.profile));
  result_.found = found_in(*store_, id, result_.notes);
  note_causes();
  return *std::move(before);
}

store::StoredCoverage KeptResult::earlier_coverage() {
  store_.open();
  return store_->coverage(settings_.supervisor.worker.profile);
}

void KeptResult::begin(const store::CampaignInfo& info) {
  judged_ = to_json(result_.standings);
  if (!store_) store_.open();
  const std::vector<Cause> known = diagnose::with_inherited(settings_.known, result_.roster);
  store_.insist([&] { store_->know(known); });
  if (settings_.resumed) {
    result_.id = *settings_.resumed;
    const json counts = counts_of(result_, done().all.count());
    store_.insist([&] { store_->update_campaign(result_.id, counts, CampaignState::kRunning); });
  } else {
    store_.insist([&] { result_.id = store_->begin_campaign(info); });
    own(result_.id);
  }
  if (settings_.shrink_time.count() > 0) {
    diagnoses_.emplace(*store_, result_.roster, result_.notes, settings_.supervisor, settings_.shrink_time);
    diagnoses_->diagnose_unexplained();
  }
  last_.counts = last_.coverage = Clock::now();
  note_moment();
}

store::DoneCases KeptResult::done() const {
  store::DoneCases done{books_.front().second->done()};
  for (const auto& [targets, books] : books_)
    for (const std::string& target : targets) {
      Intervals& own = done.apart[target] = books->done();
      own.add(books->elsewhere().common_with(done.all));
    }
  return done;
}

void KeptResult::keep(const std::vector<Mismatch>& hits) {
  unkept_.insert(unkept_.end(), hits.begin(), hits.end());
  const auto had_a_trial = [](const Mismatch& one) {
    return one.certificate.alone.runs.value_or(0) > 0 || one.blame == Blame::kReference;
  };
  if (unkept_.size() > kMostUnkept || std::ranges::any_of(hits, had_a_trial)) write();
}

void KeptResult::write() {
  if (unkept_.size() > kMostWaiting)
    store_.insist([this] { write_hits(); });
  else
    store_.tried([this] { write_hits(); });
}

void KeptResult::write_hits() {
  last_.hits = Clock::now();
  if (unkept_.empty()) return;
  const store::DoneCases cases = done();
  const std::vector<store::Recorded> recorded =
      store_->record(result_.id, unkept_, cases, counts_of(result_, cases.all.count()));
  const std::vector<Mismatch> hits = std::exchange(unkept_, {});
  for (size_t i = 0; i < hits.size(); ++i) note(hits[i], recorded[i]);
}

void KeptResult::note(const Mismatch& hit, const store::Recorded& recorded) {
  const auto [entry, inserted] = result_.found.try_emplace(recorded.id);
  if (inserted) {
    entry->second = {hit, recorded.id, signature(hit), 0, recorded.first_ever, recorded.status, "", recorded.cause, ""};
    if (recorded.cause && !result_.causes.contains(*recorded.cause)) note_causes();
    if (const auto claim = refuted_claim(hit))
      result_.notes.push_back(fmt::format(
          "a bug of convict itself: its checker refutes the certificate of mismatch {} ({}); please report it",
          recorded.id, *claim));
  }
  ++entry->second.hits;
  kind_of_row_.try_emplace(recorded.id, signature(hit));
  result_.reference_is_wrong |= hit.blame == Blame::kReference;
  if (diagnoses_ && !recorded.explained) diagnoses_->diagnose(recorded.id, hit);
}

void KeptResult::note_causes() {
  for (const store::CauseRow& cause : store_->causes()) result_.causes[cause.id] = cause;
}

void KeptResult::note(Replayed replayed) {
  store_.insist([&] { store_->note_replay(replayed.id, result_.id, replayed.gone); });
  result_.replayed.push_back(std::move(replayed));
}

void KeptResult::cover(const workers::Done& done, const std::set<std::string>& targets) {
  if (targets.empty()) {
    unsaved_.apply(done.tuples.ids, done.covered);
    result_.coverage.apply(done.tuples.ids, done.covered);
  }
  const auto standing = [&](int position) -> Standing* {
    Standing* one = result_.standing_of(static_cast<size_t>(position));
    const bool is_wanted =
        targets.empty() || (one && targets.contains(result_.roster[static_cast<size_t>(position)].name));
    return is_wanted ? one : nullptr;
  };
  for (const auto& [target, news] : done.pairs)
    if (Standing* one = standing(target)) one->pairs.apply(news.ids);
  for (const auto& [target, counts] : done.levels)
    if (Standing* one = standing(target)) one->add_levels(counts);
}

void KeptResult::take(store::StoredCoverage stored) {
  if (!stored.replaced.empty() && std::ranges::find(result_.notes, stored.replaced) == result_.notes.end())
    result_.notes.push_back(stored.replaced);
  result_.coverage = std::move(stored.coverage);
}

void KeptResult::keep_up() {
  const Clock::time_point now = Clock::now();
  if (now - last_.hits > kBetweenWrites) write();
  if (!result_.has_begun()) return;
  if (now - last_.counts > kBetweenCounts) store_.tried([this] { save(CampaignState::kRunning); });
  if (now - last_.coverage > kBetweenCoverage) store_.tried([this] { save_coverage(); });
  store_diagnoses();
}

/// Cases are done once their hits are written.
void KeptResult::save(CampaignState state) {
  write_hits();
  note_moment();
  Ratios ratios;
  for (const auto& [targets, books] : books_)
    for (const auto& [name, histogram] : books->ratios()) ratios[name] += histogram;
  const store::DoneCases cases = done();
  store_->update_campaign(result_.id, counts_of(result_, cases.all.count()), state,
                          {cases, timeline_, ratios, judged_});
  last_.counts = Clock::now();
}

void KeptResult::save_coverage() {
  last_.coverage = Clock::now();
  judged_ = to_json(result_.standings);
  if (unsaved_.cases() == 0) return;
  take(store_->add_coverage(settings_.supervisor.worker.profile, unsaved_));
  unsaved_ = Coverage();
}

void KeptResult::note_moment() {
  const uint32_t pairs = result_.coverage.seen_pairs();
  timeline_.add({result_.seconds, done().all.count(), pairs, result_.coverage.seen() - pairs});
}

void KeptResult::close(CampaignState state) {
  store_.insist([this] { write_hits(); });
  store_.insist([this] { show_rows(); });
  store_.insist([this] { save_coverage(); });
  store_.insist([&] { save(state); });
}

/// Throws nothing: the error that led here is what the user has to see.
void KeptResult::fail() try {
  if (!result_.has_begun()) return;
  store_->update_campaign(result_.id, counts_of(result_, done().all.count()), CampaignState::kFailed);
} catch (const std::runtime_error&) {  // of the file or the disk
}

/// What the database knows by now of what this campaign has seen: rows have been split and joined meanwhile.
void KeptResult::show_rows() {
  store_->join_causes();
  result_.found = found_in(*store_, result_.id, result_.notes);
  note_causes();
}

void KeptResult::store_diagnoses() {
  if (!diagnoses_) return;
  store_.tried([this] { diagnoses_->store_finished(); });
  result_.explaining = diagnoses_->present();
}

/// With --time, only mismatches of targets are explained.
void KeptResult::finish_explaining(const std::function<bool()>& may_go_on, const std::function<void()>& progress) {
  if (!diagnoses_) return;
  if (settings_.time) diagnoses_->keep_to_targets();
  while (!diagnoses_->idle() && may_go_on()) {
    store_diagnoses();
    progress();
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  store_diagnoses();
  if (diagnoses_->ran_out() && !settings_.supervisor.is_interrupted())
    result_.notes.push_back(
        "time was up before all was explained (--shrink, --time); the next campaign goes on, or `convict explain`");
  diagnoses_.reset();
}

}  // namespace convict::campaign
