// SPDX-License-Identifier: Apache-2.0
//
// What implementations are asked for only if they say that they can (convict_abilities).
#pragma once

#include "abi/convict.h"

namespace convict::run {

/// Why an implementation with these abilities is not even asked about a problem; nullptr if it is.
inline const char* missing_ability(const convict_problem& p, const convict_abilities& abilities) {
  if (p.requantization != CONVICT_NO_REQUANTIZATION && !abilities.requantizes)
    return "it says nothing of requantization";
  return nullptr;
}

}  // namespace convict::run
