// SPDX-License-Identifier: Apache-2.0
//
// What a worker was doing when it died or erred, and what its process had done before, as cases.
#pragma once

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

namespace convict::workers {

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
