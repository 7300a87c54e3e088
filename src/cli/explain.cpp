// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "campaign/prediction.h"
#include "cli/command.h"
#include "cli/diagnosis_options.h"
#include "cli/interrupt.h"
#include "cli/mismatch_text.h"
#include "core/case_text.h"
#include "core/certificate.h"
#include "core/json_text.h"
#include "core/plain_words.h"
#include "core/text.h"
#include "report/repro_command.h"
#include "workers/attribution.h"

namespace convict::cli {
namespace {

using nlohmann::json;

std::string as_text(const DiagnosisResult& result) {
  const diagnose::Diagnosis& diagnosis = result.diagnosis;
  std::string text = fmt::format("{}: {}\n", result.original.suspect, name_of(result.original.verdict));
  if (!diagnosis.shrunk) return text + result.why_not_shrunk() + "\n";
  const std::string line = to_text(diagnosis.shrunk->problem_case);
  text += line + "\n" + diagnosis_text({diagnosis.predicate, diagnosis.explanation, line});
  const Certificate& certificate = diagnosis.shrunk->certificate;
  const Certificate& before = result.original.certificate;
  if (!result.known_cause.empty()) text += fmt::format("known cause {}\n", printable(result.known_cause, 200));
  if (result.joined) text += fmt::format("the same as mismatch {}, which has its hits from now on\n", result.row);
  if (!diagnosis.geography.empty())
    text += fmt::format("wrong: {}\n", printable(place_in_words(diagnosis.geography), 200));
  if (certificate.errors.map) text += draw_map(*certificate.errors.map);
  if (before.errors.geography)
    text += fmt::format("in the case it was found on: {}\n", printable(place_in_words(*before.errors.geography), 200));
  if (certificate.read) text += fmt::format("it read: \"{}\"\n", printable(*certificate.read, 300));
  if (before.read) text += fmt::format("there it read: \"{}\"\n", printable(*before.read, 300));
  if (!diagnosis.complete) text += "stopped early\n";
  return text + fmt::format("repro: {}\n", report::repro_command(*diagnosis.shrunk, result.plugins));
}

json as_json(const DiagnosisResult& result) {
  const diagnose::Diagnosis& diagnosis = result.diagnosis;
  json document = {{"original", to_json(result.original)}, {"predicate", diagnosis.predicate},
                   {"geography", diagnosis.geography},     {"explanation", to_json(diagnosis.explanation)},
                   {"complete", diagnosis.complete},       {"shrunk", nullptr}};
  if (diagnosis.shrunk) {
    json& shrunk = document["shrunk"] = to_json(*diagnosis.shrunk);
    const bool is_known = diagnosis.complete && !diagnosis.predicate.empty();
    shrunk["fails_if"] = is_known ? predicate_in_words(diagnosis.predicate, shrunk["case"].get<std::string>()) : "";
    shrunk["place"] = place_in_words(diagnosis.geography);
  }
  if (result.row != 0) document["id"] = result.row;
  return document;
}

struct ExplainOptions : DiagnosisOptions {
  uint64_t check = 0;  // fresh cases
};

/// How often the predicate is right on fresh cases; nothing without --check, or without a predicate.
std::optional<campaign::Prediction> checked(const DiagnosisResult& result, const ExplainOptions& options) {
  const diagnose::Diagnosis& diagnosis = result.diagnosis;
  if (options.check == 0 || diagnosis.predicate.empty() || !diagnosis.shrunk) return std::nullopt;
  const auto& guard = diagnosis.shrunk->certificate.alone.heap_guard;
  workers::SupervisionSettings settings = options.run.settings();
  settings.worker.roster = result.chosen.with_suspect(settings.worker.roster);
  if (guard) settings = workers::with_heap_guard(settings, *guard);
  settings.interrupted = &interrupted();
  return campaign::predicted(Predicate::parse(diagnosis.predicate), *diagnosis.shrunk, options.check, settings,
                             [] { return !interrupted(); });
}

std::string as_text(const campaign::Prediction& prediction) {
  if (prediction.cases == 0)
    return "not checked: the suspect took none of the fresh cases that were drawn\n";
  std::string text =
      fmt::format("of {} fresh cases, this is right for {:.1f} %: {} fail unsaid, {} pass\n", prediction.cases,
                  100 * prediction.share_right(), prediction.unsaid, prediction.oversaid);
  for (const std::string& line : prediction.wrong) text += fmt::format("  wrong: {}\n", line);
  return text;
}

json as_json(const campaign::Prediction& prediction) {
  return {{"cases", prediction.cases},
          {"unsaid", prediction.unsaid},
          {"oversaid", prediction.oversaid},
          {"share_right", prediction.share_right()},
          {"wrong", prediction.wrong}};
}

int explain_command(const ExplainOptions& options) {
  const DiagnosisResult result = diagnosis_for(options);
  const auto prediction = checked(result, options);
  if (options.out.json()) {
    json document = as_json(result);
    if (prediction) document["fresh"] = as_json(*prediction);
    options.out.write(json_document(document));
  } else {
    options.out.write(as_text(result) + (prediction ? as_text(*prediction) : ""));
  }
  if (interrupted()) return kInterrupted;
  return result.diagnosis.reproduced ? kMismatch : kClean;
}

}  // namespace

void add_explain(Command app, int& exit_code) {
  auto [command, options] = add_command(
      app, exit_code, explain_command, "explain", "Find out on which cases a mismatch shows, and where in the output",
      "Examples:\n"
      "  convict explain 3                         mismatch 3 of convict.db: shrunk and explained, and stored\n"
      "  convict explain --plugin ./mine.so --target mine 'conv2d n=2 ic=8 oc=8 in=31 k=5 s=2 seed=9'\n"
      "  convict explain 3 --check 2000            and how often that is right on other cases\n"
      "Exit codes: 0 it did not come back, 1 explained, 2 usage or no mismatch, 130 interrupted (with what is known)");
  options.add_to(command);
  command
      .option("--check", options.check,
              "Test the explanation on so many new cases of the operation, and print how often it is right [0]")
      .unsigned_number();
}

}  // namespace convict::cli
