// SPDX-License-Identifier: Apache-2.0
//
// The worker (src/worker.h) of `convict bench`, which measures one layer after the other. Besides what workers say
// anyway:
//
//   supervisor                                              worker
//   {"bench":{"case","threads":[..],"seconds","repetitions",
//             "without":[name,..]},"first":i}                ->
//                                                          <-  {"examination":{"sides":{name:side},"rows":[{"threads",
//                                                               "timings":{name:[best,mean]},"refused":{..}},..]},
//                                                               "index":i}, then {"done":1,..}
#pragma once

namespace convict::bench {

inline constexpr const char* kBenchWorker = "bench-worker";  // the hidden command

/// The body of that command. Returns when the supervisor closes the command pipe.
int run_bench_worker();

}  // namespace convict::bench
