// SPDX-License-Identifier: Apache-2.0
#include <malloc.h>

#include "core/case_text.h"
#include "lab/bench/bench.h"
#include "workers/worker_session.h"

namespace convict::bench {
namespace {

/// Keeps freed memory mapped in the process for the next call. Without that, the times of implementations that allocate
/// in every call would be mostly page faults.
void keep_memory() {
  mallopt(M_MMAP_MAX, 0);
  mallopt(M_TRIM_THRESHOLD, -1);
}

workers::LayerReport report_on(uint64_t index, const std::vector<Measured>& rows) {
  workers::LayerReport report{index, {}, {}};
  for (const Measured& row : rows) {
    workers::LayerTimes& times = report.rows.emplace_back();
    times.threads = row.threads;
    times.refused = row.refused;
    for (const auto& [name, timing] : row.timings) times.seconds[name] = {timing.best, timing.mean};
    if (row.memory) times.memory = {row.memory->best, row.memory->mean};
  }
  return report;
}

}  // namespace

int run_bench_worker() {
  keep_memory();
  workers::WorkerSession session;
  if (!session.load(workers::WorkerSession::Purpose::kMeasure)) return 0;
  std::map<std::string, int> sides;
  for (const Contestant& who : contestants_of(session.subjects())) sides[who.name] = static_cast<int>(who.side);
  LayerOperands operands;
  while (true) {
    const auto layer = session.next<workers::Layer>();
    session.record().index = layer.index;
    const std::vector<Measured> rows =
        measure(parse_case(layer.case_text), session.subjects(), {layer.without.begin(), layer.without.end()},
                {layer.threads, layer.seconds, layer.repetitions, session.data()}, operands, session.record());
    workers::LayerReport report = report_on(layer.index, rows);
    report.sides = sides;
    session.send(report);
    session.finish(1);
  }
}

}  // namespace convict::bench
