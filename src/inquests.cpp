// SPDX-License-Identifier: Apache-2.0
#include "inquests.h"

#include <algorithm>
#include <utility>

namespace convict {

using Clock = std::chrono::steady_clock;

/// Of the time that is left, one inquest gets a quarter, but this much at least: a crash that costs a process each time
/// must not keep everything else waiting. (LibTorch takes half a second to load, and is loaded four times.)
constexpr std::chrono::seconds kLeast{6};

Inquests::Inquests(const SupervisorSettings& settings, std::chrono::milliseconds budget)
    : settings_(settings), left_(budget), thread_([this] { run(); }) {}

Inquests::~Inquests() {
  stopped_ = true;
  wake_.notify_all();
  thread_.join();
}

void Inquests::refer(Referral referral) {
  const std::lock_guard lock(mutex_);
  waiting_.push_back(std::move(referral));
  wake_.notify_all();
}

std::vector<Verdicts> Inquests::take() {
  const std::lock_guard lock(mutex_);
  return std::exchange(finished_, {});
}

bool Inquests::idle() const {
  const std::lock_guard lock(mutex_);
  return finished_.empty() && !busy_ && (waiting_.empty() || left_ <= Clock::duration::zero());
}

void Inquests::run() {
  std::unique_lock lock(mutex_);
  while (!stopped_) {
    if (waiting_.empty() || left_ <= Clock::duration::zero()) {
      wake_.wait_for(lock, std::chrono::milliseconds(100));
      continue;
    }
    Referral referral = std::move(waiting_.front());
    waiting_.pop_front();
    busy_ = true;
    const auto started = Clock::now();
    InquestSettings settings;
    settings.supervisor = settings_;
    settings.supervisor.interrupted = &stopped_;
    settings.deadline = started + std::min(left_, std::max<Clock::duration>(left_ / 4, kLeast));
    settings.known = std::move(referral.known);
    lock.unlock();
    Verdicts result{referral.row, std::move(referral.mismatch), {}, ""};
    try {
      result.finding = hold_inquest(result.mismatch, settings, [](const InquestProgress&) {});
    } catch (const std::exception& error) {
      result.trouble = error.what();
    }
    lock.lock();
    left_ -= Clock::now() - started;
    busy_ = false;
    if (result.finding.complete || !result.trouble.empty()) finished_.push_back(std::move(result));
  }
}

}  // namespace convict
