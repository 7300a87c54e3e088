// SPDX-License-Identifier: Apache-2.0
//
// A correct kernel that takes the problems of one domain only, and its twin that is wrong on some of them.
#pragma once

#include <string>

#include "tests/narrow/domain.h"

namespace convict::narrow {

class NarrowKernel {
 public:
  /// `domain` must live longer.
  NarrowKernel(const Domain& domain, bool has_fault);
  NarrowKernel(const NarrowKernel&) = delete;
  NarrowKernel& operator=(const NarrowKernel&) = delete;

  /// It lives as long as this.
  const convict_implementation& implementation() const { return implementation_; }
  /// What one of these implementations can. Precondition: `self` is one.
  static const convict_abilities* abilities_of(const convict_implementation* self);

 private:
  struct Implementation : convict_implementation {
    const NarrowKernel* owner = nullptr;
  };

  static const char* unsupported(const convict_implementation* self, const convict_problem* p,
                                 const convict_tensors* t);
  static convict_status run(const convict_implementation* self, const convict_problem* p, const convict_tensors* t,
                            char* error, size_t error_size);

  const Domain& domain_;
  const bool has_fault_;
  const std::string name_, description_;
  std::vector<std::string> reasons_;  // one for each condition
  Implementation implementation_;
  convict_abilities abilities_ = {};
};

}  // namespace convict::narrow
