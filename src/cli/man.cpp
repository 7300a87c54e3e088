// SPDX-License-Identifier: Apache-2.0
//
// `convict man`: writes the manual pages, as a step of the build. They are of section 1 in man(7), without dates, so
// that every build gives the same bytes.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <string_view>
#include <vector>

#include "cli/command.h"
#include "cli/command_line.h"
#include "cli/streams.h"
#include "core/text.h"

namespace convict::cli {
namespace {

constexpr std::string_view kExitCodes = "Exit codes: ", kExamples = "Example";

/// Escapes text so that troff prints it unchanged: "-" would become a hyphen, and a leading "." or "'" a request.
std::string plain(std::string_view text) {
  std::string result = text.starts_with('.') || text.starts_with('\'') ? "\\&" : "";
  for (const char c : text) {
    if (c == '\\')
      result += "\\e";
    else if (c == '-' || c == '\'' || c == '`' || c == '^' || c == '~')
      result += c == '-' ? "\\-" : c == '\'' ? "\\(aq" : c == '`' ? "\\(ga" : c == '^' ? "\\(ha" : "\\(ti";
    else
      result += c;
  }
  return result;
}

std::string upper(std::string text) {
  std::ranges::transform(text, text.begin(), [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
  return text;
}

std::string begin_page(const std::string& name, const std::string& summary) {
  return fmt::format(".TH {} 1 \"\" \"convict {}\" \"User Commands\"\n.SH NAME\n{} \\- {}\n", plain(upper(name)),
                     CONVICT_VERSION, plain(name), plain(summary));
}

std::string section(std::string_view title) { return fmt::format(".SH \"{}\"\n", plain(title)); }

/// The footer that the help prints below the options, by section.
struct Footer {
  std::string description, exit_codes;                        // text
  std::vector<std::pair<std::string, std::string>> verbatim;  // (title, lines), such as examples
};

Footer parse_footer(const std::string& text) {
  Footer footer;
  std::string* paragraph = &footer.description;
  for (const std::string_view line : split(text, '\n')) {
    if (line.empty()) continue;
    if (line.starts_with("  ") && !footer.verbatim.empty()) {
      footer.verbatim.back().second += fmt::format("{}\n", plain(line.substr(2)));
    } else if (line.ends_with(':')) {
      const std::string_view title = line.substr(0, line.size() - 1);
      footer.verbatim.emplace_back(title.starts_with(kExamples) ? "EXAMPLES" : upper(std::string(title)), "");
    } else {
      const bool codes = line.starts_with(kExitCodes);
      if (codes) paragraph = &footer.exit_codes;
      *paragraph += plain(line.substr(codes ? kExitCodes.size() : 0)) + "\n";
    }
  }
  return footer;
}

/// "\fB\-j\fR, \fB\-\-jobs\fR=\fIJOBS\fR".
std::string heading(const Argument& argument) {
  if (argument.positional)
    return fmt::format("\\fI{}\\fR{}", plain(argument.placeholder()), argument.repeats ? "..." : "");
  std::vector<std::string> names;
  for (const std::string& name : argument.names) names.push_back("\\fB" + plain(name) + "\\fR");
  std::string text = fmt::format("{}", fmt::join(names, ", "));
  if (argument.takes == Takes::kNothing) return text;
  const std::string value = fmt::format("=\\fI{}\\fR", plain(argument.placeholder()));
  return text + (argument.value_is_optional ? "[" + value + "]" : value);
}

std::string entry(const Argument& argument) {
  std::string text = fmt::format(".TP\n{}\n{}\n", heading(argument), plain(argument.help));
  const bool told = std::ranges::all_of(
      argument.words, [&](const std::string& word) { return argument.help.find(word) != std::string::npos; });
  if (!told && !argument.more_words)
    text += fmt::format(".br\nOne of {}.\n", plain(fmt::format("{}", fmt::join(argument.words, ", "))));
  if (!argument.default_value.empty()) text += fmt::format(".br\nDefault: {}.\n", plain(argument.default_value));
  return text;
}

std::string entries(std::string_view title, const std::vector<Argument>& arguments) {
  std::string text = arguments.empty() ? "" : section(title);
  for (const Argument& argument : arguments) text += entry(argument);
  return text;
}

std::string synopsis(const CommandLine& command) {
  std::string text = fmt::format(".B convict {}\n[\\fIOPTION\\fR]...\\&\n", plain(command.name));
  for (const Argument& option : command.options())
    if (option.required) text += heading(option) + "\n";
  for (const Argument& argument : command.positionals())
    text += argument.required ? heading(argument) + "\n" : "[" + heading(argument) + "]\n";
  return section("SYNOPSIS") + text;
}

std::string footer_sections(const Footer& footer) {
  std::string text;
  for (const auto& [title, lines] : footer.verbatim) text += section(title) + ".nf\n" + lines + ".fi\n";
  return footer.exit_codes.empty() ? text : text + section("EXIT STATUS") + footer.exit_codes;
}

std::string program_page(const Program& program) {
  std::string text = begin_page("convict", "differential testing and fuzzing of convolution kernels");
  text += section("SYNOPSIS") + ".B convict\n\\fICOMMAND\\fR [\\fIOPTION\\fR]...\\&\n";
  const Footer footer = parse_footer(program.itself.footer);
  text += section("DESCRIPTION") + plain(program.itself.summary) + ".\n" + footer.description + section("COMMANDS");
  for (const CommandLine& command : program.commands)
    text += fmt::format(".TP\n.BR {} (1)\n{}\n", plain("convict-" + command.name), plain(command.summary));
  return text + entries("OPTIONS", program.itself.options()) + footer_sections(footer) + section("ENVIRONMENT") +
         ".TP\n.B NO_COLOR\nIf it is not empty, there are no colours unless \\fB\\-\\-color\\fR asks for them.\n";
}

std::string command_page(const Program& program, const CommandLine& command) {
  const Footer footer = parse_footer(command.footer);
  std::string text = begin_page(program.itself.name + "-" + command.name, command.summary) + synopsis(command);
  text += section("DESCRIPTION") + plain(command.summary) + (command.summary.ends_with('.') ? "\n" : ".\n") +
          footer.description;
  text += entries("ARGUMENTS", command.positionals()) + entries("OPTIONS", command.options());
  return text + footer_sections(footer) + section("SEE ALSO") + ".BR convict (1)\n";
}

void write_page(const std::string& directory, const std::string& name, const std::string& page) {
  write_file(std::filesystem::path(directory) / (name + ".1"), page, "man");
}

}  // namespace

void add_man(Command app, int& exit_code) {
  auto directory = std::make_shared<std::string>();
  const Command command = app.add_command("man", "Writes the manual pages into a directory (internal)").hidden();
  command.option("directory", *directory, "Where convict.1 and the others go").required();
  command.on_call([app, directory, &exit_code] {
    const Program program = describe_program(app);
    write_page(*directory, "convict", program_page(program));
    for (const CommandLine& one : program.commands)
      write_page(*directory, "convict-" + one.name, command_page(program, one));
    exit_code = kClean;
  });
}

}  // namespace convict::cli
