// SPDX-License-Identifier: Apache-2.0
//
// What a worker was doing when it died or erred, and what its process had done before, as cases. And one implementation
// alone: a fresh worker process that loads its library and no other, and runs some cases in order.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "core/case.h"
#include "core/task.h"
#include "workers/answers.h"
#include "workers/messages.h"
#include "workers/pool.h"
#include "workers/supervision_settings.h"

namespace convict::workers {

/// Who runs alone, as what it was called: a witness computes on one thread.
struct Suspect {
  std::string name;
  bool is_target = true;
};

/// `settings` for one worker that runs this implementation only. Witnesses are loaded if the verdict is
/// Verdict::kLessAccurate, which compares with them.
SupervisionSettings settings_for_one(const std::string& implementation, Verdict verdict, SupervisionSettings settings);

/// What became of some cases.
struct LoneResult {
  struct Hit {
    size_t at = 0;  // index into the cases
    Mismatch mismatch;
  };
  std::vector<Hit> found;            // in the order of the cases
  std::optional<WorkerDeath> death;  // the first; its index is one into the cases
  bool computed = false;             // it computed a case, or died of one
  size_t calls = 0;                  // cases that it was asked

  void add(bool judged) {
    computed |= judged;
    ++calls;
  }
  void add(const WorkerDeath& worker_death) {
    if (!death) death = worker_death;
    add(true);
  }
  /// What the suspect did wrong on case `at`, by a value or by a death. What a foreign process killed proves nothing.
  std::optional<Mismatch> of(const std::string& suspect, const std::string& line, size_t at) const;
  /// Whether it did anything wrong.
  bool shows(const std::string& suspect) const;
};

/// Runs the lines up to the first death, or as many as fit in `time` of the CPU, then waits a moment for what a thread
/// of the implementation may still do. What a plugin is charged with comes from a process that has loaded it itself,
/// until one has shown the like, unless the settings believe copies; then from copies, if there are fork servers.
/// Nothing is found if it cannot be loaded.
Task<LoneResult> run_alone(Pool& pool, Suspect suspect, Verdict verdict, std::vector<std::string> lines,
                           SupervisionSettings settings, std::optional<std::chrono::milliseconds> time = {});

/// The case that a worker died on: the one it noted, or else the one that its settings give for the index.
Case lost_case(const WorkerDeath& death, const WorkerSettings& worker);

/// The lines of the cases of some work.
using LinesOf = std::function<std::vector<std::string>(const Work&)>;

/// Of sampled cases. None of a guided worker, which makes its cases up: their numbers say nothing.
LinesOf sampled_lines(const WorkerSettings& worker, Draws draws);

/// A case that a process had before, and its number there.
struct EarlierCase {
  uint64_t index;
  std::string line;
};

/// The last of what a process had done before, at most kMostEarlierCases of them, in order.
inline constexpr size_t kMostEarlierCases = 1024;
std::vector<EarlierCase> earlier_cases(const std::vector<Work>& before, const LinesOf& lines_of);
/// Without the numbers.
std::vector<std::string> lines_in(const std::vector<EarlierCase>& cases);
std::vector<std::string> earlier_lines(const std::vector<Work>& before, const LinesOf& lines_of);

/// The last 1, 4, 16... of these lines, until a case `fails` after them; nothing if it never does.
Task<std::optional<std::vector<std::string>>> shortest_history(
    std::vector<std::string> earlier, std::function<Task<bool>(std::vector<std::string>)> fails);

/// The call of a relation that was running, with the kind of data of the case that it was on; nothing if none was.
std::optional<Case> relation_call(const WorkerDeath& death, const Case& lost);

}  // namespace convict::workers
