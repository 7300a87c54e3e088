// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "core/verdict.h"

namespace convict::reports {

/// What an implementation with this verdict did, in one sentence for people who have never read docs/bounds.md.
std::string_view meaning_of(Verdict verdict);

}  // namespace convict::reports
