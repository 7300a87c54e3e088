// SPDX-License-Identifier: Apache-2.0
//
// What a command and its arguments are called, do and take.
#pragma once

#include <string>
#include <vector>

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

}  // namespace convict::cli
