// SPDX-License-Identifier: Apache-2.0
//
// The facts about mismatches: what campaigns have seen, what was learnt of it, and what people have said. They are
// added, and never moved: which row a hit belongs to follows from them (assign.h). Functions that write must run in a
// transaction of the caller.
#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/verdict.h"
#include "store/sqlite.h"

namespace convict::store {

/// SQL for Specimen::unrepeated of a row with a certificate.
inline constexpr const char* kUnrepeated = "certificate ->> '$.alone_runs' IS 0";

inline constexpr int kMostCases = 32;  // that are kept of hits that no rule covers; the simplest ones

/// Hits of different ones never share a row.
struct Scope {
  std::string suspect, operation;
  auto operator<=>(const Scope&) const = default;
};
Scope scope_of(const Mismatch& mismatch);

/// Times of the first and last hit (ISO 8601), and the number of hits.
struct Span {
  std::string first, last;
  int64_t hits = 1;
};

/// A case that failed. The smallest one is the simplest, and the order is total: one that was repeated first, then
/// fewer multiply-adds, then the shorter line.
struct Specimen {
  bool unrepeated = false;  // its hit was counted, and others of its row were repeated
  double cost = 0;
  size_t length = 0;
  std::string case_text, certificate, blame;
  auto operator<=>(const Specimen&) const = default;
};
Specimen specimen_of(const Mismatch& mismatch);

/// All but certificate and blame, which take longer.
Specimen outline_of(const Mismatch& mismatch);

struct SeenCase {
  Specimen specimen;
  int64_t hits = 1;
};

/// Where a hit is filed: by the rule that covered it when it was seen, or else by those that did not.
struct Filing {
  std::string rule = {};   // signature of the row; "" if none covered it
  std::string tried = {};  // a fingerprint of the rules; "" if there was none, or one covered it
};

/// Hits of one campaign that were filed alike.
struct Seen {
  int64_t campaign = 0;
  std::string verdict;
  Filing filing;
  Span span;
  std::vector<SeenCase> cases = {};  // the simplest first
};

/// The result of shrinking and explaining one case.
struct Learnt {
  std::string verdict, case_text;  // of the case
  std::string when;
  // Of its row; without a predicate, it is of this case only.
  std::string signature = {}, shown_verdict = {}, geography = {}, predicate = {};
  std::optional<std::string> shrunk_text = {}, shrunk_certificate = {};
  std::string explanation = "{}";
};

/// What people wrote. The largest one counts, because it is the latest.
struct Word {
  std::string triaged;
  bool says_something = false;  // may be true with an empty `triaged`, if the row was written with SQL
  std::string status = "new", link, note, versions = "{}";
  auto operator<=>(const Word&) const = default;
};
Word word_at(const SQLite::Statement& at);
/// As :status, :link, :note, :versions and :triaged.
void bind_word(SQLite::Statement& statement, const Word& word);

/// A word about the row that a case belongs to, or about its cause.
struct Said {
  std::string verdict, rule, case_text;  // of the row when it was said
  bool of_cause = false;
  Word word;
};

/// When a case was replayed, and since which version it does not come back; "" if it does. The largest one counts.
struct Gone {
  std::string at, since;
  auto operator<=>(const Gone&) const = default;
};

/// A replay of the row that a case belongs to.
struct Replay {
  std::string verdict, rule, case_text;  // of the row then
  Gone gone;
};

/// All that decides about the rows of one scope.
struct Facts {
  Scope scope;
  std::vector<Seen> seen;
  std::vector<Learnt> learnt;  // the first one first
  std::vector<Said> said;
  std::vector<Replay> replays;
};
Facts read_facts(Statements& sql, const Scope& scope);
std::vector<Learnt> read_learnt(Statements& sql, const Scope& scope);

/// What becomes of numbers of hits that are there already: more hits, or those that another copy of the campaign knows.
enum class Combine { kAdd, kLarger };
void add_seen(Statements& sql, const Scope& scope, const Seen& seen, Combine how = Combine::kAdd);
/// Whether a case may be one of the simplest that were filed so.
bool may_be_kept(Statements& sql, const Scope& scope, const Seen& seen, const Specimen& outline);
/// Adds what is not there yet; the identity of a fact is all that it says.
void add_learnt(Statements& sql, const Scope& scope, const Learnt& learnt);
/// Of words about the same row with the same case, the latest one stays; of replays, too.
void add_said(Statements& sql, const Scope& scope, const Said& said);
void add_replay(Statements& sql, const Scope& scope, const Replay& replay);

}  // namespace convict::store
