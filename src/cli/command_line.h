// SPDX-License-Identifier: Apache-2.0
//
// The command line of the program as data, from which shell completion and manual pages are written.
#pragma once

#include <string>
#include <vector>

#include "cli/argument.h"
#include "cli/parser.h"

namespace convict::cli {

struct Program {
  CommandLine itself;
  std::vector<CommandLine> commands;  // in the order of --help, without hidden ones
};

Program describe_program(Command program);

/// All names of all options, without positionals: "-j --jobs -q --quiet".
std::string all_names(const std::vector<Argument>& options);

}  // namespace convict::cli
