// SPDX-License-Identifier: Apache-2.0
//
// A mismatch for people: its certificate and the map of its errors, and its diagnosis in sentences.
#pragma once

#include <fmt/format.h>

#include <string>

#include "core/certificate.h"
#include "core/text.h"
#include "core/verdict.h"
#include "reports/shared/certificate_text.h"
#include "store/rows.h"

namespace convict::cli {

/// The certificate of a mismatch in a few indented lines.
inline std::string describe(const Mismatch& mismatch) {
  return fmt::format("  {}: {} (blame: {})\n", printable(mismatch.suspect), name_of(mismatch.verdict),
                     name_of(mismatch.blame)) +
         reports::describe_certificate(mismatch.certificate);
}

/// The SGR code for a blame: red for targets, yellow for all others.
constexpr const char* color_of(Blame blame) { return blame == Blame::kTarget ? "1;31" : "1;33"; }

/// The result of a diagnosis. It may come from a database of a stranger.
struct DiagnosisFacts {
  const std::string& predicate;
  const store::Explanation& explanation;
  std::string line;  // of the case
};

/// When it fails, what passes without a condition, what the condition does not explain, what the process has to be
/// like, how many runs that took. Each line is indented. "" if nothing is known.
std::string diagnosis_text(const DiagnosisFacts& found, const std::string& indent = "");

/// The map of a certificate (certificates.md), drawn: 'x' is a wrong element, '.' a right one; one picture for
/// each image and channel that has errors, of the last two dimensions. Empty if its text does not fit its dimensions.
std::string draw_map(const ErrorMap& map);

}  // namespace convict::cli
