// SPDX-License-Identifier: Apache-2.0
//
// A diagnosis in sentences, for `explain` and `show`.
#pragma once

#include <string>

#include "store/explanation.h"

namespace convict::cli {

/// The result of a diagnosis. It may come from a database of a stranger.
struct DiagnosisFacts {
  const std::string& predicate;
  const store::Explanation& explanation;
  std::string line;  // of the case
};

/// When it fails, what passes without a condition, what the condition does not explain, what the process has to be
/// like, how many runs that took. Each line is indented. "" if nothing is known.
std::string diagnosis_text(const DiagnosisFacts& found, const std::string& indent = "");

}  // namespace convict::cli
