// SPDX-License-Identifier: Apache-2.0
//
// Calls of an implementation on threads of their own, for other data, while a call of it is judged.
#pragma once

#include <atomic>
#include <memory>
#include <thread>
#include <vector>

#include "abi/convict.h"
#include "examine/scene.h"

namespace convict::examine {

class ConcurrentCalls {
 public:
  /// Returns when every thread is within a call, or has ended one. `who` has to be concurrent.
  ConcurrentCalls(const convict_implementation& who, const convict_abilities& abilities, const Scene& scene);

  /// Waits for the calls that are under way.
  ~ConcurrentCalls();

  ConcurrentCalls(const ConcurrentCalls&) = delete;
  ConcurrentCalls& operator=(const ConcurrentCalls&) = delete;

 private:
  /// Operands with memory of their own; what one of these calls computes is nobody's concern.
  struct Operands;

  void call_again_and_again(Operands& operands);

  const convict_implementation& who_;
  convict_problem problem_;  // on one thread
  std::atomic<int> begun_ = 0;
  std::atomic<bool> ending_ = false;
  std::vector<std::unique_ptr<Operands>> operands_;
  std::vector<std::thread> threads_;
};

}  // namespace convict::examine
