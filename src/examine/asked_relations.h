// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <string_view>

#include "core/names.h"

namespace convict::examine {

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
