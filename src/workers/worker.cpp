// SPDX-License-Identifier: Apache-2.0
#include "workers/worker.h"

#include <array>

#include "core/case_text.h"
#include "workers/worker_session.h"

namespace convict::workers {

using nlohmann::json;

json to_json(const WorkerSettings& s) {
  return {{"targets", s.roster.targets}, {"oracles", s.roster.oracles},
          {"plugins", s.roster.plugins}, {"require_oracle", s.roster.require_oracle},
          {"profile", s.profile},        {"seed", s.seed},
          {"memory", s.memory},          {"yardstick", s.yardstick},
          {"resting", s.spared},         {"until_mismatch", s.until_mismatch},
          {"coverage", s.coverage},      {"focus", s.focus},
          {"corpus", s.corpus},          {"environment", s.environment}};
}

WorkerSettings settings_from_json(const json& j) {
  return {{j["targets"], j["oracles"], j["plugins"], j["require_oracle"]},
          j["profile"],
          j["seed"],
          j["memory"],
          j["yardstick"],
          j["resting"],
          j["until_mismatch"],
          j["coverage"],
          j["focus"],
          j["corpus"],
          j["environment"]};
}

json to_json(const examine::Examination& examination) {
  json implementations = json::array(), mismatches = json::array();
  for (const judge::Result& result : examination.results) {
    json& entry = implementations.emplace_back(
        json{{"name", result.who->name}, {"target", result.is_target}, {"outcome", judge::in_words(result)}});
    if (result.comparison.smallest_fault) entry["smallest_fault"] = *result.comparison.smallest_fault;
  }
  for (const Mismatch& mismatch : examination.mismatches) mismatches.push_back(to_json(mismatch));
  return {{"implementations", implementations},
          {"mismatches", mismatches},
          {"judged", examination.judged},
          {"mistrusted", examination.mistrusted}};
}

int run_worker() {
  WorkerSession session;
  session.let_waiting_threads_sleep();
  if (!session.load()) return 0;
  const generate::Sampling sampling = session.settings().sampling();
  while (true) {
    const auto [first, count, step] = session.next_message()["range"].get<std::array<uint64_t, 3>>();
    uint64_t done = 0;
    for (; done < count && !session.has_enough(); ++done) {
      const uint64_t index = first + done * step;
      session.examine_numbered(index, generate::generate(sampling, index));
    }
    session.finish(done);
  }
}

}  // namespace convict::workers
