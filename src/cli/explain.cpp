// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <memory>

#include "cli/command.h"
#include "cli/diagnosis_options.h"
#include "cli/error_map.h"
#include "cli/interrupt.h"
#include "core/case_text.h"
#include "core/mismatch_json.h"
#include "core/text.h"
#include "workers/worker.h"

namespace convict::cli {
namespace {

using nlohmann::json;

std::string predicate_text(const diagnose::Diagnosis& diagnosis) {
  if (diagnosis.predicate.empty()) return "";
  const auto unexplained = diagnosis.explanation.value("unexplained", int64_t{0});
  std::string text = diagnosis.predicate == "always" ? "fails always: no field that was varied made it pass\n"
                     : unexplained == 0
                         ? fmt::format("fails iff {}\n", diagnosis.predicate)
                         : fmt::format("fails if {}, but for {} of {} cases tried\n", diagnosis.predicate, unexplained,
                                       diagnosis.explanation.value("samples", int64_t{0}));
  for (const json& one : diagnosis.explanation.value("conditions", json::array()))
    if (one.contains("passes"))
      text += fmt::format("  without {}, this passes: {}\n", printable(one.value("condition", ""), 200),
                          printable(one.value("passes", ""), 500));
  for (const json& one : diagnosis.explanation.value("exceptions", json::array()))
    text += fmt::format("  exception: this {}: {}\n", one.value("fails", false) ? "fails too" : "passes",
                        printable(one.value("case", ""), 500));
  return text;
}

std::string environment_text(const json& explanation) {
  if (!explanation.contains("environment")) return "";
  const json& environment = explanation["environment"];
  return fmt::format(
      "environment: {}; instructions: fails from {} on\n",
      environment.value("alone", false) ? "fails alone in a fresh process" : "does not fail alone in a fresh process",
      printable(environment.value("oldest_isa", "?")));
}

std::string as_text(const DiagnosisResult& result, const DiagnosisOptions& options) {
  const diagnose::Diagnosis& diagnosis = result.diagnosis;
  std::string text = fmt::format("{}: {}\n", result.original.suspect, name_of(result.original.verdict));
  if (!diagnosis.shrunk) return text + diagnosis.explanation.value("text", "did not come back") + "\n";
  text += to_text(diagnosis.shrunk->problem_case) + "\n" + predicate_text(diagnosis);
  const Certificate& certificate = diagnosis.shrunk->certificate;
  const Certificate& before = result.original.certificate;
  if (!diagnosis.geography.empty()) text += fmt::format("wrong: {}\n", printable(diagnosis.geography, 200));
  if (certificate.errors.map) text += draw_map(*certificate.errors.map);
  if (before.errors.geography)
    text += fmt::format("in the case it was found on: {}\n", printable(*before.errors.geography, 200));
  if (certificate.read) text += fmt::format("it read: \"{}\"\n", printable(*certificate.read, 300));
  if (before.read) text += fmt::format("there it read: \"{}\"\n", printable(*before.read, 300));
  text += environment_text(diagnosis.explanation);
  if (diagnosis.explain_runs > 0)
    text += fmt::format("{} runs to shrink, {} to explain{}\n", diagnosis.shrink_runs, diagnosis.explain_runs,
                        diagnosis.complete ? "" : "; stopped early");
  return text + fmt::format("repro: {}\n", repro_command(*diagnosis.shrunk, options.run));
}

std::string as_json(const DiagnosisResult& result) {
  const diagnose::Diagnosis& diagnosis = result.diagnosis;
  json document = {{"original", to_json(result.original)}, {"predicate", diagnosis.predicate},
                   {"geography", diagnosis.geography},     {"explanation", diagnosis.explanation},
                   {"complete", diagnosis.complete},       {"shrunk", nullptr}};
  if (diagnosis.shrunk) document["shrunk"] = to_json(*diagnosis.shrunk);
  if (result.row != 0) document["id"] = result.row;
  return document.dump(2, ' ', false, json::error_handler_t::replace) + "\n";
}

int explain_command(const DiagnosisOptions& options) {
  const DiagnosisResult result = diagnosis_for(options);
  options.out.write(options.out.json() ? as_json(result) : as_text(result, options));
  if (interrupted()) return kInterrupted;
  return result.diagnosis.reproduced ? kMismatch : kClean;
}

}  // namespace

void add_explain(CLI::App& app, int& exit_code) {
  auto options = std::make_shared<DiagnosisOptions>();
  CLI::App* command =
      app.add_subcommand("explain", "Find out on which cases a mismatch shows, and where in the output");
  command->footer(
      "Examples:\n"
      "  convict explain 3                         mismatch 3 of convict.db: shrunk and explained, and stored\n"
      "  convict explain --plugin ./mine.so --target mine 'conv2d n=2 ic=8 oc=8 in=31 k=5 s=2 seed=9'\n"
      "Exit codes: 0 it did not come back, 1 explained, 2 usage or no mismatch, 130 interrupted (with what is known)");
  options->add_to(*command);
  command->callback([options, &exit_code] { exit_code = explain_command(*options); });
}

}  // namespace convict::cli
