// SPDX-License-Identifier: Apache-2.0
#include "examine/calls.h"

#include <utility>

#include "abi/element.h"
#include "core/earlier.h"
#include "core/geometry.h"
#include "core/layout.h"
#include "core/names.h"
#include "core/random.h"
#include "core/role.h"
#include "fill/fill.h"
#include "run/guarded_call.h"
#include "run/subject.h"

namespace convict::examine {
namespace {

constexpr uint64_t kOtherContents = 0x07e4;  // distinguishes the data of a warming-up call

/// The same problem but for one more position or image.
Case neighbour(const Case& c) {
  Case other = c;
  other.before = {};
  if ((mix(c.seed) & 2) != 0)
    other.batch += 1;
  else
    other.in[c.rank - 1] += 1;
  return other;
}

std::optional<std::string> beyond_contract(const Case& c, const convict_contract& contract) {
  if (c.beta != 0 && !contract.accumulates) return "its contract has no beta";
  if (c.relu && !contract.fuses_relu) return "its contract has no ReLU";
  return std::nullopt;
}

}  // namespace

std::vector<Case> cases_before(const Case& c) {
  std::vector<Case> others = earlier_cases(c);
  if (c.calls == Calls::kAfter) others.push_back(neighbour(c));
  return others;
}

uint64_t data_seed_before(const Case& c) { return mix(c.seed ^ kOtherContents); }

OwnOperands::OwnOperands(const Scene& scene, uint64_t data_seed) : tensors_(scene.described()) {
  for (const Role& role : kRoles) {
    convict_tensor& tensor = tensors_.*role.tensor;
    if (tensor.ndim == 0) continue;
    const size_t size = type_size(tensor.dtype);
    auto* const begin = static_cast<std::byte*>(allocate((static_cast<size_t>(buffer_count(tensor)) + 1) * size));
    tensor.data = begin + static_cast<size_t>(tensor.offset) * size;
  }
  fill::fill_operands(scene.the_case(), scene.problem(), tensors_, data_seed);
}

void OwnOperands::add_workspace(size_t bytes) { tensors_.workspace = bytes > 0 ? allocate(bytes) : nullptr; }

void* OwnOperands::allocate(size_t bytes) {
  buffers_.emplace_back(bytes / sizeof(Line) + 1);
  return buffers_.back().data();
}

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

namespace {

constexpr uint64_t kOtherShape = 0x5a9e;  // distinguishes the data and the draws of the problem that is prepared

/// `before`, with the operands that both problems share at one place.
convict_tensors with_shared(convict_tensors before, const convict_tensors& judged) {
  for (const auto shared : {&convict_tensors::wei, &convict_tensors::bias, &convict_tensors::scale,
                            &convict_tensors::multiplier, &convict_tensors::shift})
    before.*shared = judged.*shared;
  return before;
}

}  // namespace

Case prepared_case(const Case& c) {
  const uint64_t draw = mix(c.seed ^ kOtherShape);
  Case same = c;
  same.before = {};
  Case other = same;
  int64_t& size = (draw & 1) != 0 ? other.batch : other.in[c.rank - 1];
  size += (draw & 2) != 0 ? 1 : -1;
  if (size >= 0 && !resolve(other).why_not) return other;
  same.batch += 1;  // which is always legal
  return same;
}

ReshapedCall::ReshapedCall(const convict_implementation& who, const convict_abilities& abilities, const Scene& prepared,
                           const convict_problem& p)
    : convict_implementation(who),
      who_(who),
      abilities_(abilities),
      prepared_(p),
      operands_(prepared, mix(prepared.the_case().seed ^ kOtherShape)) {
  run = take_steps;
}

convict_status ReshapedCall::take_steps(const convict_implementation* self, const convict_problem* p,
                                        const convict_tensors* t, char* error, size_t error_size) {
  const ReshapedCall& call = *static_cast<const ReshapedCall*>(self);
  const convict_tensors operands = with_shared(call.operands_.tensors(), *t);
  void* const steps = call.who_.steps->prepare(&call.who_, &call.prepared_, &operands, error, error_size);
  if (!steps) return CONVICT_REFUSED;
  const convict_status used = call.use(steps, *p, *t, error, error_size);
  const convict_status finished = call.who_.steps->finish(steps);
  return used == CONVICT_OK ? finished : used;
}

convict_status ReshapedCall::use(void* steps, const convict_problem& p, const convict_tensors& t, char* error,
                                 size_t error_size) const {
  convict_status status = who_.steps->execute(steps, error, error_size);
  if (status == CONVICT_OK) status = abilities_.reshape(&who_, steps, &p, &t, error, error_size);
  return status == CONVICT_OK ? who_.steps->execute(steps, error, error_size) : status;
}

std::optional<std::string> why_not_asked(const Scene& scene, const convict_contract& contract,
                                         const convict_abilities& abilities) {
  if (auto reason = beyond_contract(scene.the_case(), contract)) return reason;
  if (const char* missing = run::missing_ability(scene.problem(), abilities)) return missing;
  return std::nullopt;
}

Acceptance answer_of(const Scene& scene, bool legal, const convict_implementation& who,
                     const convict_abilities& abilities, bool is_target, int position, run::FlightRecord& record) {
  const convict_problem& p = scene.problem_for(is_target);
  const Case& c = scene.the_case();
  Acceptance answer;
  const auto refuses = [&](std::optional<std::string> reason) {
    answer.reason = std::move(reason);
    return answer.reason.has_value();
  };
  if (refuses(why_not_asked(scene, who.contract, abilities))) return answer;
  answer.was_asked = true;
  run::Asked asked = run::ask_unsupported(who, position, p, scene.described(), record);
  answer.side_effect = std::move(asked.side_effect);
  if (refuses(std::move(asked.reason)) || !legal) return answer;
  run::Declared declared = run::ask_contract(who, position, p, scene.described(), record);
  if (!declared.trouble.empty() && refuses(std::move(declared.trouble))) return answer;
  answer.contract = declared.contract;
  if (refuses(beyond_contract(c, declared.contract))) return answer;
  const bool special = fill::has_special_values(c) && !is_integer(c.src_type);
  if (special && declared.contract.algorithm != CONVICT_DIRECT)
    refuses("special values are judged in direct sums only: transforms spread them");
  return answer;
}

}  // namespace convict::examine
