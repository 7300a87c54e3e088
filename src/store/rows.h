// SPDX-License-Identifier: Apache-2.0
//
// The rows of the database, as its readers and writers use them (docs/background/store-format.md).
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/cause.h"
#include "core/coverage.h"
#include "core/intervals.h"
#include "core/ratios.h"
#include "core/timeline.h"
#include "core/verdict.h"

namespace convict::store {

/// A condition of the predicate, and the line of the simplest case that passes because it alone does not hold; "" if no
/// such case was tried.
struct NeededCondition {
  std::string condition, passes;
};

/// A case that the predicate does not explain.
struct ExceptionalCase {
  std::string line;
  bool fails = false;
};

/// How the predicate was learnt.
struct PredicateEvidence {
  std::vector<NeededCondition> conditions = {};
  int64_t samples = 0, unexplained = 0;          // cases tried, and those of them that it does not explain
  bool mirrored = false;                         // the mirror images of the case were tried: "iff" may be said
  std::vector<ExceptionalCase> exceptions = {};  // the first of those unexplained
};

/// A condition on the values, such as "wei.zero_run >= 8".
struct DataEvidence {
  std::string condition;
  std::string text;                      // the condition in words
  int64_t samples = 0, unexplained = 0;  // fills tried, and those of them that it does not explain
  std::string here = {};                 // where in the smallest case, in words; "" if that is no place
};

/// The process that it takes.
struct EnvironmentEvidence {
  bool alone = true;       // the smallest case fails alone in a fresh process
  std::string oldest_isa;  // the oldest instruction set that it shows with
};

/// What a row keeps of its diagnosis.
struct Explanation {
  bool reproduced = false;    // it failed again, alone in a fresh process
  std::string text = {};      // in words, of what has no neighbours to compare with: it comes and goes, or is not legal
  std::string withheld = {};  // why there is no predicate although the case fails each time
  std::optional<int64_t> shrink_runs = {}, explain_runs = {};  // of the suspect
  std::optional<PredicateEvidence> evidence = {};
  std::optional<DataEvidence> data = {};
  std::optional<EnvironmentEvidence> environment = {};
};

/// docs/background/store-format.md, "The explanation": `{}` if there is none.
nlohmann::json to_json(const std::optional<Explanation>& explanation);

/// Reads what to_json() wrote. A value of another type, as a stranger's database may have, counts as missing.
Explanation explanation_in(const nlohmann::json& json);

/// The facts needed to run a campaign again.
struct CampaignInfo {
  uint64_t seed = 0;
  std::string profile = {};
  nlohmann::json flags = nlohmann::json::object();
  nlohmann::json libraries = nlohmann::json::object();  // {"direct": "0.1.0", "onednn": "2.6.3"}
  std::string isa = {};
  std::string version = {};                          // of convict
  std::vector<uint32_t> focus = {};                  // of its sampling (generate/generate.h)
  nlohmann::json surveys = nlohmann::json::array();  // likewise (campaign/target_survey.h)
};

/// The coverage of all campaigns of a profile.
struct StoredCoverage {
  Coverage coverage;
  std::string replaced;  // why the stored coverage was discarded; empty if it was not
};

/// The columns of the table `campaigns` that listings need.
struct CampaignRow {
  int64_t id = 0;
  std::string profile, state;
  nlohmann::json counts = nlohmann::json::object();
};

/// What has become of a campaign: the column `state` of the table `campaigns`.
enum class CampaignState { kRunning, kFinished, kInterrupted, kFailed };
inline constexpr std::array<std::string_view, 4> kCampaignStateNames = {"running", "finished", "interrupted", "failed"};
constexpr std::string_view name_of(CampaignState state) { return kCampaignStateNames[static_cast<size_t>(state)]; }

/// The cases that a campaign has examined, as positions in the order of its shard, from 0.
struct DoneCases {
  Intervals all;                                 // for every target that is not `apart`
  std::map<std::string, Intervals> apart = {};   // by the target that has its cases in processes of its own: its ones

  /// A list of intervals; {"all": list, "apart": {target: list}} while some targets have other cases.
  nlohmann::json to_json() const;
  /// Throws UsageError if to_json() cannot have given the value.
  static DoneCases from_json(const nlohmann::json& json);
};

/// A campaign with everything needed to resume it.
struct StoredCampaign {
  int64_t id = 0;
  CampaignInfo info;
  std::string state, started, ended;  // ended: empty while it runs
  nlohmann::json counts = nlohmann::json::object();
  DoneCases done;
  std::vector<Moment> moments;
  Ratios ratios;
  nlohmann::json judged = nlohmann::json::object();  // campaign/standing.h

  bool is_finished() const { return state == name_of(CampaignState::kFinished); }
};

/// The results of a campaign so far, besides mismatches.
struct Examined {
  DoneCases done;
  const Timeline& timeline;
  const Ratios& ratios;
  nlohmann::json judged = nlohmann::json::object();  // campaign/standing.h
};

/// A row of the table `scores`.
struct StoredScore {
  std::string written = {}, version = {};  // written: ISO 8601; version: of convict
  nlohmann::json settings, result;         // objects
};

/// Numbers of signatures of targets and of oracles.
struct SignatureCount {
  uint64_t signatures = 0, hit_once = 0;
};

/// The row that a hit would be added to, and whether the row would show its case from then on.
struct RowOfHit {
  int64_t id = 0;
  bool would_show = false;
};

struct Recorded {
  int64_t id = 0;
  bool first_ever = false;  // no campaign has seen this signature before
  bool explained = false;   // the row has a predicate that holds for the case
  std::string status = {};  // "new" until it is triaged, and again for versions that the triage does not name
  std::optional<int64_t> cause = {};  // a known one
};

/// A person's decision about a mismatch or a cause.
struct Triage {
  std::string status;                                  // of kStatuses
  std::optional<std::string> link = {}, note = {};     // nullopt: unchanged
  nlohmann::json versions = nlohmann::json::object();  // {"onednn": "2.6.3"}: holds for these only; empty: for all
};

/// The mismatch that columns of the database describe: the only place that reads one from them. Throws UsageError for
/// what another program wrote, and what makes no sense.
Mismatch read_mismatch(const std::string& case_text, const std::string& suspect, const std::string& verdict,
                       const std::string& blame, const nlohmann::json& certificate);

/// A row of the table `mismatches`, with the names of its columns.
struct MismatchRow {
  int64_t id = 0;
  std::string signature, verdict, suspect, blame;
  std::string case_text;
  double cost = 0;
  std::optional<std::string> shrunk_text;
  nlohmann::json certificate;
  std::string first_seen, last_seen;
  int64_t hits = 0;
  std::string status, link, note;
  int64_t first_campaign = 0, last_campaign = 0;
  std::string coarse, operation, geography, predicate;
  std::optional<Explanation> explanation;       // nullopt until it is explained
  nlohmann::json shrunk_certificate, versions;  // shrunk_certificate is null until shrunk
  std::string triaged;
  std::string gone = {};  // since which version it does not come back; empty if it does, or was not replayed
  std::optional<int64_t> cause = {};  // nullopt until it is joined
  std::string known_cause = {};       // the name of the cause, if it is a known one
  std::string effective_status;  // its own or else that of its cause; "new" if the last campaign that saw it ran other
                                 // versions than `versions`; "gone" if it does not come back

  /// "known", or "new (known for onednn 2.6.3)", or "gone since mine 0.2".
  std::string status_text() const;

  /// The predicate for people, with its exceptions: "k >= 2 on some axis, but for 5 of 400 cases tried"; "" without
  /// one.
  std::string shows_if() const;

  /// The shrunk case and its certificate if there are any, else the simplest case seen and its certificate.
  const std::string& best_text() const { return shrunk_text ? *shrunk_text : case_text; }
  const nlohmann::json& best_certificate() const { return shrunk_text ? shrunk_certificate : certificate; }

  /// What was seen on the simplest case, and on the best one. Both throw as read_mismatch().
  Mismatch mismatch() const { return read_mismatch(case_text, suspect, verdict, blame, certificate); }
  Mismatch best_mismatch() const { return read_mismatch(best_text(), suspect, verdict, blame, best_certificate()); }

  bool is_explained() const { return explanation || !known_cause.empty(); }
};

/// A row of the table `causes`.
struct CauseRow {
  int64_t id = 0;
  std::string name = {};  // empty: a candidate
  std::string title = {}, block = {}, status = {}, link = {}, note = {}, triaged = {};
  nlohmann::json versions = nlohmann::json::object();
};

/// The result of shrinking and explaining a row.
struct RowExplanation {
  std::string case_text;                        // the case that was shrunk: of the row or one of its candidates
  std::optional<std::string> shrunk_text = {};  // nullopt if the mismatch did not come back
  Certificate shrunk_certificate = {};
  std::string geography = {}, predicate = {};  // of the signature; an empty predicate explains this case only
  Explanation explanation = {};
  std::optional<Verdict> verdict = {};         // of the shrunk case, if stronger than the row's
};

/// Selects rows for a listing; an empty text selects all.
struct MismatchFilter {
  std::string status = {};  // the effective status
  std::string suspect = {}, verdict = {};
  std::string operation = {};            // a prefix, e.g. "conv_transpose2d"
  std::string since = {}, until = {};    // ISO 8601: seen at or after `since`, at or before `until`
  std::optional<uint64_t> limit = {};    // number of rows; those with the smallest ids
  std::optional<int64_t> campaign = {};  // only rows that it saw, with their status in that campaign
};

/// A row of the table `sightings`, with the facts of its campaign.
struct CampaignSighting {
  int64_t campaign = 0, hits = 0;
  std::string first_seen, last_seen;
  std::string seed, profile;
  nlohmann::json libraries;
};

}  // namespace convict::store
