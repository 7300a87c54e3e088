-- SPDX-License-Identifier: Apache-2.0
-- What a night found, without what differs between two nights of the same cases: times, ids, seconds.
SELECT 'campaign', seed, profile, flags ->> 'shard', state, counts ->> 'cases', done, focus
  FROM campaigns ORDER BY seed, profile, flags ->> 'shard';
SELECT 'outcomes', flags ->> 'shard', json_remove(counts, '$.seconds') FROM campaigns ORDER BY seed, flags ->> 'shard';
SELECT 'mismatch', signature, blame, case_text, certificate, hits, shrunk_text, shrunk_certificate, predicate, status
  FROM mismatches ORDER BY signature;
SELECT 'sighting', signature, flags ->> 'shard', sightings.hits FROM sightings
  JOIN mismatches ON mismatches.id = mismatch JOIN campaigns ON campaigns.id = campaign
  ORDER BY signature, flags ->> 'shard';
SELECT 'case', suspect, verdict, rule, case_text, hits FROM cases
  ORDER BY suspect, operation, verdict, rule, case_text, hits;
SELECT 'coverage', profile, feature_table, cases, hex(tuples) FROM coverage ORDER BY profile;
