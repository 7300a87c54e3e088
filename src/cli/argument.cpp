// SPDX-License-Identifier: Apache-2.0
#include "cli/argument.h"

#include <algorithm>
#include <cctype>
#include <iterator>

namespace convict::cli {
namespace {

std::vector<Argument> select(const std::vector<Argument>& arguments, bool positional) {
  std::vector<Argument> result;
  std::ranges::copy_if(arguments, std::back_inserter(result),
                       [&](const Argument& argument) { return argument.positional == positional; });
  return result;
}

}  // namespace

std::string Argument::placeholder() const {
  std::string text = long_name().substr(long_name().find_first_not_of('-'));
  if (!positional)
    std::ranges::transform(text, text.begin(), [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
  return text;
}

std::string Argument::brief() const {
  const std::string text = help.substr(0, help.find(". "));
  return text.substr(0, text.find(" ["));
}

std::vector<Argument> CommandLine::options() const { return select(arguments, false); }

std::vector<Argument> CommandLine::positionals() const { return select(arguments, true); }

}  // namespace convict::cli
