// SPDX-License-Identifier: Apache-2.0
#include "diagnose/diagnosis_thread.h"

#include <algorithm>
#include <utility>

namespace convict::diagnose {

using Clock = std::chrono::steady_clock;

/// A diagnosis gets a quarter of the time left, but at least this much: one of a crash, which costs a process per run,
/// must not delay all others. (LibTorch takes half a second to load, and is loaded four times.)
constexpr std::chrono::seconds kLeast{6};

DiagnosisThread::DiagnosisThread(const workers::SupervisorSettings& settings, std::chrono::milliseconds budget)
    : settings_(settings), left_(budget), thread_([this] { run(); }) {}

DiagnosisThread::~DiagnosisThread() {
  stopped_ = true;
  wake_.notify_all();
  thread_.join();
}

void DiagnosisThread::add(DiagnosisRequest request) {
  const std::lock_guard lock(mutex_);
  waiting_.push_back(std::move(request));
  wake_.notify_all();
}

std::vector<FinishedDiagnosis> DiagnosisThread::take() {
  const std::lock_guard lock(mutex_);
  return std::exchange(finished_, {});
}

bool DiagnosisThread::idle() const {
  const std::lock_guard lock(mutex_);
  return finished_.empty() && !busy_ && (waiting_.empty() || left_ <= Clock::duration::zero());
}

void DiagnosisThread::run() {
  std::unique_lock lock(mutex_);
  while (!stopped_) {
    if (waiting_.empty() || left_ <= Clock::duration::zero()) {
      wake_.wait_for(lock, std::chrono::milliseconds(100));
      continue;
    }
    DiagnosisRequest request = std::move(waiting_.front());
    waiting_.pop_front();
    busy_ = true;
    const auto started = Clock::now();
    DiagnosisSettings settings;
    settings.supervisor = settings_;
    settings.supervisor.interrupted = &stopped_;
    settings.deadline = started + std::min(left_, std::max<Clock::duration>(left_ / 4, kLeast));
    settings.known = std::move(request.known);
    lock.unlock();
    FinishedDiagnosis result{request.row, std::move(request.mismatch), {}, ""};
    try {
      result.diagnosis = diagnose(result.mismatch, settings, [](const DiagnosisProgress&) {});
    } catch (const std::exception& error) {
      result.trouble = error.what();
    }
    lock.lock();
    left_ -= Clock::now() - started;
    busy_ = false;
    if (result.diagnosis.complete || !result.trouble.empty()) finished_.push_back(std::move(result));
  }
}

}  // namespace convict::diagnose
