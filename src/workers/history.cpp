// SPDX-License-Identifier: Apache-2.0
#include "workers/history.h"

#include <algorithm>
#include <utility>

#include "core/case_text.h"
#include "core/error.h"
#include "generate/generate.h"

namespace convict::workers {
namespace {

using Lines = std::vector<std::string>;

Case case_drawn(const WorkerSettings& worker, const Draws& draws, uint64_t index) {
  const auto draw = draws.find(index);
  return generate::generate(worker.sampling(), index, draw == draws.end() ? 0 : draw->second);
}

}  // namespace

Case lost_case(const WorkerDeath& worker_death, const WorkerSettings& worker) {
  if (!worker_death.case_text.empty()) try {
      return parse_case(worker_death.case_text);
    } catch (const UsageError&) {  // the dead process may have overwritten the note
    }
  return case_drawn(worker, worker_death.draws, worker_death.index);
}

std::optional<Case> relation_call(const WorkerDeath& death, const Case& lost) {
  if (death.relation_call.empty()) return std::nullopt;
  try {
    Case call = parse_case(death.relation_call);
    call.fill = lost.fill;
    call.seed = lost.seed;
    return call;
  } catch (const UsageError&) {  // overwritten, or cut
    return std::nullopt;
  }
}

LinesOf sampled_lines(const WorkerSettings& worker, Draws draws) {
  return [&worker, draws = std::move(draws)](const Work& work) {
    Lines lines;
    for (uint64_t i = 0; worker.corpus.empty() && i < work.count; ++i)
      lines.push_back(to_text(case_drawn(worker, draws, work.first + i * work.step)));
    return lines;
  };
}

std::vector<EarlierCase> earlier_cases(const std::vector<Work>& before, const LinesOf& lines_of) {
  std::vector<EarlierCase> cases;
  for (auto work = before.rbegin(); work != before.rend() && cases.size() < kMostEarlierCases; ++work) {
    Lines lines = lines_of(*work);
    for (size_t i = lines.size(); i-- > 0 && cases.size() < kMostEarlierCases;)
      cases.push_back({work->first + i * work->step, std::move(lines[i])});
  }
  std::ranges::reverse(cases);
  return cases;
}

Lines lines_in(const std::vector<EarlierCase>& cases) {
  Lines lines;
  for (const EarlierCase& one : cases) lines.push_back(one.line);
  return lines;
}

Lines earlier_lines(const std::vector<Work>& before, const LinesOf& lines_of) {
  return lines_in(earlier_cases(before, lines_of));
}

Task<std::optional<Lines>> shortest_history(Lines earlier, std::function<Task<bool>(Lines)> fails) {
  for (size_t count = 1; !earlier.empty(); count *= 4) {
    count = std::min(count, earlier.size());
    Lines last(earlier.end() - static_cast<std::ptrdiff_t>(count), earlier.end());
    const bool is_enough = co_await fails(last);
    if (is_enough) co_return last;
    if (count == earlier.size()) break;
  }
  co_return std::nullopt;
}

}  // namespace convict::workers
