// SPDX-License-Identifier: Apache-2.0
//
// Measures many layers in a worker process, and survives the death of that process.
#pragma once

#include <functional>
#include <span>

#include "lab/bench/layers.h"
#include "lab/bench/measurement.h"
#include "lab/bench/result.h"
#include "workers/supervision_settings.h"

namespace convict::bench {

/// Measures all layers with one worker. An implementation that kills it, or exceeds the time of a call, is left out of
/// that layer, which is then measured again. Calls progress(layers done) several times a second.
BenchResult run_bench(std::span<const BenchLayer> layers, const MeasuringSettings& measuring,
                      workers::SupervisionSettings supervisor, const std::function<void(size_t)>& progress);

inline constexpr const char* kBenchWorker = "bench-worker";  // the hidden command

/// The body of that command: measures one layer after the other (workers/messages.h, Layer and LayerReport). Returns
/// when the supervisor closes the command pipe.
int run_bench_worker();

}  // namespace convict::bench
