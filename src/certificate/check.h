// SPDX-License-Identifier: Apache-2.0
//
// The certificate of a mismatch, verified from the case line alone and by other code than the one that issued it:
// docs/background/certificates.md. Nothing of the implementation that was caught is run.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/case.h"
#include "core/certificate.h"
#include "core/verdict.h"

namespace convict::certificate {

/// Larger operands are not drawn again: what one worker may have by default.
inline constexpr double kMostDrawnBytes = 4.0 * (1 << 30);

/// What came of the claims of one certificate.
struct CertificateCheck {
  int confirmed_claims = 0, refuted_claims = 0;
  int unchecked_claims = 0;        // that no case line tells
  std::vector<std::string> lines;  // one for every claim: "terms: confirmed (9)", "terms: REFUTED: ...", "...: not ..."

  bool confirmed() const { return refuted_claims == 0 && confirmed_claims > 0; }
  bool wholly_confirmed() const { return confirmed() && unchecked_claims == 0; }
  bool refuted() const { return refuted_claims > 0; }
  // If it is neither confirmed nor refuted, it has no claim that can be checked.

  /// A claim of which nothing can be said, and why.
  void leave_unchecked(std::string_view what, std::string_view why);
};

/// Draws the data of the case again, evaluates the element that the certificate speaks of, and checks every claim.
/// Throws UsageError for a case that is not legal (unless that is the claim) and for a certificate that lacks a key.
CertificateCheck check_certificate(const Case& c, Verdict verdict, const Certificate& certificate);

}  // namespace convict::certificate
