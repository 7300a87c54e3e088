// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "cli/command.h"
#include "cli/streams.h"
#include "core/text.h"
#include "store/store.h"

namespace convict::cli {
namespace {

struct MergeOptions {
  std::string output;
  std::vector<std::string> inputs;
};

int merge(const MergeOptions& options) {
  const store::MergeSummary summary = store::merge_databases(options.output, options.inputs);
  print(fmt::format("{}: {} ({} new), {} ({} new), of {}\n", printable(options.output, 300),
                    counted(static_cast<uint64_t>(summary.campaigns), "campaign"), summary.new_campaigns,
                    counted(static_cast<uint64_t>(summary.mismatches), "mismatch", "mismatches"),
                    summary.new_mismatches, counted(options.inputs.size(), "database")));
  return kClean;
}

}  // namespace

void add_merge(Command app, int& exit_code) {
  auto [command, options] = add_command(
      app, exit_code, merge, "merge", "Add databases to another one",
      "Campaigns are recognised, so nothing is counted twice, whatever the order and however often. Inputs are only "
      "read.\n"
      "Examples:\n"
      "  convict merge all.db shard1.db shard2.db shard3.db\n"
      "Exit codes: 0 merged, 2 usage, or a database that cannot be read or written: then nothing is written");
  command.option("output", options.output, "Database that the others are added to; created if missing").required();
  command.option("inputs", options.inputs, "Databases to add to the first one, at least one").required();
}

}  // namespace convict::cli
