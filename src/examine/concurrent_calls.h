// SPDX-License-Identifier: Apache-2.0
//
// Calls of an implementation on another thread, for other data, while a call of it is judged.
#pragma once

#include <atomic>
#include <thread>

#include "abi/convict.h"
#include "examine/own_operands.h"
#include "examine/scene.h"

namespace convict::examine {

class ConcurrentCalls {
 public:
  /// Returns when the other thread calls it. `who` has to be concurrent.
  ConcurrentCalls(const convict_implementation& who, const convict_abilities& abilities, const Scene& scene);

  /// Waits for the call that is under way.
  ~ConcurrentCalls();

  ConcurrentCalls(const ConcurrentCalls&) = delete;
  ConcurrentCalls& operator=(const ConcurrentCalls&) = delete;

 private:
  void call_again_and_again();

  const convict_implementation& who_;
  convict_problem problem_;  // on one thread
  OwnOperands operands_;     // what one of these calls computes is nobody's concern
  std::atomic<bool> begun_ = false, ending_ = false;
  std::thread thread_;
};

}  // namespace convict::examine
