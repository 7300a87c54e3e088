// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "cli/command.h"
#include "cli/diagnosis_options.h"
#include "cli/interrupt.h"
#include "cli/mismatch_text.h"
#include "core/case_text.h"
#include "core/json_text.h"
#include "report/repro_command.h"

namespace convict::cli {
namespace {

using nlohmann::json;

std::string as_text(const DiagnosisResult& result, const std::string& database) {
  const diagnose::Diagnosis& diagnosis = result.diagnosis;
  std::string text = fmt::format("from   {}\n", to_text(result.original.problem_case));
  if (!diagnosis.shrunk)
    return text + fmt::format("{}'s {} {}\n", result.original.suspect, name_of(result.original.verdict),
                              result.why_not_shrunk());
  text += fmt::format("to     {}\n", to_text(diagnosis.shrunk->problem_case)) + describe(*diagnosis.shrunk);
  if (diagnosis.shrink_runs > 0)
    text += fmt::format("  {} runs{}\n", diagnosis.shrink_runs,
                        diagnosis.complete ? "" : "; stopped early, this is the smallest so far");
  if (result.row != 0) text += fmt::format("  mismatch {} of {}\n", result.row, database);
  return text + fmt::format("repro  {}\n", report::repro_command(*diagnosis.shrunk, result.plugins));
}

std::string shrunk_as_json(const DiagnosisResult& result) {
  json document = {{"original", to_json(result.original)},
                   {"reproduced", result.diagnosis.reproduced},
                   {"complete", result.diagnosis.complete},
                   {"runs", result.diagnosis.shrink_runs},
                   {"shrunk", nullptr}};
  if (result.diagnosis.shrunk) document["shrunk"] = to_json(*result.diagnosis.shrunk);
  if (result.row != 0) document["id"] = result.row;
  return json_document(document);
}

int shrink_command(const DiagnosisOptions& options) {
  const DiagnosisResult result = diagnosis_for(options);
  options.out.write(options.out.json() ? shrunk_as_json(result) : as_text(result, options.which.database));
  if (interrupted()) return kInterrupted;
  return result.diagnosis.reproduced ? kMismatch : kClean;
}

}  // namespace

void add_shrink(Command app, int& exit_code) {
  auto [command, options] = add_command(
      app, exit_code, shrink_command, "shrink", "Make a failing case as small as it goes",
      "Examples:\n"
      "  convict shrink 3                          mismatch 3 of convict.db; the result is stored\n"
      "  convict shrink --plugin ./mine.so --target mine 'conv2d n=2 ic=8 oc=8 in=31 k=5 s=2 seed=9'\n"
      "Exit codes: 0 it did not come back, 1 shrunk, 2 usage or no mismatch, 130 interrupted (with the best so far)");
  options.add_to(command);
}

}  // namespace convict::cli
