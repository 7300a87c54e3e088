// SPDX-License-Identifier: Apache-2.0
#include "campaign/cause_check.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "campaign/case_list.h"
#include "core/case_text.h"
#include "core/geometry.h"
#include "core/predicate.h"
#include "generate/generate.h"
#include "run/heap_guard.h"
#include "workers/attribution.h"

namespace convict::campaign {
namespace {

constexpr double kMostCoveredCost = 2e7;  // multiply-adds of a covered case
constexpr double kTooRare = 0.05;         // a chance below which so few failures are no chance

/// Data that hide little: a covered case shows the cause if it does so with its own data or with some of these.
constexpr std::pair<Fill, uint64_t> kCoveredData[] = {{Fill::kInt, 2}, {Fill::kComb, 1}, {Fill::kNormal, 3}};

bool has(const Cause& cause, Verdict verdict) {
  return std::ranges::find(cause.verdicts, verdict) != cause.verdicts.end();
}

bool holds(const Cause& cause, const Case& c) {
  return std::ranges::any_of(cause.when, [&](const Predicate& one) { return one.holds(c); });
}

/// A death costs a process, a hang its time.
uint64_t covered_cases(const Cause& cause, uint64_t most) {
  if (has(cause, Verdict::kHang) && cause.verdicts.size() == 1) return 0;
  return has(cause, Verdict::kCrash) || has(cause, Verdict::kOom) ? std::min<uint64_t>(most, 30) : most;
}

/// Adds those of the generator's legal or illegal cases that the predicates cover.
void add_covered(const std::vector<Cause>& causes, bool illegal, const CauseCheckSettings& settings,
                 std::vector<std::vector<Case>>& covered) {
  const auto has_enough = [&](size_t k) { return covered[k].size() >= covered_cases(causes[k], settings.covered); };
  std::vector<size_t> searched;
  for (size_t k = 0; k < causes.size(); ++k)
    if (has(causes[k], Verdict::kAcceptsInvalid) == illegal && !has_enough(k)) searched.push_back(k);
  for (uint64_t i = 0; i < settings.drawn && !searched.empty(); ++i) {
    const Case c =
        illegal ? generate::generate_invalid(nullptr, settings.seed, i) : generate::generate(nullptr, settings.seed, i);
    for (const size_t k : searched)
      if (holds(causes[k], c) && multiply_adds(resolve(c).problem) <= kMostCoveredCost) covered[k].push_back(c);
    std::erase_if(searched, has_enough);
  }
}

/// The case with its own data, and with telling ones as far as they are covered, too.
std::vector<Case> with_data(const Cause& cause, const Case& c) {
  std::vector<Case> list = {c};
  for (const auto& [fill, seed] : kCoveredData) {
    Case other = c;
    other.fill = fill;
    other.seed = seed;
    if (holds(cause, other)) list.push_back(other);
  }
  return list;
}

/// Whether a case was computed, whether it showed the cause, and whether it never ended.
struct Shown {
  bool judged = false, shows = false, hangs = false;
};

class CauseChecker {
 public:
  CauseChecker(const Cause& cause, const CauseCheckSettings& settings) : cause_(cause), settings_(settings) {}

  CheckedImplementation check(const workers::RosterEntry& entry, const std::vector<Case>& covered) const {
    CheckedImplementation result{entry.name, entry.version};
    std::vector<std::vector<Case>> tried;
    for (const std::string& line : cause_.cases) tried.push_back({parse_case(line)});
    for (const Case& c : covered) tried.push_back(with_data(cause_, c));
    const std::vector<Shown> shown = run(entry, tried);
    for (size_t i = 0; i < tried.size(); ++i) {
      if (i < cause_.cases.size()) {
        result.shown.push_back(shown[i].shows);
        continue;
      }
      if (!shown[i].judged) continue;
      ++result.judged;
      result.failing += shown[i].shows ? 1 : 0;
      (shown[i].shows ? result.shows : result.passing).push_back(to_text(tried[i].front()));
    }
    return result;
  }

  /// Whether the case damages the heap unnoticed: what lies behind a buffer decides whether damage shows.
  bool damages_heap(const workers::RosterEntry& entry, const std::string& line) const {
    return std::ranges::any_of(run::heap_guards(), [&](const run::HeapGuard& guard) {
      return !run::file_of(guard).empty() &&
             shows_damage(entry, line, std::string(guard.name));
    });
  }

 private:
  bool shows_damage(const workers::RosterEntry& entry, const std::string& line, const std::string& guard) const {
    workers::Pool pool;
    return pool.finish(workers::heap_damage(pool, {entry.name}, line, guard, supervisor_for(entry))).has_value();
  }

  workers::SupervisionSettings supervisor_for(const workers::RosterEntry& entry) const {
    workers::SupervisionSettings supervisor = settings_.supervisor;
    supervisor.worker.roster.targets = {entry.name};
    supervisor.worker.roster.oracles = {std::string(run::kNoOracle)};
    if (!entry.plugin.empty()) supervisor.worker.roster.plugins = {entry.plugin};
    return supervisor;
  }

  /// Tries each case with its first data, and as long as it has not shown the cause with the next. A case that hangs is
  /// not tried again, because that takes the time of a hang.
  std::vector<Shown> run(const workers::RosterEntry& entry, const std::vector<std::vector<Case>>& tried) const {
    std::vector<Shown> shown(tried.size());
    for (size_t round = 0; round <= std::size(kCoveredData); ++round) {
      std::vector<CorpusEntry> entries;
      std::vector<Shown*> of_entry;
      for (size_t i = 0; i < tried.size(); ++i) {
        if (round >= tried[i].size() || shown[i].shows || shown[i].hangs) continue;
        const Case& c = tried[i][round];
        entries.push_back({c, static_cast<bool>(resolve(c).why_not), ""});
        of_entry.push_back(&shown[i]);
      }
      if (entries.empty()) break;
      run_round(entry, entries, of_entry);
    }
    for (Shown& one : shown) one.judged |= one.shows;
    return shown;
  }

  void run_round(const workers::RosterEntry& entry, const std::vector<CorpusEntry>& entries,
                 const std::vector<Shown*>& of_entry) const {
    const CaseListResult result = run_case_list(entries, supervisor_for(entry), [](uint64_t) {}, {ListMode::kAsSeen});
    for (size_t i = 0; i < entries.size(); ++i) {
      Shown& one = *of_entry[i];
      one.judged |= result.cases[i].judged;
      for (const Mismatch& m : result.cases[i].mismatches) {
        one.shows |= cause_.covers(m.suspect, entry.version, m.verdict, m.problem_case);
        one.hangs |= m.verdict == Verdict::kHang;
      }
    }
  }

  const Cause& cause_;
  const CauseCheckSettings& settings_;
};

std::vector<workers::RosterEntry> concerned_by(const Cause& cause,
                                               const std::vector<workers::RosterEntry>& installed) {
  std::vector<workers::RosterEntry> concerned;
  std::ranges::copy_if(installed, std::back_inserter(concerned),
                       [&](const workers::RosterEntry& entry) { return cause.concerns(entry.name, entry.version); });
  return concerned;
}

bool is_shown(const CauseCheck& check, size_t i) {
  return std::ranges::any_of(check.implementations, [&](const CheckedImplementation& one) { return one.shown[i]; });
}

/// Asks again, with allocators that notice damage, for the cases that have not shown.
void ask_heap_guards(const Cause& cause, const CauseChecker& checker,
                     const std::vector<workers::RosterEntry>& concerned, CauseCheck& check) {
  for (size_t i = 0; i < cause.cases.size(); ++i)
    for (size_t k = 0; k < concerned.size() && !is_shown(check, i); ++k)
      check.implementations[k].shown[i] = checker.damages_heap(concerned[k], cause.cases[i]);
}

void add_faults(const Cause& cause, CauseCheck& check) {
  for (size_t i = 0; i < cause.cases.size(); ++i)
    if (!is_shown(check, i)) check.faults.push_back(fmt::format("no longer shown by its case '{}'", cause.cases[i]));
  // Variants of a library share code, and each runs a part of it: the one that shows it most often decides.
  const auto most = std::ranges::max_element(
      check.implementations, {}, [](const CheckedImplementation& one) { return one.failing == 0 ? 0 : one.share(); });
  const CheckedImplementation& one = *most;
  if (chance_of_so_few(one.failing, one.judged, static_cast<double>(cause.share) / 100) < kTooRare) {
    check.faults.push_back(
        fmt::format("{}: 'when' is wider than what fails: {} of {} covered cases show it, '{}' does not", one.name,
                    one.failing, one.judged, one.passing.empty() ? "" : one.passing.front()));
  }
}

}  // namespace

double chance_of_so_few(uint64_t failing, uint64_t judged, double share) {
  if (share >= 1) return failing < judged ? 0 : 1;
  double chance = 0, term = std::pow(1 - share, static_cast<double>(judged));
  for (uint64_t i = 0; i <= failing; ++i) {
    chance += term;
    term *= static_cast<double>(judged - i) / static_cast<double>(i + 1) * share / (1 - share);
  }
  return chance;
}

std::string why_absent(const Cause& cause, const std::vector<workers::RosterEntry>& installed) {
  if (!cause.processor.met_by(processor_features()))
    return fmt::format("needs another processor: {}", cause.processor.text());
  if (concerned_by(cause, installed).empty())
    return fmt::format("not here: {} {}", cause.suspect, cause.versions.text());
  return "";
}

std::vector<std::vector<Case>> covered_by(const std::vector<Cause>& causes, const CauseCheckSettings& settings) {
  std::vector<std::vector<Case>> covered(causes.size());
  for (const bool illegal : {false, true}) add_covered(causes, illegal, settings, covered);
  return covered;
}

CauseCheck check_cause(const Cause& cause, const std::vector<Case>& covered,
                       const std::vector<workers::RosterEntry>& installed, const CauseCheckSettings& settings) {
  CauseCheck check{cause.name, {}, {}, {}};
  const std::vector<workers::RosterEntry> concerned = concerned_by(cause, installed);
  const CauseChecker checker(cause, settings);
  for (const workers::RosterEntry& entry : concerned) check.implementations.push_back(checker.check(entry, covered));
  if (has(cause, Verdict::kCrash)) ask_heap_guards(cause, checker, concerned, check);
  add_faults(cause, check);
  return check;
}

}  // namespace convict::campaign
