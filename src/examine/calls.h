// SPDX-License-Identifier: Apache-2.0
//
// What an implementation is asked, and called for, before the call that is judged: whether it computes the problem;
// then Calls, and the earlier problems of a case.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "abi/convict.h"
#include "core/case.h"
#include "examine/scene.h"
#include "run/flight_record.h"

namespace convict::examine {

/// The other problems, in their order. Their results are not judged.
std::vector<Case> cases_before(const Case& c);

/// The seed of other data that the operands hold in a call before, for Calls::kRefilled.
uint64_t data_seed_before(const Case& c);

/// Operands with memory of their own, beside those of the judged call.
class OwnOperands {
 public:
  /// Those of the scene, filled with the data of another seed. Results are compared with nothing.
  OwnOperands(const Scene& scene, uint64_t data_seed);

  void add_workspace(size_t bytes);

  const convict_tensors& tensors() const { return tensors_; }

 private:
  struct alignas(64) Line {  // as workspaces are aligned
    std::byte bytes[64];
  };

  void* allocate(size_t bytes);

  convict_tensors tensors_;
  std::vector<std::vector<Line>> buffers_;
};

/// Calls of an implementation on another thread, for other data, while a call of it is judged.
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
  OwnOperands operands_;     // what these calls compute is not compared
  std::atomic<bool> begun_ = false, ending_ = false;
  std::thread thread_;
};

// A judged call by steps that were prepared for another batch size or extent (convict_abilities.reshape).

/// The problem to prepare for: one image, or one position of the last axis, more or less. The seed chooses.
Case prepared_case(const Case& c);

/// An implementation with a `run` that takes the steps of another one: prepares and executes those of `prepared`,
/// reshapes them to the problem that it is called for, and executes once more.
class ReshapedCall : public convict_implementation {
 public:
  /// `who` can reshape, and does not refuse `p`, its problem of `prepared`. All are borrowed.
  ReshapedCall(const convict_implementation& who, const convict_abilities& abilities, const Scene& prepared,
               const convict_problem& p);

 private:
  static convict_status take_steps(const convict_implementation* self, const convict_problem* p,
                                   const convict_tensors* t, char* error, size_t error_size);
  convict_status use(void* steps, const convict_problem& p, const convict_tensors& t, char* error,
                     size_t error_size) const;

  const convict_implementation& who_;
  const convict_abilities& abilities_;
  const convict_problem& prepared_;
  const OwnOperands operands_;
};

/// Why an implementation is not even asked, by what it says of all problems.
std::optional<std::string> why_not_asked(const Scene& scene, const convict_contract& contract,
                                         const convict_abilities& abilities);

/// What one implementation says of a problem.
struct Acceptance {
  std::optional<std::string> reason;         // why it refuses, or why it is not even asked
  std::optional<convict_contract> contract;  // of a legal problem that it accepts, or would
  std::string side_effect;
  bool was_asked = false;
};

/// Refuses on its behalf (why_not_asked()), or asks `unsupported`, and then for the contract if the problem is `legal`.
/// `position`: of `who` in the roster.
Acceptance answer_of(const Scene& scene, bool legal, const convict_implementation& who,
                     const convict_abilities& abilities, bool is_target, int position, run::FlightRecord& record);

}  // namespace convict::examine
