// SPDX-License-Identifier: Apache-2.0
#include "diagnose/row_diagnoses.h"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>
#include <utility>

#include "core/case_text.h"
#include "store/sqlite.h"
#include "workers/fork_servers.h"

namespace convict::diagnose {

using Clock = std::chrono::steady_clock;

/// A diagnosis gets a quarter of the time left, but at least this much: one of a crash, which costs a process per run,
/// must not delay all others. (LibTorch takes half a second to load, and is loaded four times.)
constexpr std::chrono::seconds kLeast{6};

bool is_of_target(const DiagnosisRequest& request) { return request.mismatch.blame == Blame::kTarget; }

DiagnosisThread::DiagnosisThread(const workers::SupervisionSettings& settings, std::chrono::milliseconds budget)
    : settings_(settings), budget_(budget), left_(budget), thread_([this] { run(); }) {}

DiagnosisThread::~DiagnosisThread() {
  stopped_ = cut_short_ = true;
  wake_.notify_all();
  thread_.join();
}

void DiagnosisThread::add(DiagnosisRequest request) {
  const std::lock_guard lock(mutex_);
  if (is_of_target(request) && running_ && !running_->of_target) cut_short_ = true;
  waiting_.push_back(std::move(request));
  wake_.notify_all();
}

std::vector<FinishedDiagnosis> DiagnosisThread::take() {
  const std::lock_guard lock(mutex_);
  return std::exchange(finished_, {});
}

bool DiagnosisThread::may_run(const DiagnosisRequest& request) const {
  return is_of_target(request) ? left_ > Clock::duration::zero() : left_ > budget_ / 2 && !only_targets_;
}

void DiagnosisThread::keep_to_targets() {
  const std::lock_guard lock(mutex_);
  only_targets_ = true;
  if (running_ && !running_->of_target) cut_short_ = true;
}

DiagnosisThread::Present DiagnosisThread::present() const {
  const std::lock_guard lock(mutex_);
  const auto waiting = std::ranges::count_if(waiting_, [this](const DiagnosisRequest& one) { return may_run(one); });
  return {running_ ? running_->signature : "", static_cast<size_t>(waiting)};
}

bool DiagnosisThread::idle() const {
  const std::lock_guard lock(mutex_);
  return finished_.empty() && !running_ &&
         std::ranges::none_of(waiting_, [this](const DiagnosisRequest& one) { return may_run(one); });
}

bool DiagnosisThread::ran_out() const {
  const std::lock_guard lock(mutex_);
  return gave_up_ || std::ranges::any_of(waiting_, is_of_target);
}

/// Those that blame a target first, and of them those that no explanation covers: the others seem to be its fault. Of
/// these, what only rounds comes last: a wrong value may be small enough to look like it.
std::optional<DiagnosisRequest> DiagnosisThread::next() {
  const auto urgency = [this](const DiagnosisRequest& request) {
    const auto covers = [&](const KnownFault& one) { return one.predicate.holds(request.mismatch.problem_case); };
    return std::tuple(is_of_target(request), std::ranges::none_of(known_to(request), covers),
                      request.mismatch.verdict != Verdict::kWrongRounding);
  };
  const auto first = std::ranges::max_element(waiting_, {}, urgency);  // the first of equals
  if (first == waiting_.end() || !may_run(*first)) return std::nullopt;
  DiagnosisRequest request = std::move(*first);
  waiting_.erase(first);
  return request;
}

/// A condition that was learnt together with an earlier one stands for both.
void DiagnosisThread::learn(FinishedDiagnosis& finished) {
  Diagnosis& diagnosis = finished.diagnosis;
  if (!diagnosis.complete || diagnosis.samples.empty()) return;
  KnownFault fault{Predicate::parse(diagnosis.predicate),
                   std::make_shared<const std::vector<explain::Sample>>(std::move(diagnosis.samples))};
  std::erase_if(learnt_, [&](const LearntFault& one) {
    return one.suspect == finished.mismatch.suspect && may_show(finished.mismatch.verdict, one.verdict) &&
           fault.predicate.holds(one.fault.samples->front().c);
  });
  learnt_.insert(learnt_.begin(), {finished.mismatch.suspect, finished.mismatch.verdict, std::move(fault)});
}

std::vector<KnownFault> DiagnosisThread::known_to(const DiagnosisRequest& request) const {
  std::vector<KnownFault> known = request.known;
  for (const LearntFault& one : learnt_)
    if (one.suspect == request.mismatch.suspect && may_show(one.verdict, request.mismatch.verdict))
      known.push_back(one.fault);
  return known;
}

void DiagnosisThread::run() {
  workers::ForkServers fork_servers;
  std::unique_lock lock(mutex_);
  while (!stopped_) {
    std::optional<DiagnosisRequest> request = next();
    if (!request) {
      wake_.wait_for(lock, std::chrono::milliseconds(100));
      continue;
    }
    running_ = Running{is_of_target(*request), signature(request->mismatch)};
    const auto started = Clock::now();
    DiagnosisSettings settings;
    settings.supervisor = settings_;
    settings.supervisor.interrupted = &cut_short_;
    settings.supervisor.fork_servers = &fork_servers;
    settings.deadline = started + std::min(left_, std::max<Clock::duration>(left_ / 4, kLeast));
    settings.known = known_to(*request);
    lock.unlock();
    FinishedDiagnosis result{request->row, request->mismatch, {}, ""};
    try {
      result.diagnosis = diagnose(result.mismatch, settings, [](const DiagnosisProgress&) {});
    } catch (const std::exception& error) {
      result.trouble = error.what();
    }
    learn(result);
    lock.lock();
    left_ -= Clock::now() - started;
    running_.reset();
    if (!stopped_ && cut_short_.exchange(false))
      waiting_.push_front(std::move(*request));
    else if (result.diagnosis.complete || !result.trouble.empty())
      finished_.push_back(std::move(result));
    else
      gave_up_ |= !stopped_ && is_of_target(*request);
  }
}

// ---- Rows -----------------------------------------------------------------------------------------------------------

RowDiagnoses::RowDiagnoses(store::Store& store, const std::vector<workers::RosterEntry>& roster,
                           std::vector<std::string>& notes, const workers::SupervisionSettings& settings,
                           std::chrono::milliseconds budget)
    : store_(store), roster_(roster), notes_(notes), known_(store), diagnoses_(settings, budget) {}

void RowDiagnoses::diagnose(int64_t row, const Mismatch& mismatch) {
  if (mismatch.verdict == Verdict::kAcceptsInvalid || pending_.contains(row)) return;
  const auto suspect = std::ranges::find(roster_, mismatch.suspect, &workers::RosterEntry::name);
  if (suspect == roster_.end()) return;
  const std::string key = fmt::format("{}|{}|{}", mismatch.suspect, name_of(mismatch.verdict),
                                      to_text(mismatch.problem_case));
  if (!tried_.insert(key).second) return;
  pending_.insert(row);
  diagnoses_.add({row, mismatch, known_.faults_of(mismatch, suspect->version)});
}

void RowDiagnoses::diagnose_unexplained(const std::string& suspect) try {
  for (const store::MismatchRow& row : store_.mismatches({.suspect = suspect}))
    if (!row.is_explained()) diagnose(row.id, row.mismatch());
} catch (const store::Locked&) {
  throw;
} catch (const std::exception& error) {
  notes_.push_back(fmt::format("a row of the database makes no sense: {}", error.what()));
}

/// What cannot be written now is there the next time.
void RowDiagnoses::store_finished() {
  for (FinishedDiagnosis& one : diagnoses_.take()) finished_.push_back(std::move(one));
  for (; !finished_.empty(); finished_.pop_front()) {
    const FinishedDiagnosis& one = finished_.front();
    pending_.erase(one.row);
    if (!one.trouble.empty()) {
      notes_.push_back(fmt::format("mismatch {} could not be explained: {}", one.row, one.trouble));
      continue;
    }
    store_.explain(one.row, known_.explanation(one.diagnosis, one.mismatch));
    diagnose_unexplained(one.mismatch.suspect);
  }
}

}  // namespace convict::diagnose
