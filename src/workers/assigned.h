// SPDX-License-Identifier: Apache-2.0
//
// Work with the order that says so, and parts of it.
#pragma once

#include <cstdint>

#include "workers/messages.h"

namespace convict::workers {

struct Assigned {
  Work work;
  Order order;  // with the same numbers of cases
};

/// Where the case stands in the work.
inline uint64_t position_in(const Work& work, uint64_t index) { return (index - work.first) / work.step; }

/// Cases `begin` to `end` - 1 of a work, counted from its first one.
Work part_of(const Work& work, uint64_t begin, uint64_t end);
Assigned part_of(const Assigned& one, uint64_t begin, uint64_t end);

}  // namespace convict::workers
