// SPDX-License-Identifier: Apache-2.0
#include "reports/shared/standing.h"

namespace convict::reports {

bool came_back(const report::MismatchReport& one) {
  // Times are ISO 8601 and sort as text.
  return one.row.effective_status == "fixed" && !one.row.triaged.empty() && one.row.last_seen > one.row.triaged;
}

bool fails(const report::MismatchReport& one) {
  const bool excused = one.row.blame == name_of(Blame::kOracle) || one.row.blame == name_of(Blame::kNobody);
  return (one.is_new() || came_back(one)) && !excused;
}

std::string standing(const report::MismatchReport& one) {
  std::string text = one.row.status_text();
  if (came_back(one)) text += ", but seen again";
  if ((one.is_new() || came_back(one)) && !fails(one)) text += ", blame: " + one.row.blame;
  return text;
}

}  // namespace convict::reports
