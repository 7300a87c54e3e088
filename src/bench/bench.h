// SPDX-License-Identifier: Apache-2.0
//
// Many layers, measured by a worker that this process survives.
#pragma once

#include <functional>
#include <span>

#include "bench/layers.h"
#include "bench/measurement.h"
#include "bench/result.h"
#include "workers/supervisor.h"

namespace convict::bench {

/// Measures all layers with one worker. Whoever kills it, or exceeds the time of a call, is left out of the layer,
/// which is then measured again. `progress` is told several times a second how many layers are done.
BenchResult run_bench(std::span<const BenchLayer> layers, const MeasuringSettings& measuring,
                      workers::SupervisorSettings supervisor, const std::function<void(size_t)>& progress);

}  // namespace convict::bench
