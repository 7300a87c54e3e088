// SPDX-License-Identifier: Apache-2.0
#include "workers/heap_probe.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/plugin_name.h"
#include "run/flight_record.h"
#include "run/heap_guard.h"
#include "run/loader.h"

namespace convict::workers {
namespace {

// An allocator may not cope with a library at all: oneDNN 3.7 allocates more at its start than Electric Fence has
// pages, and waits for ever.
constexpr auto kGuardedLoadTime = std::chrono::seconds(20);
constexpr int kSlower = 10;  // times, that a call may take
constexpr auto kLeastTime = std::chrono::seconds(6);  // beside the campaign, on a machine that may be busy
constexpr auto kLeastTimeOfModules = std::chrono::seconds(10);  // LibTorch takes that to load with Electric Fence
constexpr int kShareOfTime = 10;                                // of the time so far, one part in so many

/// A process target has a heap of its own, and our kernels are searched by other means.
bool is_foreign_code(const RosterEntry& entry) { return entry.lineage != "convict" && !is_client(entry.plugin); }

/// Of a library of ours, all variants come from one file.
std::string library_of(const RosterEntry& entry) {
  return entry.plugin.empty() ? std::string(run::module_of(entry.name)) : entry.plugin;
}

/// Whether the allocator itself could not go on, for want of memory.
bool has_given_up(const run::HeapGuard& guard, const Certificate& certificate) {
  return !guard.gives_up.empty() &&
         certificate.death.output_tail.value_or("").find(guard.gives_up) != std::string::npos;
}

}  // namespace

SupervisionSettings with_heap_guard(SupervisionSettings settings, const std::string& guard) {
  settings.heap_guard = guard;
  settings.timeout *= kSlower;
  settings.load_timeout = std::min<std::chrono::milliseconds>(settings.load_timeout, kGuardedLoadTime);
  settings.worker.patience_ms *= kSlower;
  return settings;
}

/// An access that is not aligned is no damage: Electric Fence aligns a buffer by its size only, and malloc(3) promises
/// 16 bytes.
bool is_heap_damage(const WorkerDeath& death, const std::string& guard) {
  const auto guards = run::heap_guards();
  const auto found = std::ranges::find(guards, guard, &run::HeapGuard::name);
  return found != guards.end() && !death.from_outside() && death.position != run::FlightRecord::kOwnCode &&
         death.signal.number == found->signal && death.signal.touched != run::AddressClass::kNoAddress &&
         !has_given_up(*found, death.certificate);
}

Task<std::optional<WorkerDeath>> heap_damage(Pool& pool, Suspect suspect, std::string line, std::string guard,
                                             SupervisionSettings settings) {
  std::vector<std::string> lines(1, line);
  const LoneResult alone = co_await run_alone(pool, suspect, Verdict::kCrash, lines, with_heap_guard(settings, guard));
  co_return alone.death && is_heap_damage(*alone.death, guard) ? alone.death : std::nullopt;
}

Task<std::optional<HeapProbe::Author>> HeapProbe::author(Pool& pool, std::vector<int> suspects,
                                                         const std::vector<RosterEntry>& roster,
                                                         std::vector<std::string> lines,
                                                         const SupervisionSettings& settings) {
  for (const run::HeapGuard& guard : run::heap_guards()) {
    if (run::file_of(guard).empty()) continue;
    for (const int position : suspects) {
      const RosterEntry& suspect = roster[static_cast<size_t>(position)];
      if (!is_foreign_code(suspect)) continue;
      const auto found = co_await author(pool, suspect, std::string(guard.name), lines, settings);
      if (found) co_return found;
    }
  }
  co_return std::nullopt;
}

std::string HeapProbe::what_would_help() {
  for (const run::HeapGuard& guard : run::heap_guards())
    if (run::file_of(guard).empty())
      return fmt::format("; the package {} would help to find heap damage", guard.package);
  return "";
}

/// Our own libraries, which take seconds to load with these allocators, have their turn in long campaigns only.
std::chrono::milliseconds HeapProbe::time_left(const RosterEntry& suspect) const {
  const Clock::duration share = (Clock::now() - started_) / kShareOfTime;
  if (suspect.plugin.empty() && share < kLeastTimeOfModules) return {};
  const Clock::duration allowed = std::max<Clock::duration>(kLeastTime, share);
  return std::chrono::duration_cast<std::chrono::milliseconds>(allowed - spent_);
}

Task<std::optional<HeapProbe::Author>> HeapProbe::author(Pool& pool, const RosterEntry& suspect, std::string guard,
                                                         const std::vector<std::string>& lines,
                                                         const SupervisionSettings& settings) {
  const std::string key = guard + " " + library_of(suspect);
  const auto time = time_left(suspect);
  if (unfit_.contains(key) || time.count() <= 0) co_return std::nullopt;
  const SupervisionSettings guarded = with_heap_guard(settings, guard);
  const Clock::time_point begin = Clock::now();
  const Suspect who{suspect.name, suspect.is_target};
  const LoneResult all = co_await run_alone(pool, who, Verdict::kCrash, lines, guarded, time);
  spent_ += Clock::now() - begin;
  if (!all.computed) unfit_.insert(key);
  if (!all.death || !is_heap_damage(*all.death, guard) || all.death->index >= lines.size()) co_return std::nullopt;
  const std::string& line = lines[all.death->index];
  const auto death = co_await heap_damage(pool, who, line, guard, settings);
  co_return death ? std::optional(Author{&suspect, *death, line, guard}) : std::nullopt;
}

}  // namespace convict::workers
