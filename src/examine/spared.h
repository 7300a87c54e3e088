// SPDX-License-Identifier: Apache-2.0
//
// An oracle that keeps dying of one kind of case costs a process each time, and its libraries have to be loaded again.
// Once it has died of one, it takes part in few of such cases only: enough to find what else is wrong, and to notice
// that it was mended.
#pragma once

#include <fmt/format.h>

#include <set>
#include <string>

#include "core/case.h"
#include "core/random.h"

namespace convict::examine {

/// What makes cases alike here: operation of any rank, views or none, bias or none.
inline std::string kind_of_case(std::string_view implementation, const Case& c) {
  return fmt::format("{} op {} pass {} views {} bias {}", implementation, static_cast<int>(c.op),
                     static_cast<int>(c.pass), c.views != Views{}, c.bias);
}

/// Implementations and kinds, as kind_of_case names them.
using SparedKinds = std::set<std::string>;

/// Whether this case is one of those that an oracle is spared: fifteen in sixteen, by the seed.
inline bool is_spared(const SparedKinds& spared, std::string_view implementation, const Case& c) {
  if (spared.empty() || !spared.contains(kind_of_case(implementation, c))) return false;
  return mix(c.seed ^ 0x5e57) % 16 != 0;
}

}  // namespace convict::examine
