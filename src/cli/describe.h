// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "core/verdict.h"

namespace convict::cli {

/// The certificate of a mismatch in a few indented lines.
std::string describe(const Mismatch& mismatch);

/// The SGR code for a blame: red for targets, yellow for all others.
constexpr const char* color_of(Blame blame) { return blame == Blame::kTarget ? "1;31" : "1;33"; }

}  // namespace convict::cli
