// SPDX-License-Identifier: Apache-2.0
#include "campaign/replay.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <iterator>

#include "core/cause.h"
#include "core/plugin_name.h"
#include "core/text.h"
#include "workers/attribution.h"
#include "workers/lone_run.h"

namespace convict::campaign {
namespace {

constexpr size_t kMostRows = 100;
constexpr int kMostRuns = 30;      // of what fails now and then
constexpr double kMissed = 0.01;   // the chance that these runs miss it

/// The version; and which file, because the version of a plugin stays the same while it is worked on.
std::string name_of_today(const workers::RosterEntry& entry) {
  const std::string name = fmt::format("{} {}", entry.name, entry.version);
  if (entry.plugin.empty() || is_client(entry.plugin)) return name;
  std::ifstream file(entry.plugin, std::ios::binary);
  const std::string bytes{std::istreambuf_iterator<char>(file), {}};
  return bytes.empty() ? name : fmt::format("{} (file {:08x})", name, fnv1a(bytes) >> 32);
}

bool is_open(const std::string& status) { return status == "new" || status == "known" || status == "reported"; }

int runs_of(const Certificate::Alone& alone) {
  const auto runs = static_cast<double>(alone.runs.value_or(1)), failed = static_cast<double>(alone.failed.value_or(1));
  if (failed <= 0 || failed >= runs) return 1;
  return std::min(kMostRuns, static_cast<int>(std::ceil(std::log(kMissed) / std::log(1 - failed / runs))));
}

}  // namespace

std::vector<OpenRow> open_rows(const store::Store& store, const std::vector<workers::RosterEntry>& roster,
                               const Where& where) {
  std::vector<OpenRow> rows;
  for (const workers::RosterEntry& entry : roster) {
    if (!entry.is_target) continue;
    const std::string target = name_of_today(entry);
    for (const store::MismatchRow& row : store.mismatches({.suspect = entry.name})) try {
        const std::string& status = row.effective_status == kGone ? row.status : row.effective_status;
        if (row.blame != name_of(Blame::kTarget) || !is_open(status)) continue;
        Mismatch mismatch = row.best_mismatch();
        const bool tells_nothing = row.gone == target || mismatch.verdict == Verdict::kOom;
        if (!tells_nothing && where.holds(mismatch.problem_case))
          rows.push_back({row.id, std::move(mismatch), status, target});
      } catch (const std::exception&) {  // another program wrote to it
      }
  }
  std::ranges::stable_sort(rows, {}, [](const OpenRow& row) { return row.status != "new"; });
  if (rows.size() > kMostRows) rows.resize(kMostRows);
  return rows;
}

Task<std::optional<Replayed>> replayed(workers::Pool& pool, const OpenRow& row,
                                       const workers::SupervisionSettings& settings) {
  const Mismatch& seen = row.mismatch;
  const workers::Suspect suspect{seen.suspect};
  const std::vector<std::string> lines = lines_to_run(seen.certificate.alone, seen.problem_case);
  const auto& guard = seen.certificate.alone.heap_guard;
  const workers::SupervisionSettings guarded = guard ? workers::with_heap_guard(settings, *guard) : settings;
  Replayed result{row.id, seen, row.status, ""};
  bool is_computed = false;
  for (int left = runs_of(seen.certificate.alone); left > 0; --left) {
    const workers::LoneResult run = co_await workers::run_alone(pool, suspect, seen.verdict, lines, guarded);
    if (settings.is_interrupted()) co_return std::nullopt;
    if (run.of(seen.suspect, lines.back(), lines.size() - 1)) co_return result;
    if (run.calls == 0 || (run.death && run.death->from_outside())) co_return std::nullopt;
    is_computed |= run.computed;
  }
  result.gone = row.target + (is_computed ? "" : ", which refuses the case");
  co_return result;
}

}  // namespace convict::campaign
