// SPDX-License-Identifier: Apache-2.0
#include "cli/command_line.h"

#include <fmt/format.h>

#include <algorithm>
#include <span>

#include "core/implementation.h"
#include "core/text.h"
#include "generate/profile.h"
#include "imports/importer.h"
#include "run/loader.h"

namespace convict::cli {
namespace {

using Words = std::vector<std::string>;

/// Names of the linked kernels. Loading the modules for their names would take a second per key press.
Words kernels() {
  Words words;
  for (const convict_implementation* kernel : native_kernels()) words.emplace_back(kernel->name);
  return words;
}

Words with(Words words, std::span<const std::string_view> more) {
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

/// With the names of clients.
Words with_clients(Words words) {
  for (const run::NamedClient& one : run::named_clients()) words.push_back(one.name);
  return words;
}

std::vector<std::string_view> witnesses() {
  std::vector<std::string_view> names;
  for (const run::DefaultOracle& oracle : run::kDefaultOracles) names.push_back(oracle.name);
  return names;
}

Words profile_names() {
  Words words = {std::string(generate::kAllProfiles)};
  for (const generate::Profile& profile : generate::profiles()) words.emplace_back(profile.name);
  return words;
}

Words importer_names() {
  Words words;
  for (const imports::Importer* importer : imports::all()) words.emplace_back(importer->name);
  return words;
}

/// Words for options that are checked only after parsing. An option name has the same words in every command.
Words known_words(const std::string& name) {
  if (name == "--target") return with_clients(with(kernels(), std::span(&run::kAllNative, 1)));
  if (name == "--oracle") return with_clients(with({std::string(run::kNoOracle)}, witnesses()));
  if (name == "--suspect") return with(kernels(), witnesses());
  if (name == "--profile") return profile_names();
  return name == "importer" ? importer_names() : Words();
}

bool is_one_of(const std::string& name, std::initializer_list<const char*> names) {
  return std::ranges::find(names, name) != names.end();
}

Takes what_it_takes(const Argument& argument) {
  const std::string& name = argument.long_name();
  if (argument.takes == Takes::kNothing) return Takes::kNothing;
  if (!argument.words.empty()) return Takes::kWord;
  if (is_one_of(name, {"--corpus", "directory"})) return Takes::kDirectory;
  if (is_one_of(name, {"--config", "--db", "--from", "file", "--output", "--plugin", "inputs", "output", "paths", "what"}))
    return Takes::kFile;
  return Takes::kText;
}

/// With what the parser does not know: which values there are.
CommandLine described(Command command) {
  CommandLine line = command.described();
  for (Argument& argument : line.arguments) {
    if (argument.words.empty()) argument.words = known_words(argument.long_name());
    argument.more_words = is_one_of(argument.long_name(), {"--target", "--oracle", "--suspect"});
    argument.takes = what_it_takes(argument);
  }
  return line;
}

}  // namespace

Program describe_program(Command program) {
  Program result{described(program), {}};
  for (const Command command : program.commands()) result.commands.push_back(described(command));
  return result;
}

std::string all_names(const std::vector<Argument>& options) {
  Words names;
  for (const Argument& option : options) names.insert(names.end(), option.names.begin(), option.names.end());
  return fmt::format("{}", fmt::join(names, " "));
}

}  // namespace convict::cli
