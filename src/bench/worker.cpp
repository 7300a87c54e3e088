// SPDX-License-Identifier: Apache-2.0
#include "bench/worker.h"

#include <malloc.h>

#include "bench/measurement.h"
#include "core/case_text.h"
#include "workers/worker_session.h"

namespace convict::bench {
namespace {

using nlohmann::json;

/// Memory that a call gives back stays with the process, mapped, for the next call: who allocates results or workspaces
/// in every call would else be measured by the kernel's page faults.
void keep_memory() {
  mallopt(M_MMAP_MAX, 0);
  mallopt(M_TRIM_THRESHOLD, -1);
}

json to_json(const std::vector<Measured>& rows) {
  json list = json::array();
  for (const Measured& row : rows) {
    json timings = json::object();
    for (const auto& [name, timing] : row.timings) timings[name] = {timing.best, timing.mean};
    list.push_back({{"threads", row.threads}, {"timings", timings}, {"refused", row.refused}});
  }
  return list;
}

}  // namespace

int run_bench_worker() {
  keep_memory();
  workers::WorkerSession session;
  if (!session.load()) return 0;
  json sides = json::object();
  for (const Contestant& who : contestants_of(session.subjects())) sides[who.name] = who.side;
  Operands operands;
  while (true) {
    const json message = session.next_message();
    const json& work = message["bench"];
    session.record().index = message["first"].get<uint64_t>();
    const std::vector<Measured> rows =
        measure(parse_case(work["case"].get<std::string>()), session.subjects(), work["without"],
                {work["threads"], work["seconds"], work["repetitions"]}, operands, session.record());
    session.send({{"examination", {{"sides", sides}, {"rows", to_json(rows)}}}, {"index", message["first"]}});
    session.finish(1);
  }
}

}  // namespace convict::bench
