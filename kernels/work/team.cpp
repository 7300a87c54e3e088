// SPDX-License-Identifier: Apache-2.0
#include "kernels/work/team.h"

#include <chrono>
#include <memory>
#include <mutex>
#include <system_error>
#include <thread>

namespace convict::kernels::work {
namespace {

using Clock = std::chrono::steady_clock;

// Spin briefly, then yield, then sleep. Most waits are short, and waking a thread takes as long as a small layer. The
// spins take about ten microseconds. On a busy machine a waiting thread must not keep others from working, so it yields
// for kAwake at most. Where the last wait was longer than that, the next one is a sleep from its begin: calls that are
// judged are far apart, and a thread that spins between them takes time from what is judged.
constexpr int kSpins = 1000;
constexpr std::chrono::microseconds kAwake(100);

void pause() {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#endif
}

/// Waits until the value is not `old`. The thread that changes it has to notify it. `soon`: whether that is expected
/// within kAwake; afterwards, whether it was.
template <class Value>
void await_change(const std::atomic<Value>& value, Value old, bool& soon) {
  const auto has_changed = [&] { return value.load(std::memory_order_acquire) != old; };
  const Clock::time_point end = Clock::now() + kAwake;
  for (int spin = 0; soon && spin < kSpins; ++spin, pause())
    if (has_changed()) return;
  while (soon && !has_changed() && Clock::now() < end) std::this_thread::yield();
  while (!has_changed()) value.wait(old, std::memory_order_acquire);
  soon = Clock::now() < end;
}

/// The same within a call, whose threads wait for each other only.
template <class Value>
void await_change(const std::atomic<Value>& value, Value old) {
  bool soon = true;
  await_change(value, old, soon);
}

/// The threads of the process that wait for work.
class Crew {
 public:
  using Job = std::function<void(int number)>;

  ~Crew() {
    closing_ = true;
    for (const auto& helper : helpers_) ring(*helper);
    for (const auto& helper : helpers_) helper->thread.join();
  }

  /// Whether it was free. If so, it is the caller's until release().
  bool claim() { return busy_.try_lock(); }
  void release() { busy_.unlock(); }

  /// Starts threads until there are `count`, or no more can be started. Returns how many of them there are.
  int recruit(int count) {
    while (static_cast<int>(helpers_.size()) < count) {
      Helper& helper = *helpers_.emplace_back(std::make_unique<Helper>());
      const auto number = static_cast<int>(helpers_.size());
      try {
        helper.thread = std::thread([this, &helper, number] { serve(helper, number); });
      } catch (const std::system_error&) {
        helpers_.pop_back();
        break;
      }
    }
    return std::min(count, static_cast<int>(helpers_.size()));
  }

  /// Runs job(1) to job(count) on as many threads, and job(0) on this one.
  void run(int count, const Job& job) {
    job_ = &job;
    at_work_.store(count, std::memory_order_relaxed);
    for (int i = 0; i < count; ++i) ring(*helpers_[static_cast<size_t>(i)]);
    job(0);
    for (int left; (left = at_work_.load(std::memory_order_acquire)) > 0;) await_change(at_work_, left);
  }

 private:
  struct alignas(64) Helper {  // each has a cache line of its own
    std::atomic<uint32_t> bell{0};
    std::thread thread;
  };

  /// Wakes a helper. It sees what was written before.
  static void ring(Helper& helper) {
    helper.bell.fetch_add(1, std::memory_order_release);
    helper.bell.notify_one();
  }

  void serve(const Helper& helper, int number) {
    bool soon = true;
    for (uint32_t heard = 0;; ++heard) {
      await_change(helper.bell, heard, soon);
      if (closing_) return;
      (*job_)(number);
      at_work_.fetch_sub(1, std::memory_order_release);
      at_work_.notify_one();
    }
  }

  std::mutex busy_;
  std::vector<std::unique_ptr<Helper>> helpers_;
  std::atomic<int> at_work_{0};
  const Job* job_ = nullptr;
  bool closing_ = false;
};

}  // namespace

void Team::meet() {
  const uint32_t meeting = state_->meetings.load(std::memory_order_acquire);
  if (state_->arrived.fetch_add(1, std::memory_order_acq_rel) + 1 == static_cast<int>(state_->claims.size())) {
    state_->arrived.store(0, std::memory_order_relaxed);
    for (TeamState::Claims& claims : state_->claims) claims.count.store(0, std::memory_order_relaxed);
    state_->meetings.fetch_add(1, std::memory_order_release);
    state_->meetings.notify_all();
    return;
  }
  await_change(state_->meetings, meeting);
}

void Team::run(int threads, const std::function<void(Team& team, int number)>& member) {
  static Crew crew;
  const bool others = threads > 1 && crew.claim();
  const int helpers = others ? crew.recruit(threads - 1) : 0;
  TeamState state(helpers + 1);
  const auto join = [&](int number) {
    Team team(&state, number);
    member(team, number);
  };
  if (helpers > 0)
    crew.run(helpers, join);
  else
    join(0);
  if (others) crew.release();
}

}  // namespace convict::kernels::work
