// SPDX-License-Identifier: Apache-2.0
//
// `convict man`: writes the manual pages, as a step of the build.
#include <fmt/format.h>

#include <filesystem>
#include <memory>

#include "cli/command.h"
#include "cli/man_page.h"
#include "cli/options.h"
#include "core/error.h"
#include "core/text.h"

namespace convict::cli {
namespace {

void write_page(const std::string& directory, const std::string& name, const std::string& page) {
  const std::string path = std::filesystem::path(directory) / (name + ".1");
  if (!write_whole_file(path, page))
    throw UsageError(fmt::format("cannot write '{}'; valid: a writable directory", printable(path, 300)));
}

}  // namespace

void add_man(CLI::App& app, int& exit_code) {
  auto directory = std::make_shared<std::string>();
  CLI::App* command = app.add_subcommand("man", "Writes the manual pages into a directory (internal)");
  command->group("");  // not in the help
  command->add_option("directory", *directory, "Where convict.1 and the others go")->required();
  command->callback([&app, directory, &exit_code] {
    const Program program = describe_program(app);
    write_page(*directory, "convict", program_page(program));
    for (const CommandLine& one : program.commands)
      write_page(*directory, "convict-" + one.name, command_page(program, one));
    exit_code = kClean;
  });
}

}  // namespace convict::cli
