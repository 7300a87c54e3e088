// SPDX-License-Identifier: Apache-2.0
//
// The schema before the present one, and how its contents become those of the present one.
#pragma once

#include <array>

namespace convict::store {

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
