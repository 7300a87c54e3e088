// SPDX-License-Identifier: Apache-2.0
#include "workers/waiting_workers.h"

#include <poll.h>

namespace convict::workers {

void WaitingWorkers::poll_all(std::chrono::milliseconds timeout) const {
  std::vector<WorkerSlot*> listening;
  std::vector<pollfd> pipes;
  for (const Slots* slots : supervisors_)
    for (const auto& slot : *slots) {
      if (!slot || !slot->listens()) continue;
      listening.push_back(slot.get());
      pipes.push_back({slot->process().result_fd(), POLLIN, 0});
    }
  poll(pipes.data(), pipes.size(), static_cast<int>(timeout.count()));
  for (size_t i = 0; i < pipes.size(); ++i)
    if (pipes[i].revents != 0) listening[i]->receive();
}

}  // namespace convict::workers
