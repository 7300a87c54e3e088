// SPDX-License-Identifier: Apache-2.0
#include "cli/command_line.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <iterator>
#include <span>

#include "core/implementation.h"
#include "core/text.h"
#include "generate/profile.h"
#include "imports/importer.h"
#include "run/loader.h"
#include "score/score.h"

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

std::vector<std::string_view> witnesses() {
  std::vector<std::string_view> names;
  for (const run::Witness& witness : run::kDefaultWitnesses) names.push_back(witness.name);
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

Words baseline_names() {
  Words words = {"all", "none"};
  for (const score::Method& method : score::baselines()) words.emplace_back(method.name);
  return words;
}

/// Members of a CLI::IsMember, which shows them in the type of the option only: "TEXT:{text,json}".
Words members(const std::string& type) {
  const size_t begin = type.find('{'), end = type.find('}', begin);
  if (begin == std::string::npos || end == std::string::npos) return {};
  Words words;
  for (const std::string_view word : split(std::string_view(type).substr(begin + 1, end - begin - 1), ','))
    words.emplace_back(word);
  return words;
}

/// Words for options that are checked only after parsing. An option name has the same words in every command.
Words known_words(const std::string& name) {
  if (name == "--target") return with(kernels(), std::span(&run::kAllNative, 1));
  if (name == "--oracle") return with({std::string(run::kNoOracle)}, witnesses());
  if (name == "--suspect") return with(kernels(), witnesses());
  if (name == "--profile") return profile_names();
  if (name == "--baselines") return baseline_names();
  return name == "importer" ? importer_names() : Words();
}

bool is_one_of(const std::string& name, std::initializer_list<const char*> names) {
  return std::ranges::find(names, name) != names.end();
}

Takes what_it_takes(const CLI::Option& option, const Argument& argument) {
  const std::string& name = argument.long_name();
  if (option.get_items_expected_max() == 0) return Takes::kNothing;
  if (!argument.words.empty()) return Takes::kWord;
  if (is_one_of(name, {"--corpus", "directory"})) return Takes::kDirectory;
  if (is_one_of(name, {"--config", "--db", "--from", "--output", "--plugin", "inputs", "output", "paths", "what"}))
    return Takes::kFile;
  return Takes::kText;
}

Argument described(const CLI::Option& option) {
  Argument argument;
  argument.positional = option.get_positional();
  for (const std::string& name : option.get_snames()) argument.names.push_back("-" + name);
  for (const std::string& name : option.get_lnames()) argument.names.push_back("--" + name);
  if (argument.positional) argument.names = {option.get_name()};
  argument.help = option.get_description();
  argument.default_value = option.get_default_str();
  argument.words = members(option.get_type_name());
  if (argument.words.empty()) argument.words = known_words(argument.long_name());
  argument.more_words = is_one_of(argument.long_name(), {"--target", "--oracle", "--suspect"});
  argument.takes = what_it_takes(option, argument);
  argument.required = option.get_required();
  argument.repeats = option.get_items_expected_max() > 1;
  argument.value_is_optional = argument.takes != Takes::kNothing && option.get_items_expected_min() == 0;
  return argument;
}

CommandLine described(const CLI::App& app) {
  CommandLine line{app.get_name(), app.get_description(), app.get_footer(), {}};
  for (const CLI::Option* option : app.get_options())
    if (!option->get_group().empty()) line.arguments.push_back(described(*option));
  return line;
}

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

Program describe_program(const CLI::App& app) {
  Program program{described(app), {}};
  for (const CLI::App* command : app.get_subcommands([](const CLI::App* one) { return !one->get_group().empty(); }))
    program.commands.push_back(described(*command));
  return program;
}

std::string all_names(const std::vector<Argument>& options) {
  Words names;
  for (const Argument& option : options) names.insert(names.end(), option.names.begin(), option.names.end());
  return fmt::format("{}", fmt::join(names, " "));
}

}  // namespace convict::cli
