// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace convict::reports {

/// UTF-8 that XML 1.0 can hold (2.2, production Char): what is no UTF-8, a control character other than tab and ends of
/// lines, U+FFFE or U+FFFF becomes U+FFFD.
std::string valid_text(const std::string& text);

}  // namespace convict::reports
