// SPDX-License-Identifier: Apache-2.0
//
// Writes the scripts for shell completion; one source file per shell.
#pragma once

#include <string>

#include "cli/command_line.h"

namespace convict::cli {

std::string bash_completion(const Program& program);
std::string zsh_completion(const Program& program);
std::string fish_completion(const Program& program);

/// The text in single quotes, for bash and zsh.
std::string single_quoted(const std::string& text);

}  // namespace convict::cli
