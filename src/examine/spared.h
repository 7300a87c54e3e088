// SPDX-License-Identifier: Apache-2.0
//
// An oracle that often dies on one kind of case costs a worker process each time, and its libraries have to load again.
// After its first death it runs only a few cases of that kind: enough to find other faults, and to notice a fix.
#pragma once

#include <fmt/format.h>

#include <set>
#include <string>

#include "core/case.h"
#include "core/random.h"

namespace convict::examine {

/// Cases are of one kind if op, pass, the use of views and the use of bias are the same.
inline std::string kind_of_case(std::string_view implementation, const Case& c) {
  return fmt::format("{} op {} pass {} views {} bias {}", implementation, static_cast<int>(c.op),
                     static_cast<int>(c.pass), c.views != Views{}, c.bias);
}

/// Implementations and kinds, as kind_of_case names them.
using SparedKinds = std::set<std::string>;

/// Whether the oracle is spared this case: fifteen of sixteen cases of a kind, by the seed.
inline bool is_spared(const SparedKinds* spared, std::string_view implementation, const Case& c) {
  if (!spared || spared->empty() || !spared->contains(kind_of_case(implementation, c))) return false;
  return mix(c.seed ^ 0x5e57) % 16 != 0;
}

/// Whether the implementation at this roster position is left out: it died of the case in another process, or has its
/// cases in processes of its own.
constexpr bool is_left_out(uint64_t without, size_t position) { return (without >> position & 1) != 0; }

}  // namespace convict::examine
