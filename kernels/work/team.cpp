// SPDX-License-Identifier: Apache-2.0
#include "kernels/work/team.h"

#include <chrono>
#include <memory>
#include <mutex>
#include <system_error>
#include <thread>
#include <vector>

namespace convict::kernels::work {
namespace {

using Clock = std::chrono::steady_clock;

// What is waited for is mostly near, and waking a thread takes as long as a small layer: so it is waited for awake,
// some ten microseconds at first, and then giving turns to others. Where these take them, time is soon over, and the
// thread sleeps: on a busy machine those that wait must not keep the others from working.
constexpr int kSpins = 1000;
constexpr std::chrono::microseconds kAwake(100);

void pause() {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#endif
}

/// Waits until the value is not `old`. Who changes it has to notify it.
template <class Value>
void await_change(const std::atomic<Value>& value, Value old) {
  for (int spin = 0; spin < kSpins; ++spin, pause())
    if (value.load(std::memory_order_acquire) != old) return;
  const Clock::time_point end = Clock::now() + kAwake;
  while (value.load(std::memory_order_acquire) == old)
    if (Clock::now() < end)
      std::this_thread::yield();
    else
      value.wait(old, std::memory_order_acquire);
}

/// Threads that wait for work.
class Crew {
 public:
  using Job = std::function<void(int number)>;

  ~Crew() {
    closing_ = true;
    for (const auto& helper : helpers_) ring(*helper);
    for (const auto& helper : helpers_) helper->thread.join();
  }

  /// Whether nobody else has it; then release() has to follow.
  bool claim() { return busy_.try_lock(); }
  void release() { busy_.unlock(); }

  /// Has at least so many threads if they can be had; how many of them there are.
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

  /// job(1) to job(count) on as many threads, and job(0) here.
  void run(int count, const Job& job) {
    job_ = &job;
    at_work_.store(count, std::memory_order_relaxed);
    for (int i = 0; i < count; ++i) ring(*helpers_[static_cast<size_t>(i)]);
    job(0);
    for (int left; (left = at_work_.load(std::memory_order_acquire)) > 0;) await_change(at_work_, left);
  }

 private:
  struct alignas(64) Helper {  // a cache line, which nobody else's bell is in
    std::atomic<uint32_t> bell{0};
    std::thread thread;
  };

  /// What is written before is seen by the helper.
  static void ring(Helper& helper) {
    helper.bell.fetch_add(1, std::memory_order_release);
    helper.bell.notify_one();
  }

  void serve(const Helper& helper, int number) {
    for (uint32_t heard = 0;; ++heard) {
      await_change(helper.bell, heard);
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
  const uint32_t meeting = state_.meetings.load(std::memory_order_acquire);
  if (state_.arrived.fetch_add(1, std::memory_order_acq_rel) + 1 == static_cast<int>(state_.claims.size())) {
    state_.arrived.store(0, std::memory_order_relaxed);
    for (TeamState::Claims& claims : state_.claims) claims.count.store(0, std::memory_order_relaxed);
    state_.meetings.fetch_add(1, std::memory_order_release);
    state_.meetings.notify_all();
    return;
  }
  await_change(state_.meetings, meeting);
}

void Team::run(int threads, const std::function<void(Team& team, int number)>& member) {
  static Crew crew;
  const bool others = threads > 1 && crew.claim();
  const int helpers = others ? crew.recruit(threads - 1) : 0;
  TeamState state(helpers + 1);
  const auto join = [&](int number) {
    Team team(state, number);
    member(team, number);
  };
  if (helpers > 0)
    crew.run(helpers, join);
  else
    join(0);
  if (others) crew.release();
}

}  // namespace convict::kernels::work
