// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace convict::reports {

/// Makes UTF-8 that XML 1.0 can hold (2.2, production Char). U+FFFD replaces invalid UTF-8, U+FFFE, U+FFFF, and control
/// characters other than tab and line ends.
std::string valid_text(const std::string& text);

}  // namespace convict::reports
