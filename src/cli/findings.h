// SPDX-License-Identifier: Apache-2.0
//
// Mismatches as a page for people who do not have the database.
#pragma once

#include <string>

#include "store/store.h"

namespace convict {

/// Markdown: one section for each mismatch of this suspect, or of any oracle if that is empty. What came from the
/// database, or from whoever wrote to it, is text there: it cannot become markup.
std::string findings_page(const Store& store, const std::string& suspect);

}  // namespace convict
