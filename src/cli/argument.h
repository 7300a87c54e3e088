// SPDX-License-Identifier: Apache-2.0
//
// What a command and its arguments are called, do and take.
#pragma once

#include <string>
#include <vector>

namespace convict::cli {

/// An option with its value, or a positional argument.
struct Argument {
  std::vector<std::string> names;  // "-j", "--jobs"; a positional has one name
  std::string help;
  std::vector<std::string> words;  // the values, if there are no others
  bool is_positional = false, needs_value = false;

  /// The first sentence of the help, without the default.
  std::string brief() const;
};

struct CommandLine {
  std::string name;  // "fuzz"; of the program itself "convict"
  std::string summary;
  std::vector<Argument> arguments;
};

}  // namespace convict::cli
