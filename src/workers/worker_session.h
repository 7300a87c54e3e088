// SPDX-License-Identifier: Apache-2.0
//
// The worker's side of the messages: loads the roster, draws or is given cases, examines them one by one, and reports
// to the supervisor.
#pragma once

#include <cstdint>
#include <cstdio>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "core/coverage.h"
#include "core/ratios.h"
#include "examine/pipeline.h"
#include "fill/given_data.h"
#include "run/client.h"
#include "run/environment.h"
#include "run/seal.h"
#include "workers/lookahead.h"
#include "workers/messages.h"

namespace convict::workers {

/// What a worker reports of its cases in sum: who computed and refused how many, how close to the bounds, and which
/// combinations of features they showed.
class WorkerTally {
 public:
  /// Borrows both. Nothing may be added before the subjects are loaded.
  WorkerTally(run::FlightRecord& record, const std::vector<run::Subject>& subjects)
      : record_(record), subjects_(subjects) {}

  void take_over(const KnownTuples& seen);

  /// Adds an examined case to the tally and to the next report. The tally survives the process.
  void add(const examine::Examination& examination);
  /// The same for its tuples, if it was judged. A target that took the case and failed was put to the test as well.
  void cover(const Case& c, const examine::Examination& examination, CoverageOf coverage);

  /// Whether one of the targets has been convicted so far.
  bool has_found() const { return found_; }
  bool has_seen_all(const Levels& levels) const { return coverage_.has_seen_all(levels); }

  /// From now on the CPU time of this process is counted.
  void begin_to_count_time() { counted_from_ns_ = run::cpu_ns(); }
  void count_time() { record_.tally.cpu_ns = run::cpu_ns() - counted_from_ns_; }

  /// What was added since the last call, as the end of an order of `count` cases.
  Done take(uint64_t count);
  /// The same in the middle of an order.
  Done take_before_death();

 private:
  run::FlightRecord& record_;
  const std::vector<run::Subject>& subjects_;
  Coverage coverage_;                                            // what was seen before, and by this process
  std::map<int, Coverage> pairs_;                                // the same by target, of pairs only
  std::map<int, std::vector<uint64_t>> levels_;                  // since the last report
  uint64_t covered_ = 0;                                         // cases added to it since the last report
  bool found_ = false;                                           // a mismatch of a target
  std::map<std::pair<size_t, std::string>, uint64_t> refusals_;  // since the last report
  Ratios ratios_;                                                // since the last report
  uint64_t counted_from_ns_ = 0;
};

/// What a case adds to the counters.
PerCounter<uint64_t> counts_of(const examine::Examination& examination);

/// The outcome of each implementation.
std::vector<ImplementationSummary> summaries_of(const examine::Examination& examination);

/// Reads and writes lines on the two inherited pipes.
class Channel {
 public:
  Channel();
  ~Channel();
  Channel(const Channel&) = delete;
  Channel& operator=(const Channel&) = delete;

  /// Called when other pipes are behind the descriptors. Nothing that came through the old ones may be unread.
  void renew();
  /// Waits for the next line. Returns nullopt once the supervisor has closed the pipe.
  std::optional<std::string> next();
  void send(const WorkerReport& report);

 private:
  run::SealKey key_;  // until the seal has taken it
  run::Seal seal_;
  std::FILE* in_;
  char* line_ = nullptr;
  size_t capacity_ = 0;
};

class WorkerSession {
 public:
  /// Makes this process a worker.
  WorkerSession();

  /// A worker that judges lets OpenMP's waiting threads sleep, unless the user has set OMP_WAIT_POLICY: by default they
  /// spin for longer than a case takes, so that several workers slow each other down. And malloc() hands out memory
  /// that is filled with large numbers, so that a result with something in it that was never written is wrong each
  /// time, in every process (mallopt(3), M_PERTURB), once all is loaded: an arena may be larger than what is ever
  /// touched of it.
  enum class Purpose { kJudge, kMeasure };

  /// Reads the first message, the settings. Loads all implementations and reports the roster. Returns false if that
  /// failed, or if no settings came.
  bool load(Purpose purpose);

  /// Waits for the next order of this kind. Carries out orders of given cases itself; throws for any other kind, which
  /// is a mistake of the supervisor. Ends the process once the supervisor has closed the pipe.
  template <class Wanted>
  Wanted next() {
    return std::get<Wanted>(next_order());
  }

  const WorkerSettings& settings() const { return settings_; }
  const std::vector<run::Subject>& subjects() const { return subjects_; }
  const fill::GivenData* data() const { return data_ ? &*data_ : nullptr; }
  void send(const WorkerReport& report) { channel_.send(report); }

  /// Examines a case of the work in front and reports its mismatches.
  examine::Examination examine_numbered(uint64_t index, const Case& c);
  /// The same for the case that is found for this place (generate/place.h), but it may report later: settle_if_due().
  void examine_drawn(const generate::Sampling& sampling, uint64_t index, uint64_t without);

  /// The case of a place in a campaign, which its target is asked for.
  Case find(const generate::Sampling& sampling, uint64_t index);

  /// How many cases of a campaign look_ahead() may be given at once; 1 if it is of no use, as with operands of the
  /// user's own, which no question ahead of time has.
  size_t reach() const { return lookahead_ && !data_ ? lookahead_->reach() : 1; }
  /// Asks process targets about these cases together (lookahead.h). Called before they are examined; look_back() after.
  void look_ahead(const generate::Sampling& sampling, std::span<const uint64_t> indices, uint64_t without) {
    lookahead_->over_places(sampling, indices, settings_for_asking(without));
  }
  void look_back() { lookahead_->settle(); }

  /// Whether to skip the rest of the work.
  bool has_enough() const { return record_.finishes || (settings_.until_mismatch && worker_tally_.has_found()); }

  /// Ends the work in front: reports its sums. `done`: cases examined; fewer than it has if the rest was skipped.
  void finish(uint64_t done);

  run::FlightRecord& record() { return record_; }

 private:
  /// An examined case that waits for the next look at the process (run/environment.h): no mismatch is reported before.
  struct Unreported {
    uint64_t index;
    uint32_t draw;
    Case c;
    examine::ExaminationSettings settings;
    examine::Examination examination;
  };

  bool begin();
  Loaded load_all();
  void serve_forks(const Loaded& loaded);
  examine::Examination examined(const Case& c, examine::ExaminationSettings settings);
  std::optional<std::string> next_line();
  Order next_order();
  bool deserves_witnesses(const Case& c) const;
  Case find(const generate::Sampling& sampling, uint64_t index, std::optional<examine::EffectOfAsking>& effect);
  /// The settings with which targets are asked about the cases of a campaign.
  examine::ExaminationSettings settings_for_asking(uint64_t without = 0) const {
    return {.most_bytes = settings_.most_bytes(), .without = without, .where = &where_};
  }
  examine::Acceptance answer_to(const Case& c, size_t target, const examine::ExaminationSettings& asking);
  void work_through(const GivenCases& given);
  void examine_quickly(const Case& c, const examine::ExaminationSettings& settings);
  void return_to(const Unreported& one);
  void settle_if_due();
  examine::Examination settle();
  std::string changed_by_libraries();
  void examine_again(const std::string& changed);
  void examine_given(const std::string& line, const GivenCases& given, bool is_last);
  void carry_out(const SurveyTargets& order);
  void linger(const Case& last, examine::Examination& examination);
  void check_names();
  void tell(const examine::Examination& examination);

  Channel channel_;
  WorkerSettings settings_;
  Where where_;
  run::FlightRecord& record_;
  run::KeeperAddress keeper_;
  std::vector<run::Subject> subjects_;
  WorkerTally worker_tally_{record_, subjects_};
  run::GuardedMemory memory_;
  std::optional<Lookahead> lookahead_;
  std::optional<fill::GivenData> data_;
  std::vector<Unreported> unreported_;
  uint64_t examined_ = 0;  // cases since the start of this process
};

// The worker of campaigns and of given cases.

/// The body of the hidden command `worker`. Returns when the supervisor closes the command pipe.
int run_worker();

}  // namespace convict::workers
