// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "cli/command_line.h"

namespace convict::cli {

/// Manual pages of section 1 in man(7), without dates, so that every build gives the same bytes.
std::string program_page(const Program& program);
std::string command_page(const Program& program, const CommandLine& command);

}  // namespace convict::cli
