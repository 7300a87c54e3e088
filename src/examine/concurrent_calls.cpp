// SPDX-License-Identifier: Apache-2.0
#include "examine/concurrent_calls.h"

#include <cstddef>
#include <vector>

#include "abi/element.h"
#include "core/layout.h"
#include "core/names.h"
#include "core/random.h"
#include "core/role.h"
#include "fill/fill.h"

namespace convict::examine {
namespace {

constexpr uint64_t kOfOthers = 0xb75;  // distinguishes their data

struct alignas(64) Line {  // as workspaces are aligned
  std::byte bytes[64];
};
using Buffer = std::vector<Line>;

Buffer buffer_of(size_t bytes) { return Buffer(bytes / sizeof(Line) + 1); }

}  // namespace

struct ConcurrentCalls::Operands {
  Operands(const convict_implementation& who, const convict_abilities& abilities, const Scene& scene, uint64_t seed)
      : tensors(scene.described()) {
    for (const Role& role : kRoles) {
      convict_tensor& tensor = tensors.*role.tensor;
      if (tensor.ndim == 0) continue;
      const size_t size = type_size(tensor.dtype);
      buffers.push_back(buffer_of((static_cast<size_t>(buffer_count(tensor)) + 1) * size));
      tensor.data = reinterpret_cast<std::byte*>(buffers.back().data()) + static_cast<size_t>(tensor.offset) * size;
    }
    fill::fill_operands(scene.the_case(), scene.problem(), tensors, seed);
    if (!abilities.workspace_size) return;
    buffers.push_back(buffer_of(abilities.workspace_size(&who, &scene.problem(), &scene.described())));
    tensors.workspace = buffers.back().data();
  }

  convict_tensors tensors;
  std::vector<Buffer> buffers;
};

ConcurrentCalls::ConcurrentCalls(const convict_implementation& who, const convict_abilities& abilities,
                                 const Scene& scene)
    : who_(who),
      problem_(scene.problem()),
      operands_(std::make_unique<Operands>(who, abilities, scene, mix(scene.the_case().seed ^ kOfOthers))) {
  problem_.threads = 1;
  thread_ = std::thread([this] { call_again_and_again(); });
  while (!begun_) std::this_thread::yield();
}

ConcurrentCalls::~ConcurrentCalls() {
  ending_ = true;
  thread_.join();
}

void ConcurrentCalls::call_again_and_again() {
  char unread[1];
  begun_ = true;
  while (!ending_) who_.run(&who_, &problem_, &operands_->tensors, unread, sizeof unread);
}

}  // namespace convict::examine
