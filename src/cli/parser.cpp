// SPDX-License-Identifier: Apache-2.0
#include "cli/parser.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cctype>
#include <filesystem>
#include <span>
#include <sstream>
#include <utility>

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
    {"--database", "--db"},    {"--json", "--format json"},  {"--html", "--format html"}, {"--junit", "--format junit"},
    {"--out", "--output"},     {"--file", "--output"},       {"--silent", "--quiet"},     {"--continue", "--resume"},
    {"--known-failures", "--known"}, {"-t", "--time"},       {"-n", "--cases"},           {"-p", "--plugin"},
    {"-s", "--seed"},          {"-d", "--db"},               {"-w", "--where"}};
constexpr OtherWord kOtherCommands[] = {
    {"run", "fuzz"},      {"test", "fuzz"},     {"check", "fuzz"},       {"trial", "fuzz"},     {"reproduce", "repro"},
    {"rerun", "repro"},   {"reduce", "shrink"}, {"minimize", "shrink"},  {"ls", "list"},        {"info", "show"},
    {"html", "report"},   {"status", "report"}, {"mark", "triage"},      {"init", "new-plugin"}, {"new", "new-plugin"},
    {"diagnose", "explain"}, {"benchmark", "bench"}};

template <size_t N>
std::string_view our_word(const OtherWord (&words)[N], std::string_view theirs) {
  const auto found = std::ranges::find(words, theirs, &OtherWord::theirs);
  return found == std::end(words) ? std::string_view() : found->ours;
}

std::string did_you_mean(std::string_view ours) { return fmt::format("; did you mean '{}'?", ours); }

template <class T>
CLI::Validator in_range(T low, T high) {
  const CLI::Range range(low, high);
  const auto why_not = [range, low, high](std::string& text) {
    return range(text).empty() ? ""
                               : fmt::format("'{}' is not valid; valid: {} to {}", printable(text), low, high);
  };
  return CLI::Validator(why_not, range.get_description());
}

/// A flag in place of a value, such as --db in "--plugin --db a.db".
CLI::Validator is_no_flag_of(const CLI::App& app) {
  const auto why_not = [&app](std::string& text) {
    const bool is_flag = text.starts_with('-') && app.get_option_no_throw(text) != nullptr;
    return is_flag ? fmt::format("its value is missing before '{}'", text) : "";
  };
  return CLI::Validator(why_not, "");
}

Words names_of(const std::vector<Command>& commands) {
  Words names;
  for (const Command command : commands) names.push_back(command.described().name);
  return names;
}

/// Hidden ones are commands, too.
bool is_command(CLI::App& app, std::string_view word) {
  return std::ranges::any_of(app.get_subcommands([](const CLI::App*) { return true; }),
                             [&](const CLI::App* one) { return one->get_name() == word; });
}

/// What is typed in place of a command: another tool's word for it, a plugin, or a case.
std::string unknown_command(const std::string& word, const Words& commands) {
  const auto lower = [](unsigned char c) { return static_cast<char>(std::tolower(c)); };
  std::string low = word;
  std::ranges::transform(word, low.begin(), lower);
  std::string hint = suggestion(low, commands);
  if (const std::string_view ours = our_word(kOtherCommands, low); !ours.empty()) hint = did_you_mean(ours);
  if (low.starts_with("conv")) hint = did_you_mean("convict repro 'CASE'");
  if (low.ends_with(".so")) hint = did_you_mean(fmt::format("convict fuzz {}", printable(word)));
  return fmt::format("unknown command '{}'{}; valid: {}", printable(word), hint, fmt::join(commands, ", "));
}

/// "--format" of "--format=json".
std::string_view name_given(std::string_view argument) { return argument.substr(0, argument.find('=')); }

/// Words that are left over.
std::string why_unexpected(const CLI::App& command, const std::string& why, std::span<char* const> arguments) {
  std::vector<std::string> flags, bare;
  for (const CLI::Option* option : command.get_options()) {
    bare.push_back(option->get_single_name());
    flags.push_back("--" + bare.back());
  }
  for (const std::string_view argument : arguments) {
    const std::string given(name_given(argument));
    if (argument == command.get_name() || why.find(given) == std::string::npos) continue;
    if (!given.starts_with('-'))
      return fmt::format("'{}' is one word too many; --help shows what is valid", printable(given));
    const std::string_view ours = our_word(kOtherWords, given);
    const bool is_ours = std::ranges::find(flags, ours.substr(0, ours.find(' '))) != flags.end();
    if (std::ranges::find(flags, given) != flags.end())
      return fmt::format("'{}' comes before the command; valid: convict {} {}", printable(given), command.get_name(),
                         printable(given));
    // The dashes would make short words alike.
    std::string near = suggestion(given.substr(given.find_first_not_of('-')), bare);
    if (const size_t quote = near.find('\''); quote != std::string::npos) near.insert(quote + 1, "--");
    return fmt::format("unknown flag '{}'{}; --help shows all", printable(given),
                       is_ours ? did_you_mean(ours) : given.starts_with("--") ? near : "");
  }
  return why + "; --help shows what is valid";
}

/// The first example of a command's help, without what is said of it.
std::string example_of(const CLI::App& command) {
  constexpr std::string_view kBegin = ":\n  convict ";
  const std::string footer = command.get_footer();
  const size_t at = footer.find(kBegin);
  if (at == std::string::npos) return "";
  const size_t begin = at + kBegin.find("convict");
  const std::string line = footer.substr(begin, footer.find('\n', begin) - begin);
  return line.substr(0, line.find("  "));
}

/// A positional argument or a flag that has to be there, by its description and an example.
std::string why_missing(const CLI::App& command, const std::string& why) {
  const std::string name = why.substr(0, why.find(" is required"));
  for (const CLI::Option* option : command.get_options())
    if (option->get_name() == name || option->get_single_name() == name)
      return fmt::format("{} is missing; valid: {}; for example: {}", name, option->get_description(),
                         example_of(command));
  return why + "; --help shows what is valid";
}

/// What CLI11 says, in our words.
std::string why_refused(const CLI::App& app, const CLI::ParseError& error, std::span<char* const> arguments) {
  std::string why = error.what();
  std::ranges::replace(why, '\n', ' ');
  const bool is_extra = dynamic_cast<const CLI::ExtrasError*>(&error) != nullptr;
  const bool is_required = dynamic_cast<const CLI::RequiredError*>(&error) != nullptr;
  if (app.get_subcommands().empty() && !arguments.empty() && (is_required || is_extra)) {
    const Words flags = {"--help", "--version", "--config"};
    return fmt::format("unknown flag '{}'{}; valid: {}", printable(arguments[0]), suggestion(arguments[0], flags),
                       fmt::join(flags, ", "));
  }
  if (dynamic_cast<const CLI::ConfigError*>(&error))
    return fmt::format("--config: {}; valid: the names of the flags, in one section a command", why);
  if (const size_t end = why.find(": At Most 1 required"); end != std::string::npos)
    return why.substr(0, end) + " is given more than once; valid: once";
  if (app.get_subcommands().empty()) return why + "; convict --help shows the commands";
  const CLI::App& command = *app.get_subcommands().front();
  if (is_extra) return why_unexpected(command, why, arguments);
  if (is_required) return why_missing(command, why);
  if (dynamic_cast<const CLI::ArgumentMismatch*>(&error))
    return fmt::format("{}: its value is missing; --help shows what is valid", why.substr(0, why.find(':')));
  if (dynamic_cast<const CLI::ExcludesError*>(&error)) return why + "; valid: one of them";
  return why + (why.find("valid: ") == std::string::npos ? "; --help shows what is valid" : "");
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
  const std::string text = help.substr(0, std::min(help.find(". "), help.find(":\n")));
  return text.substr(0, text.find(" ["));
}

Option Option::required() const { return Option(*option_->required()); }

Option Option::shows_default() const { return Option(*option_->capture_default_str()); }

Option Option::described_as(const std::string& help) const { return Option(*option_->description(help)); }

Option Option::one_of(const Words& words) const {
  const auto why_not = [words](const std::string& text) {
    if (std::ranges::find(words, text) != words.end()) return std::string();
    return fmt::format("'{}' is not valid{}; valid: {}", printable(text), suggestion(text, words),
                       fmt::join(words, ", "));
  };
  return Option(*option_->check(CLI::Validator(why_not, fmt::format("{{{}}}", fmt::join(words, ",")))));
}

Option Option::shows_words(const Words& words) const {
  const auto accept = [](std::string&) { return std::string(); };
  return Option(*option_->check(CLI::Validator(accept, fmt::format("{{{}}}", fmt::join(words, ",")))));
}

Option Option::within(int low, int high) const { return Option(*option_->check(in_range(low, high))); }

Option Option::within(uint64_t low, uint64_t high) const { return Option(*option_->check(in_range(low, high))); }

Option Option::within(double low, double high) const { return Option(*option_->check(in_range(low, high))); }

Option Option::positive() const {
  const auto why_not = [](std::string& text) {
    return CLI::PositiveNumber(text).empty()
               ? ""
               : fmt::format("'{}' is not valid; valid: a number above 0", printable(text));
  };
  return Option(*option_->check(CLI::Validator(why_not, CLI::PositiveNumber.get_description())));
}

Option Option::not_empty() const {
  const auto why_not = [](std::string& text) { return text.empty() ? "is empty; leave it out, or say what" : ""; };
  return Option(*option_->check(CLI::Validator(why_not, "")));
}

Option Option::file_to_write() const {
  const auto why_not = [](const std::string& name) -> std::string {
    namespace fs = std::filesystem;
    std::error_code error;
    const fs::path folder = fs::path(name).parent_path();
    std::string why;
    if (name.empty()) why = "no name";
    if (fs::is_directory(name, error)) why = "Is a directory";
    if (!folder.empty() && !fs::is_directory(folder, error)) why = "No such file or directory";
    if (why.empty()) return "";
    return fmt::format("cannot write '{}' ({}); valid: a file in a writable directory", printable(name, 300), why);
  };
  return Option(*option_->check(CLI::Validator(why_not, "")));
}

Option Option::unsigned_number() const {
  const auto why_not = [](std::string& text) {
    return parse_unsigned(text)
               ? ""
               : fmt::format("'{}' is not valid; valid: digits alone, at most 18446744073709551615", printable(text));
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
  CLI::Option* option = std::visit([&](auto* one) { return app_->add_option(names, *one, help); }, value);
  return Option(*option->check(is_no_flag_of(*app_)));
}

Option Command::prefixed_option(const std::string& names, Words& values, const std::string& prefix,
                                const std::string& help) const {
  const std::function<void(const Words&)> add = [&values, prefix](const Words& given) {
    for (const std::string& one : given) values.push_back(prefix + one);
  };
  return Option(*app_->add_option_function<Words>(names, add, help)->check(is_no_flag_of(*app_)));
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
  return Option(*app_->add_option_function<Words>(names, add, help)->check(is_no_flag_of(*app_)));
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
    if (!words.empty() && !words[0].starts_with('-') && !is_command(*app_, words[0]))
      return unknown_command(words[0], names_of(program().commands()));
    std::ranges::reverse(words);  // as CLI11 wants them
    app_->parse(std::move(words));
  } catch (const CLI::ParseError& error) {  // --help and --version are errors to CLI11, too
    if (error.get_exit_code() != 0)
      return why_refused(*app_, error, std::span(argv, static_cast<size_t>(argc)).subspan(1));
    std::ostringstream help;
    app_->exit(error, help, help);
    print(help.str());
  }
  return std::nullopt;
}

}  // namespace convict::cli
