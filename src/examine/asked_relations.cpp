// SPDX-License-Identifier: Apache-2.0
#include "examine/asked_relations.h"

#include "core/named.h"

namespace convict::examine {

AskedRelations asked_relations_named(std::string_view name) {
  return named<AskedRelations>(kAskedRelationsNames, name);
}

}  // namespace convict::examine
