// SPDX-License-Identifier: Apache-2.0
#include "lab/cli/issue_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <nlohmann/json.hpp>
#include <span>
#include <string_view>

#include "certificate/by_hand.h"
#include "core/case_text.h"
#include "core/geometry.h"
#include "core/text.h"
#include "exports/exporter.h"
#include "exports/shared/operands.h"
#include "reports/shared/certificate_text.h"
#include "reports/shared/foreign_text.h"

namespace convict::cli {
namespace {

using reports::code_span;
using reports::prose;

enum class ReportPart { kNone, kBug, kExpected, kObserved, kProgram, kVersions, kSource, kCondition };

/// A heading of a form, and what we write under it.
struct Section {
  std::string_view heading;
  std::array<ReportPart, 7> parts;
  std::string_view text = "";  // the answer to a question that has the same one for each cause
};

// The headings are those of the projects' forms for bugs, as they were in August 2026.
constexpr Section kPlain[] = {{"Description", {ReportPart::kBug, ReportPart::kExpected, ReportPart::kObserved}},
                              {"Steps to reproduce", {ReportPart::kProgram}},
                              {"Versions", {ReportPart::kVersions}},
                              {"Source", {ReportPart::kSource}},
                              {"When it shows", {ReportPart::kCondition}}};
constexpr Section kIree[] = {{"What happened?", {ReportPart::kBug, ReportPart::kExpected, ReportPart::kObserved}},
                             {"Steps to reproduce your issue", {ReportPart::kProgram}},
                             {"What component(s) does this issue relate to?", {}, "Compiler"},
                             {"Version information", {ReportPart::kVersions}},
                             {"Additional context", {ReportPart::kSource, ReportPart::kCondition}}};
constexpr Section kJax[] = {
    {"Description",
     {ReportPart::kBug, ReportPart::kProgram, ReportPart::kExpected, ReportPart::kObserved, ReportPart::kSource, ReportPart::kCondition}},
    {"System info", {ReportPart::kVersions}}};
constexpr Section kMlx[] = {{"Describe the bug", {ReportPart::kBug, ReportPart::kObserved}},
                            {"To Reproduce", {ReportPart::kProgram}},
                            {"Expected behavior", {ReportPart::kExpected}},
                            {"Desktop", {ReportPart::kVersions}},
                            {"Additional context", {ReportPart::kSource, ReportPart::kCondition}}};
constexpr Section kNcnn[] = {{"error log", {ReportPart::kBug, ReportPart::kExpected, ReportPart::kObserved}},
                             {"context", {ReportPart::kVersions}},
                             {"how to reproduce", {ReportPart::kProgram}},
                             {"more", {ReportPart::kSource, ReportPart::kCondition}}};
constexpr Section kOnednn[] = {{"Summary", {ReportPart::kBug}},
                               {"Version", {ReportPart::kVersions}},
                               {"Steps to reproduce", {ReportPart::kProgram}},
                               {"Observed behavior", {ReportPart::kObserved}},
                               {"Expected behavior", {ReportPart::kExpected}},
                               {"Source", {ReportPart::kSource}},
                               {"When it shows", {ReportPart::kCondition}}};
constexpr Section kOnnxRuntime[] = {
    {"Describe the issue", {ReportPart::kBug, ReportPart::kExpected, ReportPart::kObserved, ReportPart::kSource, ReportPart::kCondition}},
    {"To reproduce", {ReportPart::kProgram}},
    {"Platform", {}, "Linux"},
    {"ONNX Runtime Version or Commit ID", {ReportPart::kVersions}},
    {"Architecture", {}, "X64"},
    {"Execution Provider", {}, "Default CPU"}};
constexpr Section kOpenCv[] = {
    {"System Information", {ReportPart::kVersions}},
    {"Detailed description", {ReportPart::kBug, ReportPart::kExpected, ReportPart::kObserved, ReportPart::kSource, ReportPart::kCondition}},
    {"Steps to reproduce", {ReportPart::kProgram}}};
constexpr Section kOpenVino[] = {
    {"OpenVINO Version", {ReportPart::kVersions}},
    {"Device used for inference", {}, "CPU"},
    {"Issue description", {ReportPart::kBug, ReportPart::kExpected, ReportPart::kObserved, ReportPart::kSource, ReportPart::kCondition}},
    {"Step-by-step reproduction", {ReportPart::kProgram}}};
constexpr Section kPaddle[] = {
    {"Describe the Bug", {ReportPart::kBug, ReportPart::kProgram, ReportPart::kExpected, ReportPart::kObserved, ReportPart::kSource}},
    {"Additional Supplementary Information", {ReportPart::kVersions, ReportPart::kCondition}}};
constexpr Section kTensorFlow[] = {{"Issue type", {}, "Bug"},
                                   {"TensorFlow version", {ReportPart::kVersions}},
                                   {"Current behavior?", {ReportPart::kBug, ReportPart::kObserved, ReportPart::kExpected}},
                                   {"Standalone code to reproduce the issue", {ReportPart::kProgram}},
                                   {"Source", {ReportPart::kSource}},
                                   {"When it shows", {ReportPart::kCondition}}};
constexpr Section kTensorFlowJs[] = {{"System information", {ReportPart::kVersions}},
                                     {"Describe the current behavior", {ReportPart::kBug, ReportPart::kObserved}},
                                     {"Describe the expected behavior", {ReportPart::kExpected}},
                                     {"Standalone code to reproduce the issue", {ReportPart::kProgram}},
                                     {"Other info / logs", {ReportPart::kSource, ReportPart::kCondition}}};
constexpr Section kTorch[] = {
    {"Describe the bug",
     {ReportPart::kBug, ReportPart::kProgram, ReportPart::kExpected, ReportPart::kObserved, ReportPart::kSource, ReportPart::kCondition}},
    {"Versions", {ReportPart::kVersions}}};
constexpr Section kTvm[] = {{"Expected behavior", {ReportPart::kExpected}},
                            {"Actual behavior", {ReportPart::kBug, ReportPart::kObserved, ReportPart::kSource, ReportPart::kCondition}},
                            {"Environment", {ReportPart::kVersions}},
                            {"Steps to reproduce", {ReportPart::kProgram}},
                            {"Triage", {}, "needs-triage"}};

struct Form {
  std::string_view library;
  std::span<const Section> sections;
};

/// Projects without a form of their own are not here.
constexpr Form kForms[] = {
    {"iree", kIree},     {"jax", kJax},        {"libtorch", kTorch},         {"mlx", kMlx},
    {"ncnn", kNcnn},     {"onednn", kOnednn},  {"onnxruntime", kOnnxRuntime}, {"opencv", kOpenCv},
    {"opencvjs", kOpenCv}, {"openvino", kOpenVino}, {"paddle", kPaddle},      {"tf", kTensorFlow},
    {"tfjs", kTensorFlowJs}, {"torch", kTorch}, {"tvm", kTvm}};

std::span<const Section> form_of(std::string_view library) {
  const auto* found = std::ranges::find(kForms, library, &Form::library);
  return found == std::end(kForms) ? kPlain : found->sections;
}

bool is_loud(Verdict verdict) {
  return !is_on_values(verdict) && verdict != Verdict::kAcceptsInvalid && verdict != Verdict::kSideEffect;
}

std::string fenced(std::string_view language, std::string_view text) {
  return fmt::format("```{}\n{}{}```\n", language, text, text.ends_with('\n') ? "" : "\n");
}

/// Lines of a key as paragraphs.
std::string in_paragraphs(std::string lines) {
  std::ranges::replace(lines, '\n', ' ');
  return lines.empty() ? "" : std::string(trim(reports::paragraphs(lines))) + "\n";
}

std::string bug_of(const CauseFacts& facts) {
  return facts.cause.about.note.empty() ? prose(facts.cause.title) + ".\n" : in_paragraphs(facts.cause.about.note);
}

constexpr size_t kMostTerms = 64, kWidth = 100;  // of a sum that is written out; columns of one line

/// "dst[0,0,1] = 2 * 3 + 1 * -1 = 5", in lines of whole terms that are no longer than `kWidth`. Empty if the sum is too
/// long.
std::string sum_of(const Case& c, const Certificate::Element& element) {
  if (!element.role || !element.at) return "";
  const std::string sum = certificate::by_hand(c, *element.role, *element.at, kMostTerms);
  if (sum.empty()) return "";
  std::string text, line = fmt::format("{}[{}] =", *element.role, fmt::join(*element.at, ","));
  for (size_t begin = 0, end = 0; begin < sum.size(); begin = end) {
    end = std::min(sum.find(" + ", begin + 1), sum.size());
    const size_t length = end - begin;  // with the " + " before all but the first
    if (line.size() + 1 + length > kWidth) text += std::exchange(line, "   ") + "\n";
    line += (begin == 0 ? " " : "") + sum.substr(begin, length);
  }
  return text + line + "\n";
}

std::string expected_of(const CauseFacts& facts) {
  if (!facts.seen) return "";
  const ShownCase& seen = *facts.seen;
  if (seen.verdict == Verdict::kAcceptsInvalid) return "An error: the problem is not legal.\n";
  if (!is_on_values(seen.verdict)) return "A result, and no error: the problem is legal.\n";
  const Case c = parse_case(seen.line);
  const std::string sum = sum_of(c, seen.certificate.element);
  if (sum.empty()) return "The exact result, within the rounding of its sum.\n";
  return fmt::format("One element of {} by hand{}:\n", code_span(seen.line),
                     is_integer(describe_tensors(c, resolve(c).problem).src.dtype)
                         ? ", before scale, bias, zero point and old contents"
                         : "") +
         fenced("", sum);
}

std::string observed_of(const CauseFacts& facts) {
  if (!facts.seen) return "Not run yet: this version is not installed here, or the processor is another one.\n";
  const ShownCase& seen = *facts.seen;
  return fmt::format("{} {}: {}\n", prose(seen.suspect), prose(seen.version), reports::meaning_of(seen.verdict)) +
         reports::code_block(seen.evidence);
}

/// The case in the languages of the library's own tools, as far as these can express it.
std::string exports_of(const CauseFacts& facts) {
  struct Tool {
    std::string_view library, exporter, language;
    bool is_program;
  };
  constexpr Tool kTools[] = {{"libtorch", "pytorch", "python", true},
                             {"onednn", "onednn", "c++", true},
                             {"onednn", "benchdnn", "", false}};
  constexpr std::ptrdiff_t kMostLines = 500;  // longer ones are numbers
  const Case c = parse_case(facts.seen ? facts.seen->line : facts.cause.cases[0]);
  exports::ExportRequest request{c, static_cast<bool>(resolve(c).why_not)};
  if (facts.seen) request.evidence = {facts.seen->suspect, std::string(name_of(facts.seen->verdict))};
  if (!exports::too_large(c).empty()) return "";
  std::string text;
  for (const Tool& tool : kTools) {
    const auto exporter = std::ranges::find(exports::all(), tool.exporter, &exports::Exporter::name);
    if (tool.library != library_of(facts.cause) || (tool.is_program && facts.program)) continue;
    if (!(*exporter)->unsuited(request).empty()) continue;
    const std::string bytes = (*exporter)->write(request).front().bytes;
    if (std::ranges::count(bytes, '\n') <= kMostLines)
      text += (tool.is_program ? "\n" : fmt::format("\nFor {}:\n", tool.exporter)) + fenced(tool.language, bytes);
  }
  return text;
}

std::string program_of(const CauseFacts& facts) {
  std::string text;
  if (facts.program) {
    text = fenced(facts.program->language, facts.program->text);
    if (!facts.program->printed.empty()) text += "It prints:\n" + fenced("", facts.program->printed);
  }
  text += exports_of(facts);
  return std::string(trim(text)) + (text.empty() ? "" : "\n");
}

std::string versions_of(const CauseFacts& facts) {
  const Cause& cause = facts.cause;
  std::string text = facts.seen ? fmt::format("{} {}. ", prose(facts.seen->suspect), prose(facts.seen->version)) : "";
  text += fmt::format("Versions that have it: {}.", prose(cause.versions.text()));
  if (!cause.about.since.empty()) text += " " + in_paragraphs(cause.about.since);
  if (!text.ends_with('\n')) text += "\n";
  if (const std::string needs = cause.processor.text(); !needs.empty())
    text += fmt::format("Processors with {}. ", code_span(needs));
  return text + "Linux, x86-64.\n";
}

bool is_named(const std::string& name, const std::string& text) {
  const auto is_of_name = [&](size_t at) { return at < text.size() && (std::isalnum(text[at]) || text[at] == '-'); };
  for (size_t at = 0; (at = text.find(name, at)) != std::string::npos; ++at)
    if (!is_of_name(at + name.size()) && (at == 0 || !is_of_name(at - 1))) return true;
  return false;
}

/// The causes that its text names, and those that theirs name: who gets the report does not have their pages.
std::vector<const Cause*> named_in(const CauseFacts& facts) {
  std::vector<const Cause*> all = {&facts.cause};
  for (size_t i = 0; i < all.size(); ++i)
    for (const Cause& one : facts.others)
      if (is_named(one.name, all[i]->about.note + "\n" + all[i]->about.source) &&
          std::ranges::none_of(all, [&](const Cause* other) { return other->name == one.name; }))
        all.push_back(&one);
  all.erase(all.begin());
  return all;
}

std::string in_one_paragraph(std::string lines) {
  std::ranges::replace(lines, '\n', ' ');
  return prose(std::string(trim(lines)));
}

std::string source_of(const CauseFacts& facts) {
  std::string text = in_paragraphs(facts.cause.about.source);
  for (const Cause* one : named_in(facts))
    text += fmt::format("{}{}, named here, is: {}. {} {}\n", text.empty() ? "" : "\n", code_span(one->name),
                        prose(one->title), in_one_paragraph(one->about.note), in_one_paragraph(one->about.source));
  if (facts.change.empty()) return text;
  return text + (text.empty() ? "" : "\n") + "Proposed change:\n" + fenced("diff", facts.change);
}

std::string condition_of(const CauseFacts& facts) {
  std::string conditions;
  const std::vector<Predicate>& when = facts.cause.when;
  for (const Predicate& one : when)
    conditions += fmt::format("{}{}", when.size() == 1 ? "If " : "\n- ", code_span(one.in_words()));
  const std::string suspect = facts.seen ? facts.seen->suspect : facts.cause.suspect;
  const std::string line = facts.seen ? facts.seen->line : facts.cause.cases[0];
  return fmt::format("{}{}\n\nFound by convict:\n", when.size() == 1 ? "" : "If one of these holds:\n", conditions) +
         reports::code_block(fmt::format("    convict repro{} --target {} --oracle none '{}'\n",
                                         facts.seen ? facts.seen->flags : "", shell_quoted(suspect), line));
}

struct PartWriter {
  ReportPart part;
  std::string_view label;  // where a section has several parts
  std::string (*write)(const CauseFacts&);
};

constexpr PartWriter kWriters[] = {
    {ReportPart::kBug, "", bug_of},           {ReportPart::kExpected, "Expected", expected_of},
    {ReportPart::kObserved, "Observed", observed_of}, {ReportPart::kProgram, "Program", program_of},
    {ReportPart::kVersions, "Versions", versions_of}, {ReportPart::kSource, "Source", source_of},
    {ReportPart::kCondition, "When it shows", condition_of}};

std::string section_of(const Section& section, const CauseFacts& facts) {
  std::string text(section.text);
  if (!text.empty()) text += "\n";
  const bool has_several = section.parts[1] != ReportPart::kNone;
  for (const ReportPart part : section.parts) {
    const auto* writer = std::ranges::find(kWriters, part, &PartWriter::part);
    const std::string written = part == ReportPart::kNone ? "" : writer->write(facts);
    if (written.empty()) continue;
    if (!text.empty()) text += "\n";
    if (has_several && !writer->label.empty())
      text += fmt::format("**{}.**{}", writer->label, written.starts_with("```") ? "\n" : " ");
    text += written;
  }
  return text.empty() ? "" : fmt::format("\n### {}\n{}", section.heading, text);
}

}  // namespace

std::string library_of(const Cause& cause) {
  const bool is_one = !cause.suspect.starts_with('*');
  return is_one ? cause.suspect.substr(0, cause.suspect.find_first_of(":*")) : cause.name.substr(0, cause.name.find('-'));
}

std::string silent_or_loud(const Cause& cause) {
  const auto loud = std::ranges::count_if(cause.verdicts, is_loud);
  return loud == 0 ? "silent" : loud == std::ssize(cause.verdicts) ? "loud" : "silent or loud";
}

std::string issue_report(const CauseFacts& facts) {
  const Cause& cause = facts.cause;
  std::string text = fmt::format("# {}\n", prose(cause.title));
  if (!cause.link.empty()) text += fmt::format("\n{}: {}\n", cause.status, reports::link_text(cause.link));
  for (const Section& section : form_of(library_of(cause))) text += section_of(section, facts);
  return text;
}

}  // namespace convict::cli
