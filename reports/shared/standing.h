// SPDX-License-Identifier: Apache-2.0
//
// Whether a mismatch needs the reader's attention, and if not, why.
#pragma once

#include <string>

#include "report/report.h"

namespace convict::reports {

/// Whether the mismatch was seen again after somebody marked it as fixed.
bool came_back(const report::MismatchReport& one);

/// Whether a job fails because of it: it is new or came back, and neither an oracle nor nobody is blamed
/// (docs/decisions/0003-exit-code-and-oracle-mismatches.md).
bool fails(const report::MismatchReport& one);

/// "new", "new, blame: oracle", "fixed, but seen again", "known", "new (known for onednn 2.6.3)". Not escaped.
std::string standing(const report::MismatchReport& one);

}  // namespace convict::reports
