// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <memory>

#include "cli/command.h"
#include "cli/describe.h"
#include "cli/inquest_options.h"
#include "cli/interrupt.h"
#include "core/case_text.h"
#include "worker.h"

namespace convict {
namespace {

using nlohmann::json;

std::string as_text(const InquestResult& result, const InquestOptions& options) {
  const Finding& finding = result.finding;
  std::string text = fmt::format("from   {}\n", to_text(result.original.problem_case));
  if (!finding.shrunk)
    return text + fmt::format("{}'s {} {}\n", result.original.suspect, name_of(result.original.verdict),
                              finding.explanation.value("text", "did not come back"));
  text += fmt::format("to     {}\n", to_text(finding.shrunk->problem_case)) + describe(*finding.shrunk);
  if (finding.shrink_runs > 0)
    text += fmt::format("  {} runs{}\n", finding.shrink_runs,
                        finding.complete ? "" : "; stopped early, this is the smallest so far");
  if (result.row != 0) text += fmt::format("  mismatch {} of {}\n", result.row, options.which.database);
  return text + fmt::format("repro  {}\n", repro_command(*finding.shrunk, options.run));
}

std::string as_json(const InquestResult& result) {
  json document = {{"original", to_json(result.original)},
                   {"reproduced", result.finding.reproduced},
                   {"complete", result.finding.complete},
                   {"runs", result.finding.shrink_runs},
                   {"shrunk", nullptr}};
  if (result.finding.shrunk) document["shrunk"] = to_json(*result.finding.shrunk);
  if (result.row != 0) document["id"] = result.row;
  return document.dump(2, ' ', false, json::error_handler_t::replace) + "\n";
}

int shrink_command(const InquestOptions& options) {
  const InquestResult result = inquest_for(options);
  options.out.write(options.out.json() ? as_json(result) : as_text(result, options));
  if (interrupted()) return kInterrupted;
  return result.finding.reproduced ? kMismatch : kClean;
}

}  // namespace

void add_shrink(CLI::App& app, int& exit_code) {
  auto options = std::make_shared<InquestOptions>();
  CLI::App* command = app.add_subcommand("shrink", "Make a failing case as small as it goes");
  command->footer(
      "Examples:\n"
      "  convict shrink 3                          mismatch 3 of convict.db; the result is stored\n"
      "  convict shrink --plugin ./mine.so --target mine 'conv2d n=2 ic=8 oc=8 in=31 k=5 s=2 seed=9'\n"
      "Exit codes: 0 it did not come back, 1 shrunk, 2 usage or no mismatch, 130 interrupted (with the best so far)");
  options->add_to(*command);
  command->callback([options, &exit_code] { exit_code = shrink_command(*options); });
}

}  // namespace convict
