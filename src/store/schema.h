// SPDX-License-Identifier: Apache-2.0
//
// The SQL schema of the database; docs/background/store-format.md explains it. `PRAGMA user_version` is its version: a
// change of the schema makes the next one, and then kOldSchema is the one before.
#pragma once

#include <array>
#include <cstdint>

namespace convict::store {

/// "cvct" in ASCII: bytes 68 to 71 of every convict database.
inline constexpr uint32_t kApplicationId = 0x63766374;

inline constexpr int kSchemaVersion = 9;

inline constexpr const char* kSchema = R"sql(
-- One row per run of `convict fuzz`.
CREATE TABLE campaigns (
  id              INTEGER PRIMARY KEY AUTOINCREMENT,        -- never used twice, even after a deletion
  uuid            TEXT    NOT NULL UNIQUE,                  -- 32 hexadecimal digits: the same in every copy
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
  ended           TEXT,                                     -- NULL while running, and after a kill -9
  focus           TEXT    NOT NULL DEFAULT '' CHECK (focus = '' OR json_valid(focus)),
                                                            -- JSON: ids of the tuples it was steered at, or ''
  done            TEXT    NOT NULL DEFAULT '[]' CHECK (json_valid(done)),
                                                            -- JSON: examined cases, [[first, count], ...] of the shard
  ratios          TEXT    NOT NULL DEFAULT '{}' CHECK (json_valid(ratios)),
                                        -- JSON: by implementation, cases by their largest error / bound, in powers of 2
  surveys         TEXT    NOT NULL DEFAULT '[]' CHECK (json_valid(surveys)),
                                                            -- JSON: by target, its part of the cases and what it takes
  judged          TEXT    NOT NULL DEFAULT '{}' CHECK (json_valid(judged))
                                        -- JSON: by target, the cases it was judged on and the pairs that they showed
) STRICT;

-- How far a campaign was when; some 200 rows of each, whatever its length.
CREATE TABLE moments (
  campaign        INTEGER NOT NULL REFERENCES campaigns (id) ON DELETE CASCADE,
  seconds         REAL    NOT NULL,                         -- it had run, all its runs together
  cases           INTEGER NOT NULL,                         -- it had examined
  pairs           INTEGER NOT NULL,                         -- combinations of two features seen, of its profile
  triples         INTEGER NOT NULL,                         -- and of three
  PRIMARY KEY (campaign, seconds)
) STRICT, WITHOUT ROWID;

-- Facts. What campaigns saw: hits of one kind in one campaign.
CREATE TABLE seen (
  campaign        INTEGER NOT NULL REFERENCES campaigns (id) ON DELETE CASCADE,
  suspect         TEXT    NOT NULL,
  operation       TEXT    NOT NULL,                         -- conv2d.backward_data, ...
  verdict         TEXT    NOT NULL,
  rule            TEXT    NOT NULL,                         -- signature of the row that covers them; '' if none did
  tried           TEXT    NOT NULL,                         -- which rules did not cover them: '' if there was none
  hits            INTEGER NOT NULL CHECK (hits >= 1),
  first_seen      TEXT    NOT NULL,
  last_seen       TEXT    NOT NULL,
  PRIMARY KEY (suspect, operation, campaign, verdict, rule, tried)
) STRICT, WITHOUT ROWID;

-- The simplest cases of each: 32 where no rule covered them, otherwise the one that its row showed.
CREATE TABLE cases (
  campaign        INTEGER NOT NULL REFERENCES campaigns (id) ON DELETE CASCADE,
  suspect         TEXT    NOT NULL,
  operation       TEXT    NOT NULL,
  verdict         TEXT    NOT NULL,
  rule            TEXT    NOT NULL,
  tried           TEXT    NOT NULL,
  case_text       TEXT    NOT NULL,
  cost            REAL    NOT NULL,                         -- its multiply-adds, the first measure of simplicity
  blame           TEXT    NOT NULL,
  certificate     TEXT    NOT NULL CHECK (json_valid(certificate)),
  hits            INTEGER NOT NULL CHECK (hits >= 1),       -- of exactly this case
  PRIMARY KEY (suspect, operation, campaign, verdict, rule, tried, case_text)
) STRICT, WITHOUT ROWID;

-- What was learnt by shrinking and explaining a case.
CREATE TABLE learnt (
  id              TEXT    NOT NULL PRIMARY KEY,             -- of all that follows: the same in every copy
  suspect         TEXT    NOT NULL,
  operation       TEXT    NOT NULL,
  verdict         TEXT    NOT NULL,                         -- of the case that was explained
  case_text       TEXT    NOT NULL,
  learnt          TEXT    NOT NULL,                         -- when
  signature       TEXT    NOT NULL,                         -- of its row
  shown_verdict   TEXT    NOT NULL,                         -- of that row: of the shrunk case, if that is stronger
  geography       TEXT    NOT NULL,                         -- where the errors lie, in a few words
  predicate       TEXT    NOT NULL,                         -- on which cases it shows; '': on this one
  shrunk_text     TEXT,
  shrunk_certificate TEXT CHECK (shrunk_certificate IS NULL OR json_valid(shrunk_certificate)),
  explanation     TEXT    NOT NULL CHECK (json_valid(explanation))  -- JSON: how that was found out
) STRICT, WITHOUT ROWID;
CREATE INDEX learnt_by_operation ON learnt (suspect, operation);

-- What people said of the row that a case belongs to, or of its cause.
CREATE TABLE said (
  suspect         TEXT    NOT NULL,
  operation       TEXT    NOT NULL,
  verdict         TEXT    NOT NULL,                         -- of the case, if no rule covered it
  rule            TEXT    NOT NULL,                         -- as in seen
  case_text       TEXT    NOT NULL,                         -- that the row showed
  of_cause        INTEGER NOT NULL CHECK (of_cause IN (0, 1)),
  status          TEXT    NOT NULL CHECK (status IN ('new', 'known', 'reported', 'fixed', 'wontfix')),
  link            TEXT    NOT NULL,
  note            TEXT    NOT NULL,
  versions        TEXT    NOT NULL CHECK (json_valid(versions)),
  triaged         TEXT    NOT NULL,                         -- when
  PRIMARY KEY (suspect, operation, verdict, rule, case_text, of_cause)
) STRICT, WITHOUT ROWID;

-- What came of it when the case of a row was replayed.
CREATE TABLE replayed (
  suspect         TEXT    NOT NULL,
  operation       TEXT    NOT NULL,
  verdict         TEXT    NOT NULL,
  rule            TEXT    NOT NULL,
  case_text       TEXT    NOT NULL,                         -- all as in said
  gone            TEXT    NOT NULL,                         -- since which version it does not come back; '': it does
  replayed        TEXT    NOT NULL,                         -- when
  PRIMARY KEY (suspect, operation, verdict, rule, case_text)
) STRICT, WITHOUT ROWID;

-- What follows from the facts. One row per signature: one bug of one operation, as far as is known.
CREATE TABLE mismatches (
  id              INTEGER PRIMARY KEY AUTOINCREMENT,        -- people quote it: never used twice
  signature       TEXT    NOT NULL UNIQUE,                  -- suspect|verdict|operation, of a rule more
  coarse          TEXT    NOT NULL DEFAULT '',              -- suspect|verdict|operation
  operation       TEXT    NOT NULL DEFAULT '',
  verdict         TEXT    NOT NULL,                         -- e.g. wrong-exact (src/core/verdict.h)
  suspect         TEXT    NOT NULL,                         -- the implementation that was caught
  blame           TEXT    NOT NULL,                         -- target, oracle, reference or nobody
  case_text       TEXT    NOT NULL,                         -- the simplest case seen so far
  cost            REAL    NOT NULL,
  certificate     TEXT    NOT NULL CHECK (json_valid(certificate)),  -- JSON: the evidence for case_text
  shrunk_text     TEXT,                                     -- the shrunk case; NULL until shrunk
  shrunk_certificate TEXT CHECK (shrunk_certificate IS NULL OR json_valid(shrunk_certificate)),
  geography       TEXT    NOT NULL DEFAULT '',
  predicate       TEXT    NOT NULL DEFAULT '',
  explanation     TEXT    NOT NULL DEFAULT '{}' CHECK (json_valid(explanation)),
  first_seen      TEXT    NOT NULL,
  last_seen       TEXT    NOT NULL,
  hits            INTEGER NOT NULL DEFAULT 1 CHECK (hits >= 1),
  first_campaign  INTEGER NOT NULL REFERENCES campaigns (id),
  last_campaign   INTEGER NOT NULL REFERENCES campaigns (id),
  cause           INTEGER REFERENCES causes (id),           -- NULL until it is joined
  status          TEXT    NOT NULL DEFAULT 'new'
                          CHECK (status IN ('new', 'known', 'reported', 'fixed', 'wontfix')),
  link            TEXT    NOT NULL DEFAULT '',              -- the issue it was reported as
  note            TEXT    NOT NULL DEFAULT '',              -- free text of whoever triaged it
  versions        TEXT    NOT NULL DEFAULT '{}' CHECK (json_valid(versions)),
                                        -- JSON: {"onednn":"2.6.3"}; with other versions, a known mismatch is new again
  triaged         TEXT    NOT NULL DEFAULT '',              -- when somebody last changed status, link or note
  gone            TEXT    NOT NULL DEFAULT '',              -- since which version it does not come back, or ''
  gone_at         TEXT    NOT NULL DEFAULT ''               -- when that was seen
) STRICT;
CREATE INDEX mismatches_by_operation ON mismatches (suspect, operation);
CREATE INDEX mismatches_by_cause ON mismatches (cause);

-- Which campaign saw which of them how often; hits of a mismatch are their sum.
CREATE TABLE sightings (
  mismatch        INTEGER NOT NULL REFERENCES mismatches (id) ON DELETE CASCADE,
  campaign        INTEGER NOT NULL REFERENCES campaigns (id),
  hits            INTEGER NOT NULL CHECK (hits >= 1),
  first_seen      TEXT    NOT NULL,
  last_seen       TEXT    NOT NULL,
  PRIMARY KEY (mismatch, campaign)
) STRICT, WITHOUT ROWID;

-- Causes that people have described, which are facts, and candidates, which follow from the rows (docs/causes.md).
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

-- One row per profile: which combinations of features its cases have shown, over all campaigns.
CREATE TABLE coverage (
  profile         TEXT    NOT NULL PRIMARY KEY,             -- what was sampled
  feature_table   TEXT    NOT NULL,                         -- hash of the features and levels that the tuples are of
  cases           INTEGER NOT NULL,                         -- judged cases that were counted
  tuples          BLOB    NOT NULL,                         -- two bits a tuple (src/core/coverage.h)
  updated         TEXT    NOT NULL                          -- when it was last written
) STRICT;

-- One row per run of `convict score --db`.
CREATE TABLE scores (
  id              INTEGER PRIMARY KEY AUTOINCREMENT,
  uuid            TEXT    NOT NULL UNIQUE,                  -- 32 hexadecimal digits: the same in every copy
  written         TEXT    NOT NULL,                         -- when it was finished
  convict_version TEXT    NOT NULL,
  settings        TEXT    NOT NULL CHECK (json_valid(settings)),  -- JSON: the command line as it was understood
  result          TEXT    NOT NULL CHECK (json_valid(result))     -- JSON: what `convict score --format json` prints
) STRICT;

PRAGMA application_id = 0x63766374;
PRAGMA user_version = 9;
)sql";

// ---- The schema before the present one, and how its contents become those of the present one ------------------------

inline constexpr int kOldSchemaVersion = 8;

inline constexpr const char* kOldSchema = R"sql(
CREATE TABLE campaigns ( id INTEGER PRIMARY KEY AUTOINCREMENT, seed TEXT NOT NULL, profile TEXT NOT NULL, flags
  TEXT NOT NULL CHECK (json_valid(flags)), libraries TEXT NOT NULL CHECK (json_valid(libraries)), isa TEXT NOT
  NULL, convict_version TEXT NOT NULL, counts TEXT NOT NULL DEFAULT '{}' CHECK (json_valid(counts)), state TEXT
  NOT NULL DEFAULT 'running' CHECK (state IN ('running', 'finished', 'interrupted', 'failed')), started TEXT
  NOT NULL, updated TEXT NOT NULL, ended TEXT , focus TEXT NOT NULL DEFAULT '' CHECK (focus = '' OR
  json_valid(focus)) , uuid TEXT NOT NULL DEFAULT '' , done TEXT NOT NULL DEFAULT '[]' CHECK (json_valid(done))
  , ratios TEXT NOT NULL DEFAULT '{}' CHECK (json_valid(ratios)) , surveys TEXT NOT NULL DEFAULT '[]' CHECK
  (json_valid(surveys)) , judged TEXT NOT NULL DEFAULT '{}' CHECK (json_valid(judged)) ) STRICT;
CREATE TABLE mismatches ( id INTEGER PRIMARY KEY AUTOINCREMENT, signature TEXT NOT NULL UNIQUE, verdict TEXT
  NOT NULL, suspect TEXT NOT NULL, blame TEXT NOT NULL, case_text TEXT NOT NULL, cost REAL NOT NULL,
  shrunk_text TEXT, certificate TEXT NOT NULL CHECK (json_valid(certificate)), first_seen TEXT NOT NULL,
  last_seen TEXT NOT NULL, hits INTEGER NOT NULL DEFAULT 1 CHECK (hits >= 1), status TEXT NOT NULL DEFAULT
  'new' CHECK (status IN ('new', 'known', 'reported', 'fixed', 'wontfix')), link TEXT NOT NULL DEFAULT '', note
  TEXT NOT NULL DEFAULT '', first_campaign INTEGER NOT NULL REFERENCES campaigns (id), last_campaign INTEGER
  NOT NULL REFERENCES campaigns (id) , coarse TEXT NOT NULL DEFAULT '' , operation TEXT NOT NULL DEFAULT '' ,
  geography TEXT NOT NULL DEFAULT '' , predicate TEXT NOT NULL DEFAULT '' , explanation TEXT NOT NULL DEFAULT
  '{}' CHECK (json_valid(explanation)) , shrunk_certificate TEXT CHECK (shrunk_certificate IS NULL OR
  json_valid(shrunk_certificate)) , triaged TEXT NOT NULL DEFAULT '' , versions TEXT NOT NULL DEFAULT '{}'
  CHECK (json_valid(versions)) , cause INTEGER REFERENCES causes (id) , gone TEXT NOT NULL DEFAULT '' , gone_at
  TEXT NOT NULL DEFAULT '' ) STRICT;
CREATE TABLE coverage ( profile TEXT NOT NULL PRIMARY KEY, feature_table TEXT NOT NULL, cases INTEGER NOT NULL,
  tuples BLOB NOT NULL, updated TEXT NOT NULL ) STRICT;
CREATE UNIQUE INDEX campaigns_by_uuid ON campaigns (uuid);
CREATE INDEX mismatches_by_operation ON mismatches (suspect, operation);
CREATE TABLE sightings ( mismatch INTEGER NOT NULL REFERENCES mismatches (id) ON DELETE CASCADE, campaign
  INTEGER NOT NULL REFERENCES campaigns (id), hits INTEGER NOT NULL CHECK (hits >= 1), first_seen TEXT NOT
  NULL, last_seen TEXT NOT NULL, PRIMARY KEY (mismatch, campaign) ) STRICT, WITHOUT ROWID;
CREATE TABLE moments ( campaign INTEGER NOT NULL REFERENCES campaigns (id) ON DELETE CASCADE, seconds REAL NOT
  NULL, cases INTEGER NOT NULL, pairs INTEGER NOT NULL, triples INTEGER NOT NULL, PRIMARY KEY (campaign,
  seconds) ) STRICT, WITHOUT ROWID;
CREATE TABLE scores ( id INTEGER PRIMARY KEY AUTOINCREMENT, uuid TEXT NOT NULL UNIQUE, written TEXT NOT NULL,
  convict_version TEXT NOT NULL, settings TEXT NOT NULL CHECK (json_valid(settings)), result TEXT NOT NULL
  CHECK (json_valid(result)) ) STRICT;
CREATE TABLE candidates ( mismatch INTEGER NOT NULL REFERENCES mismatches (id) ON DELETE CASCADE, case_text
  TEXT NOT NULL, campaign INTEGER NOT NULL REFERENCES campaigns (id), cost REAL NOT NULL, blame TEXT NOT NULL,
  certificate TEXT NOT NULL CHECK (json_valid(certificate)), hits INTEGER NOT NULL CHECK (hits >= 1), PRIMARY
  KEY (mismatch, case_text, campaign) ) STRICT, WITHOUT ROWID;
CREATE TABLE causes ( id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT UNIQUE, title TEXT NOT NULL, block TEXT
  NOT NULL DEFAULT '', status TEXT NOT NULL DEFAULT 'new' CHECK (status IN ('new', 'known', 'reported',
  'fixed', 'wontfix')), link TEXT NOT NULL DEFAULT '', note TEXT NOT NULL DEFAULT '', versions TEXT NOT NULL
  DEFAULT '{}' CHECK (json_valid(versions)), triaged TEXT NOT NULL DEFAULT '' ) STRICT;
CREATE INDEX mismatches_by_cause ON mismatches (cause);
PRAGMA user_version = 8;
)sql";

inline constexpr std::array kOldTables = {"candidates", "sightings", "moments",  "mismatches",
                                          "causes",     "campaigns", "coverage", "scores"};
inline constexpr std::array kOldIndexes = {"campaigns_by_uuid", "mismatches_by_operation", "mismatches_by_cause"};

/// Fills the tables of the present schema from those of the old one, which have the prefix old_. Rows stay as they are;
/// the facts say what they say: their hits are those of the rule that they have, and where there is none, the
/// candidates are the cases that were kept.
inline constexpr const char* kConversion = R"sql(
INSERT INTO campaigns (id, uuid, seed, profile, flags, libraries, isa, convict_version, counts, state, started, updated,
                       ended, focus, done, ratios, surveys, judged)
  SELECT id, uuid, seed, profile, flags, libraries, isa, convict_version, counts, state, started, updated, ended, focus,
         done, ratios, surveys, judged FROM old_campaigns;
INSERT INTO moments SELECT campaign, seconds, cases, pairs, triples FROM old_moments;
INSERT INTO causes SELECT id, name, title, block, status, link, note, versions, triaged FROM old_causes;
INSERT INTO coverage SELECT profile, feature_table, cases, tuples, updated FROM old_coverage;
INSERT INTO scores SELECT id, uuid, written, convict_version, settings, result FROM old_scores;
INSERT INTO mismatches (id, signature, coarse, operation, verdict, suspect, blame, case_text, cost, certificate,
                        shrunk_text, shrunk_certificate, geography, predicate, explanation, first_seen, last_seen, hits,
                        first_campaign, last_campaign, cause, status, link, note, versions, triaged, gone, gone_at)
  SELECT id, signature, coarse, operation, verdict, suspect, blame, case_text, cost, certificate, shrunk_text,
         shrunk_certificate, geography, predicate, explanation, first_seen, last_seen, hits, first_campaign,
         last_campaign, cause, status, link, note, versions, triaged, gone, gone_at FROM old_mismatches;
INSERT INTO sightings SELECT mismatch, campaign, hits, first_seen, last_seen FROM old_sightings;

-- Each row with the verdict of its hits, and the rule that covers them.
CREATE TEMP TABLE row AS
  SELECT *, CASE signature WHEN coarse THEN '' ELSE signature END AS rule,
         substr(coarse, length(suspect) + 2, length(coarse) - length(suspect) - length(operation) - 2) AS of_hits
  FROM main.mismatches;
INSERT OR IGNORE INTO seen (campaign, suspect, operation, verdict, rule, tried, hits, first_seen, last_seen)
  SELECT s.campaign, m.suspect, m.operation, m.of_hits, m.rule, '', s.hits, s.first_seen, s.last_seen
  FROM main.sightings s JOIN row m ON m.id = s.mismatch;
INSERT OR IGNORE INTO cases (campaign, suspect, operation, verdict, rule, tried, case_text, cost, blame, certificate,
                             hits)
  SELECT k.campaign, m.suspect, m.operation, m.of_hits, '', '', k.case_text, k.cost, k.blame, k.certificate, k.hits
  FROM old_candidates k JOIN row m ON m.id = k.mismatch WHERE m.rule = '';
INSERT OR IGNORE INTO cases (campaign, suspect, operation, verdict, rule, tried, case_text, cost, blame, certificate,
                             hits)
  SELECT last_campaign, suspect, operation, of_hits, rule, '', case_text, cost, blame, certificate, 1 FROM row;
INSERT OR IGNORE INTO learnt (id, suspect, operation, verdict, case_text, learnt, signature, shown_verdict, geography,
                              predicate, shrunk_text, shrunk_certificate, explanation)
  SELECT fingerprint(json_array(suspect, operation, of_hits, case_text, first_seen, signature, verdict, geography,
                                predicate, shrunk_text, shrunk_certificate, explanation)),
         suspect, operation, of_hits, case_text, first_seen, signature, verdict, geography, predicate, shrunk_text,
         shrunk_certificate, explanation FROM row WHERE rule <> '' AND explanation <> '{}';
INSERT OR IGNORE INTO said (suspect, operation, verdict, rule, case_text, of_cause, status, link, note, versions,
                            triaged)
  SELECT suspect, operation, of_hits, rule, case_text, 0, status, link, note, versions, triaged FROM row
  WHERE status <> 'new' OR link <> '' OR note <> '';
INSERT OR IGNORE INTO said (suspect, operation, verdict, rule, case_text, of_cause, status, link, note, versions,
                            triaged)
  SELECT m.suspect, m.operation, m.of_hits, m.rule, m.case_text, 1, k.status, k.link, k.note, k.versions, k.triaged
  FROM row m JOIN main.causes k ON k.id = m.cause
  WHERE k.name IS NULL AND (k.status <> 'new' OR k.link <> '' OR k.note <> '');
INSERT OR IGNORE INTO replayed (suspect, operation, verdict, rule, case_text, gone, replayed)
  SELECT suspect, operation, of_hits, rule, case_text, gone, gone_at FROM row WHERE gone_at <> '';
DROP TABLE temp.row;
UPDATE sqlite_sequence SET seq = coalesce(
    (SELECT old.seq FROM sqlite_sequence old WHERE old.name = 'old_' || sqlite_sequence.name), seq);
)sql";

}  // namespace convict::store
