// SPDX-License-Identifier: Apache-2.0
#include "cli/options.h"

#include <fmt/format.h>

#include <cstdlib>
#include <ctime>
#include <filesystem>

#include "cli/streams.h"
#include "core/error.h"
#include "core/geometry.h"
#include "core/plugin_name.h"
#include "core/text.h"
#include "examine/spared.h"
#include "fill/given_data.h"
#include "run/heap_guard.h"
#include "workers/attribution.h"
#include "workers/supervision_settings.h"

namespace convict::cli {
namespace {

struct Unit {
  std::string_view name;
  int64_t factor;
};

/// A positive whole number with one of the units.
int64_t parse_quantity(const std::string& text, const std::string& flag, std::initializer_list<Unit> units,
                       const char* examples) {
  const size_t digits = text.find_first_not_of("0123456789");
  const auto number = parse_integer(text.substr(0, digits));
  const std::string_view unit =
      digits == std::string::npos ? std::string_view() : std::string_view(text).substr(digits);
  for (const Unit& known : units)
    if (number && *number > 0 && unit == known.name && *number <= INT64_MAX / known.factor)
      return *number * known.factor;
  throw UsageError(fmt::format("{}: '{}' is not valid; valid: {}", flag, printable(text), examples));
}

}  // namespace

void RunOptions::add_to(Command command) {
  command
      .option("--target", targets,
              "Implementation on trial (repeatable, or comma-separated); 'native' for all native kernels [native]")
      .comma_separated();
  command
      .option("--oracle", oracles,
              "Witness: an implementation, a module ('libtorch'), a framework ('torch', of which one is asked), or "
              "'none' [the variants of LibTorch and oneDNN, in turns]")
      .comma_separated();
  command
      .files_option("--plugin", plugins,
                    "Shared library with implementations of the C ABI (repeatable, or comma-separated); its own are "
                    "the targets unless --target says otherwise")
      .one_value_each();
  add_command_option(command, plugins);
  command.option("--timeout", timeout, "Time of one call before it is a hang: 500ms, 10s, 2m").shows_default();
  command.option("--memory", memory, "Resident memory of one worker before it is killed: 800M, 4G").shows_default();
}

void RunOptions::add_files_to(Command command) {
  command.files_option("file", plugins, "A plugin, as with --plugin");
}

void RunOptions::add_heap_guard_to(Command command) {
  command
      .option("--heap-guard", heap_guard,
              "Allocator of the worker, which notices writes behind heap buffers: glibc (when they are freed), "
              "electric-fence (at once; of the package of this name) [malloc]")
      .one_of(run::heap_guard_names());
}

workers::SupervisionSettings RunOptions::settings() const {
  workers::SupervisionSettings settings;
  settings.worker.roster = {targets, oracles, plugins};
  settings.timeout = parse_duration(timeout, "--timeout");
  settings.worker.patience_ms = settings.timeout.count();
  settings.worker.memory = static_cast<uint64_t>(
      parse_quantity(memory, "--memory", {{"K", 1 << 10}, {"M", 1 << 20}, {"G", 1 << 30}}, "800M, 4G"));
  if (heap_guard.empty()) return settings;
  run::guarded_environment(heap_guard);  // throws
  return workers::with_heap_guard(settings, heap_guard);
}

void add_command_option(Command command, std::vector<std::string>& plugins) {
  command
      .prefixed_option("--command", plugins, std::string(kCommandPrefix),
                       "The same for a program that speaks the protocol of process targets: 'python3 mine.py'")
      .one_value_each()
      .not_empty();
}

void OutputOptions::add_to(Command command, const std::vector<std::string>& formats) {
  command.option("--format", format, fmt::format("Of the result: {}", fmt::join(formats, ", ")))
      .one_of(formats)
      .shows_default();
  command.option("-o,--output", output, "File for the result instead of stdout").file_to_write();
  command.option("--color", color, "auto (on terminals, unless NO_COLOR is set), always or never")
      .one_of({"auto", "always", "never"})
      .shows_default();
  command.flag("-q,--quiet", quiet, "No progress");
  command.flag("-v,--verbose", verbose, "More detail: reasons of refusals, time of each stage");
}

void OutputOptions::write(const std::string& text) const {
  if (output.empty()) return print(text);
  write_file(output, text, "--output");
}

std::string OutputOptions::colored(std::string_view code, const std::string& text, int stream) const {
  const bool to_file = stream == STDOUT_FILENO && !output.empty();
  const bool terminal = !to_file && isatty(stream) != 0 && environment_variable("TERM") != "dumb";
  const bool on = color == "always" || (color == "auto" && terminal && environment_variable("NO_COLOR").empty());
  return on ? fmt::format("\033[{}m{}\033[0m", code, text) : text;
}

std::string_view environment_variable(const char* name) {
  const char* value = std::getenv(name);
  return value ? value : "";
}

void add_relations(Command command, std::string& word) {
  command
      .option("--relations", word,
              "Metamorphic relations to check on targets that agree: all of a case, one (on one case in eight, as a "
              "campaign does) or none")
      .one_of(std::vector<std::string>(examine::kAskedRelationsNames.begin(), examine::kAskedRelationsNames.end()))
      .shows_default();
}

void add_data(Command command, std::string& file) {
  command.option(
      "--data", file,
      "Operands from an .npz file, as numpy.savez writes it: src, wei, bias... ; what it lacks has the data of "
      "the case");
}

void use_data(const std::string& file, std::span<const Case> cases, workers::SupervisionSettings& settings) {
  if (file.empty()) return;
  const fill::GivenData data(file);
  for (const Case& c : cases)
    if (!resolve(c).why_not) data.check(c);
  settings.worker.data = std::filesystem::absolute(file).string();
}

std::chrono::milliseconds parse_duration(const std::string& text, const std::string& flag) {
  return std::chrono::milliseconds(parse_quantity(
      text, flag, {{"ms", 1}, {"s", 1000}, {"", 1000}, {"m", 60'000}, {"h", 3'600'000}}, "500ms, 30s, 10m, 2h"));
}

std::string parse_date(const std::string& text, const char* flag, const char* time) {
  if (text.empty()) return "";
  std::tm parsed{};
  const bool day_only = text.size() == 10;
  const std::string full = day_only ? text + time : text;
  const char* end = strptime(full.c_str(), "%Y-%m-%dT%H:%M:%SZ", &parsed);
  const std::chrono::year_month_day day{std::chrono::year(parsed.tm_year + 1900),
                                        std::chrono::month(static_cast<unsigned>(parsed.tm_mon + 1)),
                                        std::chrono::day(static_cast<unsigned>(parsed.tm_mday))};
  if (!end || *end != 0 || full.size() != 20 || !day.ok())  // two digits each: times are compared as text
    throw UsageError(
        fmt::format("{}: '{}' is not valid; valid: 2026-11-21, 2026-11-21T02:13:28Z (UTC)", flag, printable(text)));
  return full;
}

}  // namespace convict::cli
