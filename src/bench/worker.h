// SPDX-License-Identifier: Apache-2.0
//
// `convict bench` in two processes: a worker (src/worker.h) that measures, one layer after the other, and a supervisor
// that survives it. Besides what workers say anyway:
//
//   supervisor                                              worker
//   {"bench":{"case","threads":[..],"seconds","repetitions",
//             "without":[name,..]},"first":i}                ->
//                                                          <-  {"examination":{"sides":{name:side},"rows":[{"threads",
//                                                               "timings":{name:[best,worst]},"refused":{..}},..]},
//                                                               "index":i}, then {"done":1,..}
#pragma once

#include <functional>
#include <span>
#include <string>

#include "bench/layers.h"
#include "bench/measurement.h"
#include "bench/result.h"
#include "supervisor.h"

namespace convict {

inline constexpr const char* kBenchWorker = "bench-worker";  // the hidden command

/// The body of that command. Returns when the supervisor closes the command pipe.
int run_bench_worker();

/// Measures all layers with one worker. Whoever kills it, or exceeds the time of a call, is left out of the layer,
/// which is then measured again. `progress` is told several times a second how many layers are done.
BenchResult run_bench(std::span<const BenchLayer> layers, const MeasuringSettings& measuring,
                      SupervisorSettings supervisor, const std::function<void(size_t)>& progress);

}  // namespace convict
