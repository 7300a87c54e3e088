// SPDX-License-Identifier: Apache-2.0
#include "workers/worker.h"

#include <algorithm>

#include "workers/worker_session.h"

namespace convict::workers {

namespace {

/// The indices of the next `count` cases.
std::vector<uint64_t> places_of(const Work& work, uint64_t begin, uint64_t count) {
  std::vector<uint64_t> indices;
  for (uint64_t i = begin; i < std::min(begin + count, work.count); ++i) indices.push_back(work.first + i * work.step);
  return indices;
}

}  // namespace

int run_worker() {
  WorkerSession session;
  session.prefer_judging_to_speed();
  if (!session.load()) return 0;
  const generate::Sampling sampling = session.settings().sampling();
  while (true) {
    const Work work = session.next<Work>();
    uint64_t done = 0;
    const uint64_t block = session.reach();
    for (; done < work.count && !session.has_enough(); ++done) {
      if (block > 1 && done % block == 0) session.look_ahead(sampling, places_of(work, done, block), work.without);
      session.examine_drawn(sampling, work.first + done * work.step, work.without);
      if ((done + 1) % block == 0) session.look_back();
    }
    session.look_back();
    session.finish(done);
  }
}

}  // namespace convict::workers
