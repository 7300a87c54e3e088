// SPDX-License-Identifier: Apache-2.0
//
// What the database holds, row by row, as its readers and writers see it (docs/store-format.md).
#pragma once

#include <array>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/coverage.h"
#include "core/intervals.h"
#include "core/ratios.h"
#include "core/timeline.h"
#include "core/verdict.h"

namespace convict::store {

/// What has to be known to run a campaign again.
struct CampaignInfo {
  uint64_t seed = 0;
  std::string profile = {};
  nlohmann::json flags = nlohmann::json::object();
  nlohmann::json libraries = nlohmann::json::object();  // {"direct": "0.1.0", "onednn": "2.6.3"}
  std::string isa = {};
  std::string version = {};          // of convict
  std::vector<uint32_t> focus = {};  // of its sampling (generate/generate.h)
};

/// What all campaigns of a profile have covered.
struct StoredCoverage {
  Coverage coverage;
  std::string replaced;  // why what the database held before counts no more; empty if it does
};

/// A row of the table `campaigns`, as far as anybody asks for it.
struct CampaignRow {
  int64_t id = 0;
  std::string profile, state;
  nlohmann::json counts = nlohmann::json::object();
};

/// A campaign with all that going on with it needs.
struct StoredCampaign {
  int64_t id = 0;
  CampaignInfo info;
  std::string state, started, ended;  // ended: empty while it runs
  nlohmann::json counts = nlohmann::json::object();
  Intervals done;  // positions in the order of the shard, from 0
  std::vector<Moment> moments;
  Ratios ratios;
};

/// What a campaign has to show so far, besides mismatches.
struct Examined {
  const Intervals& done;
  const Timeline& timeline;
  const Ratios& ratios;
};

/// A row of the table `scores`.
struct StoredScore {
  std::string written = {}, version = {};  // ISO 8601; of convict
  nlohmann::json settings, result;         // objects
};

/// Signatures of targets and of oracles.
struct SignatureCount {
  uint64_t signatures = 0, hit_once = 0;
};

struct Recorded {
  int64_t id = 0;
  bool first_ever = false;  // no campaign has seen this signature before
  bool explained = false;   // the row has a predicate, which holds
  std::string status = {};  // "new" until somebody triages it, and again where other versions run than they triaged
};

/// Of a mismatch, in the order in which people have to look at them.
inline constexpr std::array<std::string_view, 5> kStatuses = {"new", "known", "reported", "fixed", "wontfix"};

/// What somebody says about a mismatch.
struct Triage {
  std::string status;                                  // of kStatuses
  std::optional<std::string> link = {}, note = {};     // nothing: as it was
  nlohmann::json versions = nlohmann::json::object();  // {"onednn": "2.6.3"}: it holds for these; empty for all
};

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
  nlohmann::json explanation, shrunk_certificate, versions;  // the second is null until shrunk
  std::string triaged;
  std::string effective_status;  // in the campaign that saw it last: "new" if that ran other versions than `versions`

  /// "known", or "new (known for onednn 2.6.3)".
  std::string status_text() const;

  /// The shrunk case, as soon as there is one, with the certificate that belongs to it.
  const std::string& best_text() const { return shrunk_text ? *shrunk_text : case_text; }
  const nlohmann::json& best_certificate() const { return shrunk_text ? shrunk_certificate : certificate; }
  bool is_explained() const { return !explanation.empty(); }
};

/// What shrinking and explaining made of a row.
struct RowExplanation {
  std::string case_text;                        // of the row or one of its candidates: what was shrunk
  std::optional<std::string> shrunk_text = {};  // nothing if the mismatch did not come back
  Certificate shrunk_certificate = {};
  std::string geography = {}, predicate = {};  // of the signature; an empty predicate explains no other case
  nlohmann::json explanation;                  // an object that is not empty
  std::optional<Verdict> verdict = {};         // of the shrunk case, if it is a stronger one than the row's
  std::optional<int64_t> same_as = {};         // the row of a known fault, which this one turned out to be
};

/// Which rows a listing wants; an empty text stands for any.
struct MismatchFilter {
  std::string status = {};  // the effective one
  std::string suspect = {}, verdict = {};
  std::string operation = {};            // how it begins, e.g. "conv_transpose2d"
  std::string since = {}, until = {};    // ISO 8601: seen at or after, at or before
  std::optional<uint64_t> limit = {};    // of rows, those with the smallest ids
  std::optional<int64_t> campaign = {};  // that saw it: the status is the one that counts there
};

/// A row of the table `sightings`, with what there is to know about its campaign.
struct Sighting {
  int64_t campaign = 0, hits = 0;
  std::string first_seen, last_seen;
  std::string seed, profile;
  nlohmann::json libraries;
};

}  // namespace convict::store
