// SPDX-License-Identifier: Apache-2.0
#include "core/verdict.h"

#include <fmt/format.h>

#include "core/case_text.h"

namespace convict {

std::string signature(const Mismatch& mismatch) {
  return fmt::format("{}|{}|{}", mismatch.suspect, name_of(mismatch.verdict), operation_text(mismatch.problem_case));
}

}  // namespace convict
