// SPDX-License-Identifier: Apache-2.0
#include "examine/concurrent_calls.h"

#include "core/random.h"

namespace convict::examine {
namespace {

constexpr uint64_t kOfOthers = 0xb75;  // distinguishes their data

}  // namespace

ConcurrentCalls::ConcurrentCalls(const convict_implementation& who, const convict_abilities& abilities,
                                 const Scene& scene)
    : who_(who), problem_(scene.problem()), operands_(scene, mix(scene.the_case().seed ^ kOfOthers)) {
  problem_.threads = 1;
  if (abilities.workspace_size) operands_.add_workspace(abilities.workspace_size(&who, &problem_, &scene.described()));
  thread_ = std::thread([this] { call_again_and_again(); });
  begun_.wait(false);
}

ConcurrentCalls::~ConcurrentCalls() {
  ending_ = true;
  thread_.join();
}

void ConcurrentCalls::call_again_and_again() {
  char unread[1];
  begun_ = true;
  begun_.notify_one();
  while (!ending_) who_.run(&who_, &problem_, &operands_.tensors(), unread, sizeof unread);
}

}  // namespace convict::examine
