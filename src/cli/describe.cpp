// SPDX-License-Identifier: Apache-2.0
#include "cli/describe.h"

#include <fmt/format.h>

#include "core/text.h"
#include "reports/shared/certificate_text.h"

namespace convict::cli {

std::string describe(const Mismatch& mismatch) {
  return fmt::format("  {}: {} (blame: {})\n", printable(mismatch.suspect), name_of(mismatch.verdict),
                     name_of(mismatch.blame)) +
         reports::describe_certificate(mismatch.certificate);
}

}  // namespace convict::cli
