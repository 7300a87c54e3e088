// SPDX-License-Identifier: Apache-2.0
#include "reports/shared/certificate_text.h"

#include <gtest/gtest.h>

namespace convict::test {
namespace {

std::string of(const Certificate::Alone& alone) {
  Certificate certificate;
  certificate.alone = alone;
  return reports::describe_certificate(certificate);
}

/// Nobody is told that a fault shows in none of its calls and yet in 1,196.
TEST(CertificateText, SaysWhatIsRare) {
  EXPECT_NE(of({10, 1, {}, 1196, 250, 0, {}})
                .find("alone: fails 1 of 10 times, each in a fresh process, and in none of 250 calls of one; if it is "
                      "as rare\n      as that, 1,196 calls show it in 99 of 100 tries\n"),
            std::string::npos);
  EXPECT_NE(of({10, 1, {}, 1449, 4096, 13, {}}).find("alone: fails in 13 of 4,096 calls of one process; 1,449 calls"),
            std::string::npos);
  EXPECT_NE(of({10, 7, {}, {}, 4096, 0, {}}).find("alone: fails 7 of 10 times, each in a fresh process\n"),
            std::string::npos);
}

}  // namespace
}  // namespace convict::test
