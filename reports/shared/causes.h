// SPDX-License-Identifier: Apache-2.0
//
// Whether a mismatch needs the reader's attention, and if not, why; and the mismatches of a report by cause: one bug is
// one entry, in however many operations it shows.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "report/report.h"

namespace convict::reports {

/// Whether the mismatch was seen again after somebody marked it as fixed.
bool came_back(const report::MismatchReport& one);

/// Whether a job fails because of it: it is new or came back, and neither an oracle nor nobody is blamed
/// (docs/decisions/0003-exit-code-and-oracle-mismatches.md).
bool fails(const report::MismatchReport& one);

/// "new", "new, blame: oracle", "fixed, but seen again", "known", "new (known for onednn 2.6.3)". Not escaped.
std::string standing(const report::MismatchReport& one);

/// A cause with the mismatches that belong to it.
struct CauseGroup {
  store::CauseRow cause;                                 // id 0 for a mismatch that was never joined with others
  std::vector<const report::MismatchReport*> rows = {};  // not empty; the most urgent and simplest first

  const report::MismatchReport& first() const { return *rows.front(); }
  const report::MismatchReport& speaker() const;  // the one that its title and shows_if() are of
  int64_t hits() const;
  bool fails() const;  // whether a job fails because of one of its rows
  bool is_known() const { return !cause.name.empty(); }
  std::string suspects() const;    // "libtorch:native, libtorch:onednn"
  std::string operations() const;  // "conv1d, conv2d and 4 more"
  std::string blame() const;       // target if a target has it, else oracle, else nobody
  std::string status() const;      // the most urgent of its rows
  std::string shows_if() const;    // in words; "" if nobody knows
  std::string number() const;      // "cause 12", "cause 12 (libtorch-no-input-channels)"
};

/// What fails a job comes first, then what is new; targets before oracles; of alike ones, that with the most hits.
/// Pointers are into the report.
std::vector<CauseGroup> by_cause(const report::Report& report);

/// "3 new causes, 9 known ones: 141 hits in 46 mismatches"; "no mismatches".
std::string causes_in_a_line(const std::vector<CauseGroup>& groups);

}  // namespace convict::reports
