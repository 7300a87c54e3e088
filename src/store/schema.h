// SPDX-License-Identifier: Apache-2.0
//
// The SQL schema of the database; docs/background/store-format.md explains it.
//
// To change the schema, add a step at the end of kMigrations; never edit a released step. Step number n (counting from
// 1) turns version n - 1 into version n. `PRAGMA user_version` is the version.
#pragma once

#include <array>
#include <cstdint>

namespace convict::store {

/// "cvct" in ASCII: bytes 68 to 71 of every convict database.
inline constexpr uint32_t kApplicationId = 0x63766374;

inline constexpr const char* kSchemaVersion1 = R"sql(
PRAGMA application_id = 0x63766374;

-- One row per run of `convict fuzz`.
CREATE TABLE campaigns (
  id              INTEGER PRIMARY KEY AUTOINCREMENT,        -- never used twice, even after a deletion
  seed            TEXT    NOT NULL,                         -- decimal: unsigned 64 bits do not fit an INTEGER
  profile         TEXT    NOT NULL,                         -- what was sampled, e.g. large-kernel
  flags           TEXT    NOT NULL CHECK (json_valid(flags)),      -- JSON: the command line as it was understood
  libraries       TEXT    NOT NULL CHECK (json_valid(libraries)),  -- JSON: version of each implementation, by name
  isa             TEXT    NOT NULL,                         -- instruction sets of the machine
  convict_version TEXT    NOT NULL,
  counts          TEXT    NOT NULL DEFAULT '{}' CHECK (json_valid(counts)),  -- JSON: cases by outcome, so far
  state           TEXT    NOT NULL DEFAULT 'running'
                          CHECK (state IN ('running', 'finished', 'interrupted', 'failed')),
  started         TEXT    NOT NULL,                         -- ISO 8601, UTC, as all times here
  updated         TEXT    NOT NULL,                         -- when counts and state were last written
  ended           TEXT                                      -- NULL while running, and after a kill -9
) STRICT;

-- One row per signature: one bug, as far as can be told without shrinking.
CREATE TABLE mismatches (
  id              INTEGER PRIMARY KEY AUTOINCREMENT,        -- people quote it: never used twice
  signature       TEXT    NOT NULL UNIQUE,                  -- suspect|verdict|operation
  verdict         TEXT    NOT NULL,                         -- e.g. wrong-exact (src/core/verdict.h)
  suspect         TEXT    NOT NULL,                         -- the implementation that was caught
  blame           TEXT    NOT NULL,                         -- target, oracle, reference or nobody
  case_text       TEXT    NOT NULL,                         -- the simplest case seen so far
  cost            REAL    NOT NULL,                         -- its multiply-adds, the first measure of simplicity
  shrunk_text     TEXT,                                     -- the shrunk case; NULL until shrunk
  certificate     TEXT    NOT NULL CHECK (json_valid(certificate)),  -- JSON: the evidence for case_text
  first_seen      TEXT    NOT NULL,
  last_seen       TEXT    NOT NULL,
  hits            INTEGER NOT NULL DEFAULT 1 CHECK (hits >= 1),      -- how many cases had this signature
  status          TEXT    NOT NULL DEFAULT 'new'
                          CHECK (status IN ('new', 'known', 'reported', 'fixed', 'wontfix')),
  link            TEXT    NOT NULL DEFAULT '',              -- the issue it was reported as
  note            TEXT    NOT NULL DEFAULT '',              -- free text of whoever triaged it
  first_campaign  INTEGER NOT NULL REFERENCES campaigns (id),
  last_campaign   INTEGER NOT NULL REFERENCES campaigns (id)
) STRICT;
)sql";

inline constexpr const char* kSchemaVersion2 = R"sql(
-- One row per profile: which combinations of features its cases have shown, over all campaigns.
CREATE TABLE coverage (
  profile         TEXT    NOT NULL PRIMARY KEY,             -- what was sampled
  feature_table   TEXT    NOT NULL,                         -- hash of the features and levels that the tuples are of
  cases           INTEGER NOT NULL,                         -- legal cases that were counted
  tuples          BLOB    NOT NULL,                         -- two bits a tuple (src/core/coverage.h)
  updated         TEXT    NOT NULL                          -- when it was last written
) STRICT;

ALTER TABLE campaigns ADD COLUMN
  focus           TEXT    NOT NULL DEFAULT '' CHECK (focus = '' OR json_valid(focus))
                          /* JSON: ids of the tuples the campaign was steered at, or '' */;
)sql";

/// Signatures become finer: two bugs of one suspect in one operation get separate rows once their cases are shrunk and
/// explained. Hits that no predicate explains yet share a row with the coarse signature.
inline constexpr const char* kSchemaVersion3 = R"sql(
ALTER TABLE campaigns ADD COLUMN uuid TEXT NOT NULL DEFAULT '' /* 32 hexadecimal digits: the same in every copy */;
-- Copies of an old database that are migrated apart must come to the same (database.cpp defines the function).
UPDATE campaigns SET uuid = fingerprint(json_array(id, seed, profile, flags, libraries, isa, convict_version, started));
CREATE UNIQUE INDEX campaigns_by_uuid ON campaigns (uuid);
ALTER TABLE campaigns ADD COLUMN
  done            TEXT    NOT NULL DEFAULT '[]' CHECK (json_valid(done))
                          /* JSON: cases that were examined, [[first, count], ...] in the order of the shard */;

ALTER TABLE mismatches ADD COLUMN coarse TEXT NOT NULL DEFAULT '' /* suspect|verdict|operation */;
UPDATE mismatches SET coarse = signature;
ALTER TABLE mismatches ADD COLUMN operation TEXT NOT NULL DEFAULT '' /* conv2d.backward_data, ... */;
UPDATE mismatches SET operation = replace(signature, suspect || '|' || verdict || '|', '');
CREATE INDEX mismatches_by_operation ON mismatches (suspect, operation);
ALTER TABLE mismatches ADD COLUMN geography TEXT NOT NULL DEFAULT '' /* where the errors lie, in a few words */;
ALTER TABLE mismatches ADD COLUMN predicate TEXT NOT NULL DEFAULT '' /* on which cases it shows; '' until explained */;
ALTER TABLE mismatches ADD COLUMN
  explanation     TEXT    NOT NULL DEFAULT '{}' CHECK (json_valid(explanation)) /* JSON: how that was found out */;
ALTER TABLE mismatches ADD COLUMN
  shrunk_certificate TEXT CHECK (shrunk_certificate IS NULL OR json_valid(shrunk_certificate))
                          /* JSON: the evidence for shrunk_text */;
ALTER TABLE mismatches ADD COLUMN triaged TEXT NOT NULL DEFAULT '' /* when somebody last changed status, link or note */;
ALTER TABLE mismatches ADD COLUMN
  versions        TEXT    NOT NULL DEFAULT '{}' CHECK (json_valid(versions))
                          /* JSON: {"onednn":"2.6.3"}; with other versions, a known mismatch counts as new again */;

-- Which campaign saw which signature how often; hits of a mismatch are their sum.
CREATE TABLE sightings (
  mismatch        INTEGER NOT NULL REFERENCES mismatches (id) ON DELETE CASCADE,
  campaign        INTEGER NOT NULL REFERENCES campaigns (id),
  hits            INTEGER NOT NULL CHECK (hits >= 1),
  first_seen      TEXT    NOT NULL,
  last_seen       TEXT    NOT NULL,
  PRIMARY KEY (mismatch, campaign)
) STRICT, WITHOUT ROWID;
INSERT INTO sightings SELECT id, last_campaign, hits, first_seen, last_seen FROM mismatches;

-- The simplest cases of a row that is not explained yet: whether they are all one bug is still to be found out.
CREATE TABLE candidates (
  mismatch        INTEGER NOT NULL REFERENCES mismatches (id) ON DELETE CASCADE,
  campaign        INTEGER NOT NULL REFERENCES campaigns (id),  -- that saw it first
  case_text       TEXT    NOT NULL,
  cost            REAL    NOT NULL,
  blame           TEXT    NOT NULL,
  certificate     TEXT    NOT NULL CHECK (json_valid(certificate)),
  hits            INTEGER NOT NULL CHECK (hits >= 1),
  PRIMARY KEY (mismatch, case_text)
) STRICT, WITHOUT ROWID;
INSERT INTO candidates SELECT id, last_campaign, case_text, cost, blame, certificate, 1 FROM mismatches;
)sql";

/// Data for the charts of reports: progress of campaigns, largest error / bound of results, and detection scores.
inline constexpr const char* kSchemaVersion4 = R"sql(
ALTER TABLE campaigns ADD COLUMN
  ratios          TEXT    NOT NULL DEFAULT '{}' CHECK (json_valid(ratios))
                          /* JSON: by implementation, cases by their largest error / bound, in powers of 2 */;

-- How far a campaign was when; some 200 rows of each, whatever its length.
CREATE TABLE moments (
  campaign        INTEGER NOT NULL REFERENCES campaigns (id) ON DELETE CASCADE,
  seconds         REAL    NOT NULL,                         -- it had run, all its runs together
  cases           INTEGER NOT NULL,                         -- it had examined
  pairs           INTEGER NOT NULL,                         -- combinations of two features seen, of its profile
  triples         INTEGER NOT NULL,                         -- and of three
  PRIMARY KEY (campaign, seconds)
) STRICT, WITHOUT ROWID;

-- One row per run of `convict score --db`.
CREATE TABLE scores (
  id              INTEGER PRIMARY KEY AUTOINCREMENT,
  uuid            TEXT    NOT NULL UNIQUE,                  -- 32 hexadecimal digits: the same in every copy
  written         TEXT    NOT NULL,                         -- when it was finished
  convict_version TEXT    NOT NULL,
  settings        TEXT    NOT NULL CHECK (json_valid(settings)),  -- JSON: the command line as it was understood
  result          TEXT    NOT NULL CHECK (json_valid(result))     -- JSON: what `convict score --format json` prints
) STRICT;
)sql";

/// A candidate counts the hits of each campaign for itself: a row that is explained gives them back to the campaigns
/// that had them.
inline constexpr const char* kSchemaVersion5 = R"sql(
ALTER TABLE candidates RENAME TO candidates_of_version_3;
-- The simplest cases of a row that is not explained yet: whether they are all one bug is still to be found out.
CREATE TABLE candidates (
  mismatch        INTEGER NOT NULL REFERENCES mismatches (id) ON DELETE CASCADE,
  case_text       TEXT    NOT NULL,
  campaign        INTEGER NOT NULL REFERENCES campaigns (id),
  cost            REAL    NOT NULL,
  blame           TEXT    NOT NULL,
  certificate     TEXT    NOT NULL CHECK (json_valid(certificate)),
  hits            INTEGER NOT NULL CHECK (hits >= 1),       -- of this case in this campaign
  PRIMARY KEY (mismatch, case_text, campaign)
) STRICT, WITHOUT ROWID;
INSERT INTO candidates SELECT mismatch, case_text, campaign, cost, blame, certificate, hits FROM candidates_of_version_3;
DROP TABLE candidates_of_version_3;
)sql";

/// What a campaign says counts what was judged, target by target.
inline constexpr const char* kSchemaVersion6 = R"sql(
ALTER TABLE campaigns ADD COLUMN
  surveys         TEXT    NOT NULL DEFAULT '[]' CHECK (json_valid(surveys))
                          /* JSON: by target, its part of the cases and what it takes */;
ALTER TABLE campaigns ADD COLUMN
  judged          TEXT    NOT NULL DEFAULT '{}' CHECK (json_valid(judged))
                          /* JSON: by target, the cases it was judged on and the pairs of features they showed */;
)sql";

/// Rows belong to causes (docs/causes.md): one bug is one cause, in however many operations it shows.
inline constexpr const char* kSchemaVersion7 = R"sql(
CREATE TABLE causes (
  id              INTEGER PRIMARY KEY AUTOINCREMENT,        -- people quote it: never used twice
  name            TEXT    UNIQUE,                           -- of a known cause; NULL: a candidate
  title           TEXT    NOT NULL,
  block           TEXT    NOT NULL DEFAULT '',              -- of a known cause: as in a file
  status          TEXT    NOT NULL DEFAULT 'new'
                          CHECK (status IN ('new', 'known', 'reported', 'fixed', 'wontfix')),
  link            TEXT    NOT NULL DEFAULT '',
  note            TEXT    NOT NULL DEFAULT '',
  versions        TEXT    NOT NULL DEFAULT '{}' CHECK (json_valid(versions)),  -- as of mismatches
  triaged         TEXT    NOT NULL DEFAULT ''               -- when somebody last changed status, link or note
) STRICT;

ALTER TABLE mismatches ADD COLUMN cause INTEGER REFERENCES causes (id) /* NULL until it is joined */;
CREATE INDEX mismatches_by_cause ON mismatches (cause);
)sql";

/// A mismatch of a target is replayed by each campaign: who has repaired a kernel wants to see that.
inline constexpr const char* kSchemaVersion8 = R"sql(
ALTER TABLE mismatches ADD COLUMN gone TEXT NOT NULL DEFAULT '' /* since which version it does not come back, or '' */;
ALTER TABLE mismatches ADD COLUMN gone_at TEXT NOT NULL DEFAULT '' /* when that was seen */;
)sql";

inline constexpr std::array kMigrations = {kSchemaVersion1, kSchemaVersion2, kSchemaVersion3, kSchemaVersion4,
                                           kSchemaVersion5, kSchemaVersion6, kSchemaVersion7, kSchemaVersion8};

}  // namespace convict::store
