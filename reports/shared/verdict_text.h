// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "core/verdict.h"

namespace convict::reports {

/// One sentence about what the implementation did, for people who have not read docs/verdicts.md.
std::string_view meaning_of(Verdict verdict);

}  // namespace convict::reports
