// SPDX-License-Identifier: Apache-2.0
#include "campaign/own_evidence.h"

#include <fmt/format.h>

#include <algorithm>

#include "certificate/check.h"
#include "core/geometry.h"
#include "core/layout.h"

namespace convict::campaign {
namespace {

constexpr double kMostBytes = 64.0 * (1 << 20);  // of operands, which are drawn again in the supervisor

bool takes_long(const Case& c) {
  const Resolved resolved = resolve(c);
  return resolved.why_not || examination_bytes(describe_tensors(c, resolved.problem), resolved.problem) > kMostBytes;
}

}  // namespace

std::optional<std::string> refuted_claim(const Mismatch& mismatch) {
  if (!mismatch.certificate.element.at || takes_long(mismatch.problem_case)) return std::nullopt;
  const auto check =
      certificate::check_certificate(mismatch.problem_case, mismatch.verdict, mismatch.certificate);
  if (!check.refuted()) return std::nullopt;
  return *std::ranges::find_if(check.lines, [](const std::string& line) {
    return line.find(": REFUTED: ") != std::string::npos;
  });
}

void note_own_bug(int64_t row, const Mismatch& mismatch, std::vector<std::string>& notes) {
  if (const auto claim = refuted_claim(mismatch))
    notes.push_back(fmt::format(
        "a bug of convict itself: its checker refutes the certificate of mismatch {} ({}); please report it", row,
        *claim));
}

}  // namespace convict::campaign
