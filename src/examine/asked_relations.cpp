// SPDX-License-Identifier: Apache-2.0
#include "examine/asked_relations.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/error.h"
#include "core/text.h"

namespace convict::examine {

AskedRelations asked_relations_named(std::string_view name) {
  const auto found = std::ranges::find(kAskedRelationsNames, name);
  if (found == kAskedRelationsNames.end())
    throw UsageError(fmt::format("'{}' is not a choice of relations; valid: {}", printable(name),
                                 fmt::join(kAskedRelationsNames, ", ")));
  return static_cast<AskedRelations>(found - kAskedRelationsNames.begin());
}

}  // namespace convict::examine
