// SPDX-License-Identifier: Apache-2.0
//
// The worker of `convict bench`. It measures one layer after the other (workers/messages.h, Layer and LayerReport).
#pragma once

namespace convict::bench {

inline constexpr const char* kBenchWorker = "bench-worker";  // the hidden command

/// The body of that command. Returns when the supervisor closes the command pipe.
int run_bench_worker();

}  // namespace convict::bench
