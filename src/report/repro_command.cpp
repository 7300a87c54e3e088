// SPDX-License-Identifier: Apache-2.0
#include "report/repro_command.h"

#include <fmt/format.h>

#include <string_view>

#include "core/case_text.h"
#include "core/corpus.h"
#include "core/plugin_name.h"
#include "core/text.h"

namespace convict::report {
namespace {

/// With "=", a value that begins with "-" is not taken for another option.
std::string option(std::string_view name, const std::string& value) {
  return " " + std::string(name) + (value.starts_with('-') ? "=" : " ") + shell_quoted(value);
}

std::string command(const std::string& case_text, const std::string& suspect, std::string_view blame,
                    const Certificate::Alone& alone, const std::vector<std::string>& plugins) {
  std::string text = "convict repro";
  for (const std::string& plugin : plugins) text += " " + plugin_flag(plugin);
  if (blame == name_of(Blame::kTarget)) text += option("--target", suspect);
  if (blame == name_of(Blame::kOracle)) text += option("--oracle", suspect);
  for (const std::string& line : alone.before.value_or(std::vector<std::string>())) text += option("--after", line);
  if (alone.heap_guard) text += option("--heap-guard", *alone.heap_guard);
  if (alone.memory_limit) text += option("--memory", memory_flag(*alone.memory_limit));
  if (alone.timeout_ms) text += option("--timeout", fmt::format("{}ms", *alone.timeout_ms));
  if (alone.times) text += option("--times", std::to_string(*alone.times));
  if (case_text.starts_with('-')) text += " --";
  return text + " " + shell_quoted(line_to_repeat(case_text));
}

}  // namespace

std::string memory_flag(int64_t bytes) {
  constexpr int64_t kKilo = 1 << 10, kMega = 1 << 20;
  return bytes % kMega == 0 ? fmt::format("{}M", bytes / kMega) : fmt::format("{}K", bytes / kKilo);
}

std::string repro_command(const Mismatch& m, const std::vector<std::string>& plugins) {
  return command(to_text(m.problem_case), m.suspect, name_of(m.blame), m.certificate.alone, plugins);
}

std::string repro_command(const store::MismatchRow& row, const std::vector<std::string>& plugins) {
  return command(row.best_text(), row.suspect, row.blame, certificate_in(row.best_certificate()).alone, plugins);
}

}  // namespace convict::report
