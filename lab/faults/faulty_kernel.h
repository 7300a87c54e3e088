// SPDX-License-Identifier: Apache-2.0
//
// A correct kernel with one fault. It has a memory of its own: the call before, and how often the faulty path was
// taken.
#pragma once

#include <optional>

#include "lab/faults/fault.h"

namespace convict::faults {

class FaultyKernel {
 public:
  /// `fault` and the texts must live longer; no fault: the control.
  explicit FaultyKernel(const Fault* fault, const char* name = "faulty", const char* description = "has one fault");
  FaultyKernel(const FaultyKernel&) = delete;
  FaultyKernel& operator=(const FaultyKernel&) = delete;

  /// It lives as long as this.
  const convict_implementation& implementation() const { return implementation_; }

 private:
  struct Implementation : convict_implementation {
    FaultyKernel* owner = nullptr;
  };

  static const char* unsupported(const convict_implementation* self, const convict_problem* p,
                                 const convict_tensors* t);
  static convict_status run(const convict_implementation* self, const convict_problem* p, const convict_tensors* t,
                            char* error, size_t error_size);

  bool strikes(const Case& seen, const convict_problem& p, const convict_tensors& t);
  convict_status compute(const convict_problem& p, const convict_tensors& t, char* error, size_t error_size);

  const Fault* fault_;
  Implementation implementation_;
  std::optional<Case> before_;
  int64_t met_ = 0;
  double stale_ = 0;
};

}  // namespace convict::faults
