// SPDX-License-Identifier: Apache-2.0
//
// Evidence before it is kept: what the independent checker refutes is a bug of convict itself.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/verdict.h"

namespace convict::campaign {

/// The first claim that the checker refutes, in words; nothing if it refutes none, or if that would take long.
std::optional<std::string> refuted_claim(const Mismatch& mismatch);

/// Adds a line to `notes` if there is such a claim. `row`: of the database.
void note_own_bug(int64_t row, const Mismatch& mismatch, std::vector<std::string>& notes);

}  // namespace convict::campaign
