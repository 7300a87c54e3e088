// SPDX-License-Identifier: Apache-2.0
#include "cli/diagnosis_text.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <vector>

#include "core/plain_words.h"
#include "core/text.h"

namespace convict::cli {
namespace {

using nlohmann::json;

constexpr size_t kLongestQuote = 500;

/// The value of a key; `otherwise` if it is missing or of another type.
template <class T>
T value_of(const json& from, const char* key, T otherwise) try {
  return from.value(key, otherwise);
} catch (const json::exception&) {
  return otherwise;
}

std::string text_of(const json& from, const char* key) {
  return printable(value_of(from, key, std::string()), kLongestQuote);
}

std::vector<json> list_of(const json& from, const char* key) { return value_of(from, key, std::vector<json>()); }

/// "iff" is said only if the neighbours that mirror the case were tried.
std::string shows_if(const DiagnosisFacts& found) {
  if (found.predicate == "always") return "fails always: no field that was varied made it pass";
  const auto unexplained = value_of(found.explanation, "unexplained", int64_t{0});
  const std::string predicate = printable(predicate_in_words(found.predicate, found.line), kLongestQuote);
  if (unexplained == 0)
    return fmt::format("fails {} {}", value_of(found.explanation, "mirrored", false) ? "iff" : "if", predicate);
  return fmt::format("fails if {}, but for {} of {} cases tried", predicate, unexplained,
                     value_of(found.explanation, "samples", int64_t{0}));
}

void add_data(const json& explanation, std::vector<std::string>& lines) {
  const json data = value_of(explanation, "data", json::object());
  if (data.empty()) return;
  const auto unexplained = value_of(data, "unexplained", int64_t{0});
  lines.push_back(fmt::format("fails with data in which {}{} ({} tried)", text_of(data, "text"),
                              unexplained == 0 ? "" : fmt::format(", but for {}", unexplained),
                              value_of(data, "samples", int64_t{0})));
  if (const std::string here = text_of(data, "here"); !here.empty()) lines.push_back("  here, " + here);
}

void add_predicate(const DiagnosisFacts& found, std::vector<std::string>& lines) {
  if (found.predicate.empty()) return;
  lines.push_back(shows_if(found));
  for (const json& one : list_of(found.explanation, "conditions"))
    if (const std::string passes = text_of(one, "passes"); !passes.empty())
      lines.push_back(fmt::format("  without {}, this passes: {}", text_of(one, "condition"), passes));
  for (const json& one : list_of(found.explanation, "exceptions"))
    lines.push_back(fmt::format("  exception: this {}: {}", value_of(one, "fails", false) ? "fails too" : "passes",
                                text_of(one, "case")));
}

void add_environment(const json& explanation, std::vector<std::string>& lines) {
  const json environment = value_of(explanation, "environment", json::object());
  if (environment.empty()) return;
  lines.push_back(fmt::format("{} in a fresh process; instructions: fails from {} on",
                              value_of(environment, "alone", false) ? "fails alone" : "does not fail alone",
                              text_of(environment, "oldest_isa")));
}

void add_runs(const json& explanation, std::vector<std::string>& lines) {
  const auto shrink = value_of(explanation, "shrink_runs", int64_t{0});
  const auto explain = value_of(explanation, "explain_runs", int64_t{0});
  if (explain > 0) lines.push_back(fmt::format("{} runs to shrink, {} to explain", shrink, explain));
}

}  // namespace

std::string diagnosis_text(const DiagnosisFacts& found, const std::string& indent) {
  std::vector<std::string> lines;
  add_predicate(found, lines);
  if (found.predicate.empty())
    for (const char* reason : {"text", "withheld"})
      if (const std::string why = text_of(found.explanation, reason); !why.empty()) lines.push_back(why);
  add_data(found.explanation, lines);
  add_environment(found.explanation, lines);
  add_runs(found.explanation, lines);
  std::string text;
  for (const std::string& line : lines) text += indent + line + "\n";
  return text;
}

}  // namespace convict::cli
