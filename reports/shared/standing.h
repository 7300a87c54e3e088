// SPDX-License-Identifier: Apache-2.0
//
// What a mismatch means for whoever reads reports: does it need somebody, and if not, why not.
#pragma once

#include <string>
#include <vector>

#include "report/report.h"

namespace convict::reports {

/// Fixed, and seen again after that was said.
bool came_back(const report::MismatchReport& one);

/// Whether it is a reason to fail a job: new or back again, and not the fault of an oracle or of nobody, as in
/// docs/decisions/0003-exit-code-and-oracle-mismatches.md.
bool fails(const report::MismatchReport& one);

/// "new", "new, blame: oracle", "fixed, but seen again", "known", "new (known for onednn 2.6.3)". Not escaped.
std::string standing(const report::MismatchReport& one);

/// Those that fail first, then by status as people have to look at them (kStatuses), then as they are.
std::vector<const report::MismatchReport*> by_urgency(const report::Report& report);

}  // namespace convict::reports
