// SPDX-License-Identifier: Apache-2.0
#include "workers/worker.h"

#include "workers/worker_session.h"

namespace convict::workers {

int run_worker() {
  WorkerSession session;
  session.let_waiting_threads_sleep();
  if (!session.load()) return 0;
  const generate::Sampling sampling = session.settings().sampling();
  while (true) {
    const Work work = session.next<Work>();
    uint64_t done = 0;
    for (; done < work.count && !session.has_enough(); ++done) {
      session.examine_drawn(sampling, work.first + done * work.step);
    }
    session.finish(done);
  }
}

}  // namespace convict::workers
