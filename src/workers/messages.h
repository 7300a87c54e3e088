// SPDX-License-Identifier: Apache-2.0
//
// The messages between a supervisor and its workers: one JSON object per line, written and read here only.
//
//   supervisor            worker
//   WorkerSettings   ->
//                    <-   Loaded or NotLoaded
//   Order            ->
//                    <-   for each case with mismatches: CaseMismatches, all of the case at once;
//                         for given cases: CaseReport before it; for layers: LayerReport
//                    <-   Surveyed, if that was asked
//                    <-   Done
//
// Reports come in the order of the cases.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "core/counters.h"
#include "core/ratios.h"
#include "core/verdict.h"
#include "examine/spared.h"
#include "generate/generate.h"
#include "generate/survey.h"
#include "run/loader.h"

namespace convict::workers {

/// Numbers as a short text, in rising order: each as its distance from the one before, in groups of five bits, the
/// lowest first; a digit of base 64 is a group, plus 32 if more follow. The first cases of a campaign show half a
/// million combinations, and as JSON numbers they took longer to write and to read than their cases to judge.
std::string packed(std::vector<uint32_t> ids);

/// The numbers in rising order. Throws UsageError if packed() writes no such text.
std::vector<uint32_t> unpacked(std::string_view text);

/// Travels as packed().
struct IdList {
  std::vector<uint32_t> ids;
};

/// The coverage that need not be told again, as Coverage::to_text(): of all cases, and of pairs by roster position of a
/// target. Empty: none.
struct KnownTuples {
  std::string tuples;
  std::map<int, std::string> pairs;
};

/// The tuples (core/coverage.h) that a worker counts, and sends.
enum class CoverageOf {
  kNone,
  kTargets,  // of each target
  kAll       // those of all judged cases, too
};

/// The first message to a worker.
struct WorkerSettings {
  run::RosterRequest roster;
  std::string profile = std::string(generate::kDefaultProfile);
  uint64_t seed = 1;
  uint64_t memory = uint64_t{4} << 30;  // resident bytes of one worker
  int64_t patience_ms = 10'000;         // for one call, as SupervisionSettings::timeout: batches of process targets
  Yardstick yardstick = Yardstick::kLadder;
  examine::SparedKinds spared = {};
  bool until_mismatch = false;       // after a mismatch of a target, skip the rest of the work and all later work
  CoverageOf coverage = CoverageOf::kNone;
  KnownTuples seen = {};             // with that, what was counted before this worker
  std::vector<uint32_t> focus = {};  // of the sampling
  std::vector<generate::Share> shares = {};  // of the sampling
  double illegal = 0;                        // of the sampling
  std::string where = {};                    // cases outside are refused for all (core/where.h)
  std::vector<std::string> examples = {};    // lines of cases that targets may take
  bool gives_way = false;                    // to other processes that want the processor
  bool forks = false;                        // be a fork server of workers (run/fork_server.h)
  bool keeps_sampling = false;  // of a forked worker: focus and shares are those of its server, and not written here
  std::string corpus = {};  // input folder of a guided worker (src/fuzz/guided.cpp), which has no other sampling
  std::map<std::string, std::string> environment = {};  // variables set before anything is loaded
  bool fills_memory = true;  // fill what malloc() gives, if this worker judges
  std::string data = {};  // an .npz file with operands of given cases (fill/given_data.h); none: those of their fills

  /// The sampling that case indices refer to. It holds references to these settings.
  generate::Sampling sampling() const { return {generate::find_profile(profile), seed, focus, shares, illegal}; }

  /// Bytes that one case may take of `memory`. The rest is for the libraries and their allocations.
  double most_bytes() const { return static_cast<double>(memory) / 2; }
};

/// An implementation as a worker has loaded it.
struct RosterEntry {
  std::string name, description, lineage, version;
  bool is_target = false;
  std::string plugin = {};  // what it came from (core/plugin_name.h); empty for a native kernel and for our modules
  std::vector<std::string> built_on = {};  // implementations of the same version that it calls
};

/// Cases by their indices: first, first + step, ... `count` of them.
struct Work {
  uint64_t first = 0, count = 0, step = 1;
  uint64_t without = 0;  // implementations that are left out, a bit for each roster position
  bool contains(uint64_t index) const {
    return index >= first && (index - first) % step == 0 && (index - first) / step < count;
  }
};

// ---- Orders: what to do next ----------------------------------------------------------------------------------------

/// Examine these given cases, numbered from `first`.
struct GivenCases {
  uint64_t first = 0;
  std::vector<std::string> cases;  // lines
  bool values = false;             // certificates show all elements of small outputs (docs/background/certificates.md)
  bool patient = false;            // wait at the end for what threads of the implementations may still do
  examine::AskedRelations relations = examine::AskedRelations::kAll;
  // Only the last case matters; those that differ from it were run before it, and are asked no more relations than in
  // a campaign, which would take ten times as long.
  bool is_history = false;
  uint64_t without = 0;  // as in Work
};

/// Measure this case (lab/bench).
struct Layer {
  uint64_t index = 0;
  std::string case_text;
  std::vector<int> threads;
  double seconds = 0;  // least time of one repetition
  int repetitions = 0;
  std::vector<std::string> without;  // implementations that are left out
};

/// Find out what each target takes.
struct SurveyTargets {
  uint64_t without = 0;  // as in Work
  bool pairs = true;     // aim at pairs of levels, too (generate/survey.h)
};

/// Work is the order of a campaign: the worker samples its cases itself.
using Order = std::variant<Work, GivenCases, Layer, SurveyTargets>;

// ---- Reports: the results -------------------------------------------------------------------------------------------

/// All implementations are loaded.
struct Loaded {
  std::vector<RosterEntry> roster;
  std::vector<std::string> notes;
  uint64_t reach = 1;  // cases that it can look ahead (lookahead.h), if an order has so many
};

/// Why the implementations cannot be loaded.
struct NotLoaded {
  std::string why;
  bool cannot_judge = false;  // false: the user asked for something that does not exist
};

/// The outcome of one implementation on a case.
struct ImplementationSummary {
  std::string name;
  bool is_target = false;
  std::string outcome;                   // "agrees", "refused: ..." (judge/judge.h)
  std::optional<double> smallest_fault;  // judge/compare.h
  auto operator<=>(const ImplementationSummary&) const = default;
};

struct CaseReport {
  uint64_t index = 0;
  std::vector<ImplementationSummary> implementations;
  bool judged = false;  // a target's result was compared with the reference
};

struct Surveyed {
  std::vector<generate::Survey> surveys;  // by roster position of the targets
};

/// All mismatches of one case.
struct CaseMismatches {
  uint64_t index = 0;
  std::vector<Mismatch> mismatches;
  PerCounter<uint64_t> counts = {};  // what the case adds to the tally, once this has been sent
};

/// The times of a layer with one number of threads: best and mean seconds of one call, by contestant.
struct LayerTimes {
  int threads = 1;
  std::map<std::string, std::array<double, 2>> seconds;
  std::map<std::string, std::string> refused;  // reasons
  std::array<double, 2> memory = {};           // seconds to move all operands; 0 if that was not measured
};

struct LayerReport {
  uint64_t index = 0;
  std::map<std::string, int> sides;  // bench::Side, by contestant
  std::vector<LayerTimes> rows;
};

/// How often an implementation refused for one reason.
struct Refusals {
  std::string implementation, reason;
  uint64_t count = 0;
};

/// An order was carried out, or ends with its worker.
struct Done {
  uint64_t count = 0;  // cases
  std::vector<Refusals> refusals;
  Ratios ratios;
  IdList tuples;         // news of the counts (Coverage::take_news), sorted on the other side; empty if the settings
                         // ask for no coverage
  uint64_t covered = 0;  // cases counted in `tuples`: those judged for any target
  std::map<int, IdList> pairs = {};  // likewise, by roster position of a target, of its judged cases
  std::map<int, std::vector<uint64_t>> levels = {};  // how many of these had each level (core/coverage.h)
  bool is_cut_short = false;  // this is of the cases before the one on which a client, and so the worker, has ended
};

using WorkerReport = std::variant<Loaded, NotLoaded, Surveyed, CaseReport, CaseMismatches, LayerReport, Done>;

/// A line is no message: its sender is no worker of ours, or its memory is damaged.
class NotAMessage : public std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// The message as one line, without the newline.
std::string to_line(const WorkerSettings& settings);
std::string to_line(const Order& order);
std::string to_line(const WorkerReport& report);

/// Parse one line. Throw NotAMessage.
WorkerSettings settings_from(const std::string& line);
Order order_from(const std::string& line);
WorkerReport report_from(const std::string& line);

/// Nothing if the line is no message.
std::optional<WorkerReport> report_in(const std::string& line);

/// [{"name","target","outcome","smallest_fault"}]: as `repro --format json` prints it.
nlohmann::json to_json(const std::vector<ImplementationSummary>& implementations);

}  // namespace convict::workers
