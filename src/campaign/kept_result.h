// SPDX-License-Identifier: Apache-2.0
//
// What a campaign has found so far, in the database: what is written when. What the independent checker refutes is a
// bug of convict itself.
#pragma once

#include <fmt/format.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "campaign/bookkeeping.h"
#include "campaign/result.h"
#include "core/coverage.h"
#include "core/timeline.h"
#include "core/verdict.h"
#include "diagnose/row_diagnoses.h"
#include "store/database.h"
#include "store/store.h"
#include "workers/messages.h"

namespace convict::campaign {

/// The first claim that the checker refutes, in words; nothing if it refutes none, or if that would take long.
std::optional<std::string> refuted_claim(const Mismatch& mismatch);

/// The database of a campaign, which another process may have locked for as long as it likes: a vacuum, a large merge.
class PatientStore {
 public:
  /// `tell` is called once, with a note that the database is locked. `interrupted` is borrowed, and may be nullptr.
  PatientStore(std::string path, const std::atomic<bool>* interrupted, std::function<void(const std::string&)> tell)
      : path_(std::move(path)), interrupted_(interrupted), tell_(std::move(tell)) {}

  /// As Store::open().
  void open();
  explicit operator bool() const { return store_.has_value(); }
  store::Store& operator*() { return *store_; }
  const store::Store& operator*() const { return *store_; }
  store::Store* operator->() { return &*store_; }

  /// Runs what uses the database. Returns false if another process has it locked, and for a second from then on.
  bool tried(const std::function<void()>& action);

  /// Runs it as soon as no other process has it locked. Throws store::Locked if the user interrupts that.
  void insist(const std::function<void()>& action);

 private:
  void tell();

  std::string path_;
  const std::atomic<bool>* interrupted_;
  std::function<void(const std::string&)> tell_;
  std::optional<store::Store> store_;
  std::chrono::steady_clock::time_point try_again_;
  bool has_told_ = false;
};

class KeptResult {
 public:
  /// All are borrowed. `progress` tells the user of the result.
  KeptResult(const CampaignSettings& settings, CampaignResult& result, std::function<void()> progress)
      : settings_(settings),
        result_(result),
        store_(settings.database, settings.supervisor.interrupted, [&result, progress](const std::string& note) {
          result.notes.push_back(note);
          progress();
        }) {}

  /// Which cases are done is written from these books, which are borrowed: those of the first lane (no `targets`), then
  /// those of the other lanes.
  void add_books(const std::set<std::string>& targets, Bookkeeping& books) { books_.emplace_back(targets, &books); }

  /// The campaign of this number, which no other process may run from now on. Throws UsageError if there is none to
  /// resume.
  store::StoredCampaign take_over(int64_t id);
  void resume(Timeline timeline) { timeline_ = std::move(timeline); }

  /// What earlier campaigns of the profile have covered. Opens the database, which must exist.
  store::StoredCoverage earlier_coverage();

  /// Creates the database if there is none, and begins the campaign there or goes on with the one that was taken over.
  /// The result has the roster and the standings.
  void begin(const store::CampaignInfo& info);

  /// Keeps hits of cases that are done. Writes them at once if one had a trial: it may make a row, which others of its
  /// kind look for.
  void keep(const std::vector<Mismatch>& hits);
  /// The row that would get this hit.
  std::optional<store::RowOfHit> row_of(const Mismatch& hit);
  /// The kind (Confirmations) of all hits of a row: the row; of one that this campaign made, the signature of its first
  /// hit, for that is what was confirmed.
  std::string kind_of_row(int64_t row) {
    return kind_of_row_.try_emplace(row, fmt::format("row {}", row)).first->second;
  }
  void confirm(int64_t row, int64_t as);
  /// The rows that campaigns before this one had no time to repeat.
  std::map<int64_t, Mismatch> unconfirmed() const { return unconfirmed_in(*store_, result_.roster); }

  /// The rows of these targets that are tried again first.
  std::vector<OpenRow> open_rows() const {
    return campaign::open_rows(*store_, result_.roster, Where::parse(settings_.supervisor.worker.where));
  }
  void note(Replayed replayed);

  /// Tuples of the cases of the first lane (no `targets`), or of those of some targets.
  void cover(const workers::Done& done, const std::set<std::string>& targets);
  void take(store::StoredCoverage stored);

  /// Writes what is due.
  void keep_up();
  /// Writes hits, and that their cases are done, unless another program has the database locked. Beyond 20,000 hits it
  /// waits for that to end.
  void write();
  /// Writes everything, at the end.
  void close(store::CampaignState state);
  /// Writes that the campaign has failed, without what is done: its hits may not have been kept.
  void fail();

  /// Goes on explaining while `may_go_on`, and calls `progress` meanwhile.
  void finish_explaining(const std::function<bool()>& may_go_on, const std::function<void()>& progress);

 private:
  using Clock = std::chrono::steady_clock;

  void own(int64_t id);
  void write_hits();
  store::DoneCases done() const;
  void save(store::CampaignState state);
  void save_coverage();
  void note_moment();
  void note(const Mismatch& hit, const store::Recorded& recorded);
  void note_causes();
  void store_diagnoses();
  void show_rows();

  const CampaignSettings& settings_;
  CampaignResult& result_;
  std::vector<std::pair<std::set<std::string>, Bookkeeping*>> books_;  // by lane; no targets: the first
  std::optional<store::Ownership> ownership_;  // outlives the store
  PatientStore store_;
  Timeline timeline_;
  Coverage unsaved_;                                  // counted since it was last saved
  nlohmann::json judged_ = nlohmann::json::object();  // of the standings, as last saved
  std::vector<Mismatch> unkept_;                      // hits of cases that are done, and not in the database yet
  std::map<int64_t, std::string> kind_of_row_;
  std::optional<diagnose::RowDiagnoses> diagnoses_;
  struct {
    Clock::time_point hits, counts, coverage;
  } last_;  // written
};

}  // namespace convict::campaign
