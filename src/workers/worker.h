// SPDX-License-Identifier: Apache-2.0
//
// What runs in a worker process, and the messages it exchanges with its supervisor: one JSON object a line.
//
//   supervisor                                        worker
//   {"targets":[..],"oracles":[..],"plugins":[..],..}  ->
//                                                     <-  {"roster":[..],"notes":[..]} or {"error":"..","exit":2}
//   {"range":[first,count,step]}                       ->
//   or {"cases":["..",..],"first":i,"values":bool}
//                                                     <-  {"mismatches":[{..},..],"index":i}, all of a case at once, in
//                                                         the order of the cases; for cases also {"examination":{..}}
//                                                     <-  {"done":count,"refusals":[[name,reason,count],..],
//                                                          "ratios":{name:[count,..]}} (core/ratios.h) and, if coverage
//                                                         is wanted, "tuples":[id,..],"covered":count
#pragma once

#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "core/mismatch_json.h"
#include "examine/pipeline.h"
#include "generate/generate.h"
#include "run/loader.h"

namespace convict::workers {

/// What a worker is told once, at its start.
struct WorkerSettings {
  run::RosterRequest roster;
  std::string profile = "smoke";
  uint64_t seed = 1;
  uint64_t memory = uint64_t{4} << 30;  // resident bytes of one worker
  examine::Yardstick yardstick = examine::Yardstick::kLadder;
  examine::SparedKinds spared = {};
  bool until_mismatch = false;  // a range ends, and all after it are skipped, once a target has a mismatch
  bool coverage = false;        // count the tuples (core/coverage.h) of the legal cases of ranges, and send them
  std::vector<uint32_t> focus;  // of the sampling
  std::string corpus = {};      // folder of a guided worker's inputs (src/fuzz/guided.cpp), which has no other sampling
  std::map<std::string, std::string> environment = {};  // variables set before anything is loaded

  /// What a range numbers. It refers to these settings.
  generate::Sampling sampling() const { return {generate::find_profile(profile), seed, focus}; }

  /// What one case may take of it: the rest is for the libraries and what they allocate.
  double most_bytes() const { return static_cast<double>(memory) / 2; }
};

nlohmann::json to_json(const WorkerSettings& settings);
WorkerSettings settings_from_json(const nlohmann::json& json);

/// {"implementations":[{"name","target","outcome","smallest_fault"}],"mismatches":[..],"judged":bool,"mistrusted":bool};
/// smallest_fault as in judge/compare.h, where there is one.
nlohmann::json to_json(const examine::Examination& examination);

/// The body of the hidden command `worker`. Returns when the supervisor closes the command pipe.
int run_worker();

}  // namespace convict::workers
