// SPDX-License-Identifier: Apache-2.0
//
// What is left out of the examination of a case. An oracle that often dies on one kind of case costs a worker process
// each time, and its libraries have to load again. After its first death it runs only a few cases of that kind: enough to
// find other faults, and to notice a fix. Relations cost several calls each.
#pragma once

#include <fmt/format.h>

#include <array>
#include <set>
#include <string>
#include <string_view>

#include "core/case.h"
#include "core/names.h"
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

/// Which of the metamorphic relations that apply to a case are checked, for each target that agrees with the reference.
/// kOne: one, on one case in eight, chosen by the seed, because a relation costs several calls; a campaign does so.
/// kAll: one after the other, for a second of CPU time.
enum class AskedRelations { kNone, kOne, kAll };

inline constexpr std::array<std::string_view, 3> kAskedRelationsNames = {"none", "one", "all"};

constexpr std::string_view name_of(AskedRelations asked) { return kAskedRelationsNames[static_cast<size_t>(asked)]; }

/// Throws UsageError for an unknown name.
inline AskedRelations asked_relations_named(std::string_view name) {
  return named<AskedRelations>(kAskedRelationsNames, name);
}

}  // namespace convict::examine
