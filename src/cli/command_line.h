// SPDX-License-Identifier: Apache-2.0
//
// The command line of the program as data, from which shell completion and manual pages are written.
#pragma once

#include <string>
#include <vector>

#include "cli/parser.h"

namespace convict::cli {

enum class Takes { kNothing, kText, kWord, kFile, kDirectory };

/// An option with its value, or a positional argument.
struct Argument {
  std::vector<std::string> names;  // "-j", "--jobs"; a positional has one name
  std::string help, default_value;
  Takes takes = Takes::kNothing;
  std::vector<std::string> words;  // if it takes one
  bool more_words = false;         // there are words known at run time only, such as names in a plugin
  bool positional = false, required = false, repeats = false, value_is_optional = false;

  const std::string& long_name() const { return names.back(); }
  std::string placeholder() const;  // "JOBS"
  std::string brief() const;        // the first sentence of the help, without the default
};

struct CommandLine {
  std::string name;  // "fuzz"; of the program itself "convict"
  std::string summary, footer;
  std::vector<Argument> arguments;

  std::vector<Argument> options() const;
  std::vector<Argument> positionals() const;
};

struct Program {
  CommandLine itself;
  std::vector<CommandLine> commands;  // in the order of --help, without hidden ones
};

Program describe_program(Command program);

/// All names of all options, without positionals: "-j --jobs -q --quiet".
std::string all_names(const std::vector<Argument>& options);

}  // namespace convict::cli
