// SPDX-License-Identifier: Apache-2.0
//
// The command line as this program needs it, in front of CLI11: that is all in one header, which costs a compiler
// several seconds in every file that includes it. So parser.cpp alone does.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace CLI {
class App;
class Option;
}  // namespace CLI

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

/// What a command and its arguments are called, do and take.
struct CommandLine {
  std::string name;  // "fuzz"; of the program itself "convict"
  std::string summary;
  std::vector<Argument> arguments;
};

/// Where the value of an option goes. Its type says which text is a value, and how the help shows it.
using OptionValue =
    std::variant<std::string*, int*, int64_t*, uint64_t*, double*, std::optional<std::string>*, std::optional<int64_t>*,
                 std::optional<uint64_t>*, std::vector<std::string>*, std::vector<int>*, std::vector<int64_t>*>;

/// An option, a flag or a positional argument: a reference to it, which lives as long as its command. Checks are made,
/// and shown in the help, in the order of the calls.
class Option {
 public:
  explicit Option(CLI::Option& option) : option_(&option) {}

  Option required() const;
  Option shows_default() const;  // in the help: the value of now
  Option described_as(const std::string& help) const;

  Option one_of(const std::vector<std::string>& words) const;
  Option shows_words(const std::vector<std::string>& words) const;  // in help and completion; the command checks them
  Option within(int low, int high) const;
  Option within(uint64_t low, uint64_t high) const;
  Option within(double low, double high) const;
  Option positive() const;
  Option not_empty() const;        // any text but "", which a script passes for a variable that is not set
  Option file_to_write() const;    // said before anything is computed; what else may go wrong shows when it is written
  Option unsigned_number() const;  // what parse_unsigned takes: CLI11 wraps -1 around and cuts what is too large

  Option comma_separated() const;  // "--target a,b", and not "--target a b"
  Option one_value_each() const;   // "--plugin a --plugin b", and not "--plugin a b"
  Option value_is_optional() const;
  Option excludes(Option other) const;

  Option under(const std::string& heading) const;  // of the help

  bool was_given() const;

 private:
  CLI::Option* option_;
};

/// A command, or the program itself: a reference to it, which lives as long as the parser.
class Command {
 public:
  explicit Command(CLI::App& app) : app_(&app) {}

  /// Without a footer it has that of the program.
  Command add_command(const std::string& name, const std::string& help, const std::string& footer = "") const;
  Command hidden() const;  // from the help, in completion and in suggestions
  Command under(const std::string& heading) const;  // of the help of the program
  void on_call(std::function<void()> run) const;

  /// `names` as in "-j,--jobs", or "case" for a positional argument. The value outlives the command.
  Option option(const std::string& names, auto& value, const std::string& help) const {
    return add_option(names, &value, help);
  }
  /// Adds its values to what is in `values`, each behind the prefix. Precondition: what else fills `values` was added
  /// before.
  Option prefixed_option(const std::string& names, std::vector<std::string>& values, const std::string& prefix,
                         const std::string& help) const;
  /// Adds its values to `files`. What has commas and is no file is several of them.
  Option files_option(const std::string& names, std::vector<std::string>& files, const std::string& help) const;
  Option flag(const std::string& names, bool& value, const std::string& help) const;

  /// Precondition: there is an option of this name, such as "--plugin".
  Option operator[](const std::string& name) const;

  /// Precondition: there is a command of this name, such as "fuzz".
  Command subcommand(const std::string& name) const;

  /// As CLI11 knows it. It does not know which values are names of files, or words that a command checks.
  CommandLine described() const;
  std::vector<Command> commands() const;  // in the order of the help, without hidden ones

 private:
  Option add_option(const std::string& names, OptionValue value, const std::string& help) const;

  CLI::App* app_;
};

/// The program, with --help, --version and --config.
class Parser {
 public:
  Parser(const std::string& help, const std::string& footer);
  Parser(const Parser&) = delete;
  Parser& operator=(const Parser&) = delete;
  ~Parser();

  Command program() const { return Command(*app_); }

  /// Calls the command that the words name, or prints the help or version that they ask for. Returns why not, in one
  /// line, if they are wrong.
  std::optional<std::string> parse(int argc, char** argv);

 private:
  std::unique_ptr<CLI::App> app_;
};

}  // namespace convict::cli
