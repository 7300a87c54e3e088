// SPDX-License-Identifier: Apache-2.0
//
// What can be typed, as data: shell completion and manual pages are written from it.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace convict::cli {

enum class Takes { kNothing, kText, kWord, kFile, kDirectory };

/// An option with its value, or a positional argument.
struct Argument {
  std::vector<std::string> names;  // "-j", "--jobs"; of a positional its name
  std::string help, default_value;
  Takes takes = Takes::kNothing;
  std::vector<std::string> words;  // if it takes one
  bool more_words = false;         // known at run time only, such as the names in a plugin
  bool positional = false, required = false, repeats = false, value_is_optional = false;

  const std::string& long_name() const { return names.back(); }
  std::string placeholder() const;  // "JOBS"
  std::string brief() const;        // the first sentence of the help, without what defaults
};

struct CommandLine {
  std::string name;             // "fuzz"; of the program itself "convict"
  std::string summary, footer;  // the footer as CLI11 has it
  std::vector<Argument> arguments;

  std::vector<Argument> options() const;
  std::vector<Argument> positionals() const;
};

struct Program {
  CommandLine itself;
  std::vector<CommandLine> commands;  // in the order of --help, without hidden ones
};

Program describe_program(const CLI::App& app);

/// Options by all of their names, positionals not at all: "-j --jobs -q --quiet".
std::string all_names(const std::vector<Argument>& options);

}  // namespace convict::cli
