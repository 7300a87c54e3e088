// SPDX-License-Identifier: Apache-2.0
//
// What a database says about how much has been tried and what remains: the facts of `convict report`, without words.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "store/store.h"

namespace convict {

/// So many tuples of so many that the profile can show (generate/reach.h).
struct Share {
  uint32_t seen = 0, reachable = 0;
  double percent() const { return reachable == 0 ? 0 : 100.0 * seen / reachable; }
};

struct ProfileReport {
  std::string profile;
  uint64_t cases = 0;  // legal ones that were counted
  Share pairs, triples;
  std::vector<std::string> emptiest;  // reachable tuples never seen, those of two features first
  double expected_unseen = 0;         // unseen tuples to expect in the next case (Coverage::expected_unseen)
  double chance_of_unseen = 0;        // at most: that the next case shows one
};

/// Signatures in the place of species: with N cases and f1 signatures hit exactly once, the next case shows a new one
/// with a probability of about f1 / N (Good 1953; core/coverage.h). The signatures of a target and of an oracle count,
/// whatever their status.
struct SignatureReport {
  uint64_t cases = 0;  // of all campaigns of all profiles
  uint64_t signatures = 0, hit_once = 0;
  double chance_of_new() const;  // at most; 1 without cases
};

struct Report {
  std::string database;
  std::vector<ProfileReport> profiles;
  SignatureReport signatures;
  std::vector<MismatchRow> mismatches;  // in the order they were first seen
  std::vector<std::string> notes;       // what could not be reported
};

struct ReportSettings {
  std::string database;
  std::string profile;  // empty: all that the database has
  size_t emptiest = 10;
};

/// Reads the database, which has to exist, and works out what its profiles can reach: some seconds for each, announced
/// to `progress` by its name. Throws UsageError.
Report make_report(const ReportSettings& settings, const std::function<void(const std::string& profile)>& progress);

}  // namespace convict
