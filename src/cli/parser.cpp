// SPDX-License-Identifier: Apache-2.0
#include "cli/parser.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <sstream>
#include <utility>

#include "cli/argument.h"
#include "cli/streams.h"
#include "core/text.h"

namespace convict::cli {
namespace {

using Words = std::vector<std::string>;

/// Limits the size of a file, because CLI11 would read any file to its end, /dev/zero included.
CLI::Validator small_text_file() {
  return CLI::Validator(
      [](std::string& name) -> std::string {
        constexpr uintmax_t kLargest = 1 << 20;  // bytes
        std::error_code error;
        const bool regular = std::filesystem::is_regular_file(name, error);
        if (regular && std::filesystem::file_size(name, error) <= kLargest) return "";
        return fmt::format("'{}' is not a file of at most {} bytes", printable(name, 200), kLargest);
      },
      "");
}

/// What other programs call what we have.
struct OtherWord {
  std::string_view theirs, ours;
};
constexpr OtherWord kOtherWords[] = {
    {"--only", "--target"},    {"--kernel", "--target"},     {"--impl", "--target"},      {"--reference", "--oracle"},
    {"--against", "--oracle"}, {"--filter", "--where"},      {"--library", "--plugin"},   {"--lib", "--plugin"},
    {"--so", "--plugin"},      {"--iterations", "--cases"},  {"--runs", "--cases"},       {"--count", "--cases"},
    {"--trials", "--cases"},   {"--max-examples", "--cases"}, {"--duration", "--time"},   {"--max-time", "--time"},
    {"--minutes", "--time"},   {"--workers", "--jobs"},      {"--threads", "--jobs"},     {"--parallel", "--jobs"},
    {"--database", "--db"},    {"--json", "--format"},       {"--out", "--output"},       {"--file", "--output"},
    {"--silent", "--quiet"},   {"--continue", "--resume"},   {"--known-failures", "--known"}};

Words names_of(const std::vector<Command>& commands) {
  Words names;
  for (const Command command : commands) names.push_back(command.described().name);
  return names;
}

/// CLI11's message; but an unexpected first argument is reported as a misspelt command.
std::string why_refused(const CLI::App& app, const Words& commands, const CLI::ParseError& error, int argc,
                        char** argv) {
  if (app.get_subcommands().empty() && argc > 1 && argv[1][0] != '-')
    return fmt::format("unknown command '{}'{}; valid: {}", printable(argv[1]), suggestion(argv[1], commands),
                       fmt::join(commands, ", "));
  if (app.get_subcommands().empty() && argc > 1 && dynamic_cast<const CLI::RequiredError*>(&error)) {
    const Words flags = {"--help", "--version", "--config"};
    return fmt::format("unknown flag '{}'{}; valid: {}", printable(argv[1]), suggestion(argv[1], flags),
                       fmt::join(flags, ", "));
  }
  std::string why = error.what();
  for (char& c : why)
    if (c == '\n') c = ' ';
  if (dynamic_cast<const CLI::ConfigError*>(&error))
    return fmt::format("--config: {}; valid: the names of the flags, in one section a command", why);
  if (const size_t end = why.find(": At Most 1 required"); end != std::string::npos)
    return why.substr(0, end) + " is given more than once; valid: once";
  Words flags;
  if (!app.get_subcommands().empty())
    for (const CLI::Option* option : app.get_subcommands().front()->get_options())
      flags.push_back("--" + option->get_single_name());
  for (int i = 2; i < argc && dynamic_cast<const CLI::ExtrasError*>(&error); ++i) {
    const std::string given = std::string(argv[i]).substr(0, std::string(argv[i]).find('='));
    if (why.find(given) == std::string::npos || !given.starts_with("--")) continue;
    const auto theirs = std::ranges::find(kOtherWords, given, &OtherWord::theirs);
    const bool is_known = theirs != std::end(kOtherWords) && std::ranges::find(flags, theirs->ours) != flags.end();
    return fmt::format("unknown flag '{}'{}; --help shows all", printable(given),
                       is_known ? fmt::format("; did you mean '{}'?", theirs->ours) : suggestion(given, flags));
  }
  return why + (app.get_subcommands().empty() ? "; convict --help shows the commands" : "; --help shows what is valid");
}

/// `convict help fuzz` is `convict fuzz --help`, and `convict version` is `convict --version`.
Words as_flags(int argc, char** argv) {
  Words words(argv + std::min(argc, 1), argv + argc);
  if (!words.empty() && words[0] == "help") {
    words.erase(words.begin());
    words.emplace_back("--help");
  } else if (words.size() == 1 && words[0] == "version") {
    words = {"--version"};
  }
  return words;
}

/// Members of a CLI::IsMember, and the words of shows_words(). CLI11 has them in the type of the option only:
/// "TEXT:{text,json}".
Words members(const std::string& type) {
  const size_t begin = type.find('{'), end = type.find('}', begin);
  if (begin == std::string::npos || end == std::string::npos) return {};
  Words words;
  for (const std::string_view word : split(std::string_view(type).substr(begin + 1, end - begin - 1), ','))
    words.emplace_back(word);
  return words;
}

Argument argument_of(const CLI::Option& option) {
  Argument argument;
  argument.is_positional = option.get_positional();
  for (const std::string& name : option.get_snames()) argument.names.push_back("-" + name);
  for (const std::string& name : option.get_lnames()) argument.names.push_back("--" + name);
  if (argument.is_positional) argument.names = {option.get_name()};
  argument.help = option.get_description();
  argument.words = members(option.get_type_name());
  argument.needs_value = option.get_items_expected_min() > 0;
  return argument;
}

}  // namespace

std::string Argument::brief() const {
  const std::string text = help.substr(0, help.find(". "));
  return text.substr(0, text.find(" ["));
}

Option Option::required() const { return Option(*option_->required()); }

Option Option::shows_default() const { return Option(*option_->capture_default_str()); }

Option Option::described_as(const std::string& help) const { return Option(*option_->description(help)); }

Option Option::one_of(const Words& words) const { return Option(*option_->check(CLI::IsMember(words))); }

Option Option::shows_words(const Words& words) const {
  const auto accept = [](std::string&) { return std::string(); };
  return Option(*option_->check(CLI::Validator(accept, fmt::format("{{{}}}", fmt::join(words, ",")))));
}

Option Option::within(int low, int high) const { return Option(*option_->check(CLI::Range(low, high))); }

Option Option::within(uint64_t low, uint64_t high) const { return Option(*option_->check(CLI::Range(low, high))); }

Option Option::within(double low, double high) const { return Option(*option_->check(CLI::Range(low, high))); }

Option Option::positive() const { return Option(*option_->check(CLI::PositiveNumber)); }

Option Option::not_empty() const {
  const auto why_not = [](std::string& text) { return text.empty() ? "is empty; leave it out, or say what" : ""; };
  return Option(*option_->check(CLI::Validator(why_not, "")));
}

Option Option::unsigned_number() const {
  const auto why_not = [](std::string& text) {
    return parse_unsigned(text) ? ""
                                : fmt::format("'{}' is not a number of 0 to 18446744073709551615", printable(text));
  };
  return Option(*option_->check(CLI::Validator(why_not, "")));
}

Option Option::comma_separated() const { return Option(*option_->delimiter(',')->allow_extra_args(false)); }

Option Option::one_value_each() const { return Option(*option_->allow_extra_args(false)); }

Option Option::value_is_optional() const { return Option(*option_->expected(0, 1)); }

Option Option::excludes(Option other) const { return Option(*option_->excludes(other.option_)); }

Option Option::under(const std::string& heading) const { return Option(*option_->group(heading)); }

bool Option::was_given() const { return option_->count() > 0; }

Command Command::add_command(const std::string& name, const std::string& help, const std::string& footer) const {
  CLI::App* command = app_->add_subcommand(name, help);
  if (!footer.empty()) command->footer(footer);
  return Command(*command);
}

Command Command::under(const std::string& heading) const { return Command(*app_->group(heading)); }

Command Command::hidden() const { return Command(*app_->group("")); }

void Command::on_call(std::function<void()> run) const { app_->callback(std::move(run)); }

Option Command::add_option(const std::string& names, OptionValue value, const std::string& help) const {
  return Option(*std::visit([&](auto* one) { return app_->add_option(names, *one, help); }, value));
}

Option Command::prefixed_option(const std::string& names, Words& values, const std::string& prefix,
                                const std::string& help) const {
  const std::function<void(const Words&)> add = [&values, prefix](const Words& given) {
    for (const std::string& one : given) values.push_back(prefix + one);
  };
  return Option(*app_->add_option_function<Words>(names, add, help));
}

Option Command::files_option(const std::string& names, Words& files, const std::string& help) const {
  const std::function<void(const Words&)> add = [&files](const Words& given) {
    for (const std::string& one : given) {
      std::error_code error;
      if (one.find(',') == std::string::npos || std::filesystem::exists(one, error)) {
        files.push_back(one);
        continue;
      }
      for (const std::string_view file : split(one, ',')) files.emplace_back(file);
    }
  };
  return Option(*app_->add_option_function<Words>(names, add, help));
}

Option Command::flag(const std::string& names, bool& value, const std::string& help) const {
  return Option(*app_->add_flag(names, value, help));
}

Option Command::operator[](const std::string& name) const { return Option(*app_->get_option(name)); }

Command Command::subcommand(const std::string& name) const { return Command(*app_->get_subcommand(name)); }

CommandLine Command::described() const {
  CommandLine line{app_->get_name(), app_->get_description(), {}};
  for (const CLI::Option* option : std::as_const(*app_).get_options())
    if (!option->get_group().empty()) line.arguments.push_back(argument_of(*option));
  return line;
}

std::vector<Command> Command::commands() const {
  std::vector<Command> commands;
  for (CLI::App* command : app_->get_subcommands([](const CLI::App* one) { return !one->get_group().empty(); }))
    commands.emplace_back(*command);
  return commands;
}

Parser::Parser(const std::string& help, const std::string& footer) : app_(std::make_unique<CLI::App>(help, "convict")) {
  app_->set_version_flag("--version", "convict " CONVICT_VERSION);
  app_->set_config("--config", "", "TOML file with the same names as the flags, one section a command");
  app_->get_config_ptr()->check(small_text_file(), "");
  app_->allow_config_extras(CLI::config_extras_mode::error);  // a misspelt name must not be silently without effect
  app_->require_subcommand(1);
  app_->footer(footer);
}

Parser::~Parser() = default;

std::optional<std::string> Parser::parse(int argc, char** argv) {
  try {
    Words words = as_flags(argc, argv);
    std::ranges::reverse(words);  // as CLI11 wants them
    app_->parse(std::move(words));
  } catch (const CLI::ParseError& error) {  // --help and --version are errors to CLI11, too
    if (error.get_exit_code() != 0) return why_refused(*app_, names_of(program().commands()), error, argc, argv);
    std::ostringstream help;
    app_->exit(error, help, help);
    print(help.str());
  }
  return std::nullopt;
}

}  // namespace convict::cli
