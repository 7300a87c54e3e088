// SPDX-License-Identifier: Apache-2.0
//
// The table `scores`.
#pragma once

#include <optional>
#include <string>

#include "store/rows.h"
#include "store/statements.h"

namespace convict::store {

void insert_score(Statements& sql, const StoredScore& score);

/// The score that was written last. `path` is for messages.
std::optional<StoredScore> select_last_score(Statements& sql, const std::string& path);

}  // namespace convict::store
