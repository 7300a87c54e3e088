// SPDX-License-Identifier: Apache-2.0
#include "cli/mismatch_text.h"

#include <string_view>
#include <vector>

#include "core/plain_words.h"

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

constexpr size_t kMostPictures = 6, kWidest = 72, kTallest = 24;

/// "[n=0, c=1]": which slice of the leading dimensions.
std::string slice_name(size_t slice, const std::vector<int64_t>& dims, size_t leading) {
  std::vector<std::string> at(leading);
  for (size_t dim = leading; dim-- > 0; slice /= static_cast<size_t>(dims[dim]))
    at[dim] = std::to_string(slice % static_cast<size_t>(dims[dim]));
  return fmt::format("[{}{}]", fmt::join(at, ", "), leading == 0 ? "" : ", ...");
}

std::string picture(std::string_view elements, size_t width) {
  std::string text;
  for (size_t row = 0; row * width < elements.size(); ++row) {
    if (row == kTallest) return text + fmt::format("      ... {} more rows\n", elements.size() / width - row);
    const std::string_view line = elements.substr(row * width, width);
    text += fmt::format("      {}{}\n", line.substr(0, kWidest), width > kWidest ? " ..." : "");
  }
  return text;
}

bool fits(const ErrorMap& map) {
  size_t volume = 1;
  for (const int64_t dim : map.dims) {
    if (dim < 1 || dim > 1'000'000) return false;
    volume *= static_cast<size_t>(dim);
    if (volume > map.wrong.size()) return false;
  }
  return !map.dims.empty() && volume == map.wrong.size() && map.wrong.find_first_not_of(".x") == std::string::npos;
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

std::string draw_map(const ErrorMap& map) {
  if (!fits(map)) return "";
  const auto& [role, dims, wrong] = map;
  const size_t leading = dims.size() > 3 ? dims.size() - 2 : dims.size() - 1;
  size_t slice_size = 1;
  for (size_t dim = leading; dim < dims.size(); ++dim) slice_size *= static_cast<size_t>(dims[dim]);
  std::string text;
  size_t pictures = 0, hidden = 0;
  for (size_t slice = 0; slice * slice_size < wrong.size(); ++slice) {
    const std::string_view elements = std::string_view(wrong).substr(slice * slice_size, slice_size);
    if (elements.find('x') == std::string_view::npos) continue;
    if (++pictures > kMostPictures) {
      ++hidden;
      continue;
    }
    text += fmt::format("    {}{}\n", printable(role), slice_name(slice, dims, leading));
    text += picture(elements, static_cast<size_t>(dims.back()));
  }
  return hidden == 0 ? text : text + fmt::format("    and {} more slices with errors\n", hidden);
}

}  // namespace convict::cli
