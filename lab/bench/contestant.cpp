// SPDX-License-Identifier: Apache-2.0
#include "lab/bench/contestant.h"

#include <chrono>
#include <cstdio>
#include <utility>

#include "core/role.h"
#include "core/text.h"
#include "run/environment.h"
#include "run/guarded_call.h"
#include "run/subject.h"

namespace convict::bench {
namespace {

using Clock = std::chrono::steady_clock;  // CLOCK_MONOTONIC, as the supervisor expects of `entered_ns`

constexpr std::string_view kPlain = "onednn";
constexpr size_t kLongestReason = 300;  // bytes

/// While it lives, the flight record names the running implementation. Then restores the floating-point environment.
class TimedEntry {
 public:
  TimedEntry(run::FlightRecord& record, size_t position) : record_(record) {
    record_.entered_ns = std::chrono::nanoseconds(Clock::now().time_since_epoch()).count();
    record_.implementation = static_cast<int32_t>(position);
  }
  TimedEntry(const TimedEntry&) = delete;
  TimedEntry& operator=(const TimedEntry&) = delete;
  ~TimedEntry() {
    record_.implementation = run::FlightRecord::kOwnCode;
    floating_point_.restore();
  }

 private:
  run::FlightRecord& record_;
  run::FloatingPoint floating_point_;
};

}  // namespace

std::vector<Contestant> contestants_of(std::span<const run::Subject> subjects) {
  std::vector<Contestant> all;
  for (size_t i = 0; i < subjects.size(); ++i) {
    const std::string name = subjects[i].implementation->name;
    const Side whole = subjects[i].is_target ? Side::kTarget : Side::kLibrary;
    if (!subjects[i].implementation->steps) {
      all.push_back({name, i, Way::kRun, whole});
    } else if (name == kPlain) {
      all.push_back({name + ":plain", i, Way::kExecute, whole});
    } else {
      all.push_back({name + "+reorders", i, Way::kAllSteps, whole});
      all.push_back({name, i, Way::kExecute, subjects[i].is_target ? Side::kTarget : Side::kOwnLayouts});
    }
  }
  return all;
}

std::optional<std::string> refusal_of(const run::Subject& subject, size_t position, const convict_problem& p,
                                      const convict_tensors& tensors, run::FlightRecord& record) {
  if (const char* missing = run::missing_ability(p, subject.abilities)) return missing;
  convict_tensors described = tensors;
  for (const Role& role : kRoles) (described.*role.tensor).data = nullptr;
  const TimedEntry entered(record, position);
  const char* reason = subject.implementation->unsupported(subject.implementation, &p, &described);
  return reason ? std::optional(printable(reason, kLongestReason)) : std::nullopt;
}

/// Scratch memory for `run`; not timed, for a caller would keep it.
bool TimedCall::get_workspace() {
  constexpr size_t kAlignment = 64;
  convict_tensors described = tensors_;
  for (const Role& role : kRoles) (described.*role.tensor).data = nullptr;
  const size_t bytes = abilities_.workspace_size(&implementation_, &p_, &described);
  if (bytes == 0) return true;
  if (bytes <= CONVICT_MAX_WORKSPACE)
    workspace_.reset(std::aligned_alloc(kAlignment, (bytes + kAlignment - 1) / kAlignment * kAlignment));
  tensors_.workspace = workspace_.get();
  if (!workspace_) std::snprintf(error_, sizeof error_, "it wants a workspace of %zu bytes", bytes);
  return workspace_ != nullptr;
}

bool TimedCall::begin() {
  if (who_.way == Way::kRun && abilities_.workspace_size) {
    const TimedEntry entered(record_, who_.position);
    return get_workspace();
  }
  if (who_.way != Way::kExecute) return true;
  const TimedEntry entered(record_, who_.position);
  prepared_ = implementation_.steps->prepare(&implementation_, &p_, &tensors_, error_, sizeof error_);
  return prepared_ != nullptr;
}

bool TimedCall::end() {
  if (!prepared_) return true;
  const TimedEntry entered(record_, who_.position);
  return implementation_.steps->finish(std::exchange(prepared_, nullptr)) == CONVICT_OK;
}

bool TimedCall::all_steps() {
  const convict_steps& steps = *implementation_.steps;
  void* prepared = steps.prepare(&implementation_, &p_, &tensors_, error_, sizeof error_);
  if (!prepared) return false;
  const bool executed = steps.execute(prepared, error_, sizeof error_) == CONVICT_OK;
  return steps.finish(prepared) == CONVICT_OK && executed;
}

std::optional<double> TimedCall::seconds() {
  const TimedEntry entered(record_, who_.position);
  const auto start = Clock::now();
  bool computed = false;
  switch (who_.way) {
    case Way::kRun:
      computed = implementation_.run(&implementation_, &p_, &tensors_, error_, sizeof error_) == CONVICT_OK;
      break;
    case Way::kExecute:
      computed = implementation_.steps->execute(prepared_, error_, sizeof error_) == CONVICT_OK;
      break;
    case Way::kAllSteps: computed = all_steps(); break;
  }
  const std::chrono::duration<double> elapsed = Clock::now() - start;
  return computed ? std::optional(elapsed.count()) : std::nullopt;
}

std::string TimedCall::error() const {
  const std::string_view text(error_, strnlen(error_, sizeof error_));
  return text.empty() ? "gave no reason" : printable(text, kLongestReason);
}

}  // namespace convict::bench
