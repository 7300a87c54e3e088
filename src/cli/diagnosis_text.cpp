// SPDX-License-Identifier: Apache-2.0
#include "cli/diagnosis_text.h"

#include <fmt/format.h>

#include <vector>

#include "core/plain_words.h"
#include "core/text.h"

namespace convict::cli {
namespace {

constexpr size_t kLongestQuote = 500;

std::string quoted(const std::string& text) { return printable(text, kLongestQuote); }

/// "iff" is said only if the neighbours that mirror the case were tried.
std::string shows_if(const DiagnosisFacts& found) {
  if (found.predicate == "always") return "fails always: no field that was varied made it pass";
  const store::PredicateEvidence evidence = found.explanation.evidence.value_or(store::PredicateEvidence());
  const std::string predicate = quoted(predicate_in_words(found.predicate, found.line));
  if (evidence.unexplained == 0) return fmt::format("fails {} {}", evidence.mirrored ? "iff" : "if", predicate);
  return fmt::format("fails if {}, but for {} of {} cases tried", predicate, evidence.unexplained, evidence.samples);
}

void add_predicate(const DiagnosisFacts& found, std::vector<std::string>& lines) {
  lines.push_back(shows_if(found));
  if (!found.explanation.evidence) return;
  for (const store::NeededCondition& one : found.explanation.evidence->conditions)
    if (!one.passes.empty())
      lines.push_back(fmt::format("  without {}, this passes: {}", quoted(one.condition), quoted(one.passes)));
  for (const store::ExceptionalCase& one : found.explanation.evidence->exceptions)
    lines.push_back(fmt::format("  exception: this {}: {}", one.fails ? "fails too" : "passes", quoted(one.line)));
}

void add_data(const store::DataEvidence& data, std::vector<std::string>& lines) {
  const std::string exceptions = data.unexplained == 0 ? "" : fmt::format(", but for {}", data.unexplained);
  lines.push_back(
      fmt::format("fails with data in which {}{} ({} tried)", quoted(data.text), exceptions, data.samples));
  if (!data.here.empty()) lines.push_back("  here, " + quoted(data.here));
}

}  // namespace

std::string diagnosis_text(const DiagnosisFacts& found, const std::string& indent) {
  const store::Explanation& explanation = found.explanation;
  std::vector<std::string> lines;
  if (!found.predicate.empty()) add_predicate(found, lines);
  for (const std::string& why : {explanation.text, explanation.withheld})
    if (found.predicate.empty() && !why.empty()) lines.push_back(quoted(why));
  if (explanation.data) add_data(*explanation.data, lines);
  if (const auto& one = explanation.environment)
    lines.push_back(fmt::format("{} in a fresh process; instructions: fails from {} on",
                                one->alone ? "fails alone" : "does not fail alone", quoted(one->oldest_isa)));
  if (const int64_t runs = explanation.explain_runs.value_or(0); runs > 0)
    lines.push_back(fmt::format("{} runs to shrink, {} to explain", explanation.shrink_runs.value_or(0), runs));
  std::string text;
  for (const std::string& line : lines) text += indent + line + "\n";
  return text;
}

}  // namespace convict::cli
