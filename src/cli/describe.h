// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fmt/format.h>

#include <string>

#include "core/text.h"
#include "core/verdict.h"
#include "reports/shared/certificate_text.h"

namespace convict::cli {

/// The certificate of a mismatch in a few indented lines.
inline std::string describe(const Mismatch& mismatch) {
  return fmt::format("  {}: {} (blame: {})\n", printable(mismatch.suspect), name_of(mismatch.verdict),
                     name_of(mismatch.blame)) +
         reports::describe_certificate(mismatch.certificate);
}

/// The SGR code for a blame: red for targets, yellow for all others.
constexpr const char* color_of(Blame blame) { return blame == Blame::kTarget ? "1;31" : "1;33"; }

}  // namespace convict::cli
