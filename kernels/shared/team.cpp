// SPDX-License-Identifier: Apache-2.0
#include "kernels/shared/team.h"

#include <condition_variable>
#include <mutex>
#include <system_error>
#include <thread>
#include <vector>

namespace convict {
namespace {

// Iterations of waiting awake, some tens of microseconds, because what is waited for is mostly near; turns given to
// others after that; then sleep: on a busy machine those that wait must not keep the others from working.
constexpr int kSpins = 1000, kYields = 100;

void pause() {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#endif
}

/// Waits until the value is not `old`. Who changes it has to notify it.
template <class Value>
void await_change(const std::atomic<Value>& value, Value old) {
  for (int turn = 0; value.load(std::memory_order_acquire) == old; ++turn)
    if (turn < kSpins)
      pause();
    else if (turn < kSpins + kYields)
      std::this_thread::yield();
    else
      value.wait(old, std::memory_order_acquire);
}

/// Threads that wait for work.
class Crew {
 public:
  using Job = std::function<void(int number)>;

  ~Crew() {
    {
      const std::lock_guard lock(mutex_);
      closing_ = true;
    }
    wake_.notify_all();
    for (std::thread& thread : threads_) thread.join();
  }

  /// Whether nobody else has it; then release() has to follow.
  bool claim() { return busy_.try_lock(); }
  void release() { busy_.unlock(); }

  /// Has at least so many threads if they can be had; how many of them there are.
  int recruit(int count) {
    while (static_cast<int>(threads_.size()) < count) try {
        const int number = static_cast<int>(threads_.size()) + 1;
        threads_.emplace_back([this, number, first = round_.load()] { serve(number, first); });
      } catch (const std::system_error&) {
        break;
      }
    return std::min(count, static_cast<int>(threads_.size()));
  }

  /// job(1) to job(count) on as many threads, and job(0) here.
  void work(int count, const Job& job) {
    {
      const std::lock_guard lock(mutex_);
      job_ = &job;
      wanted_ = count;
      at_work_.store(static_cast<int>(threads_.size()), std::memory_order_relaxed);
      round_.fetch_add(1, std::memory_order_release);
    }
    wake_.notify_all();
    job(0);
    for (int left; (left = at_work_.load(std::memory_order_acquire)) > 0;) await_change(at_work_, left);
  }

 private:
  void serve(int number, uint64_t seen) {
    const auto called = [&] { return round_.load(std::memory_order_acquire) != seen; };
    while (true) {
      for (int spin = 0; spin < kSpins && !called(); ++spin) pause();
      {
        std::unique_lock lock(mutex_);
        wake_.wait(lock, [&] { return closing_ || called(); });
        if (!called()) return;
        seen = round_.load(std::memory_order_relaxed);
      }
      if (number <= wanted_) (*job_)(number);
      at_work_.fetch_sub(1, std::memory_order_release);
      at_work_.notify_one();
    }
  }

  std::mutex busy_, mutex_;
  std::condition_variable wake_;
  std::vector<std::thread> threads_;
  std::atomic<uint64_t> round_{0};
  std::atomic<int> at_work_{0};
  const Job* job_ = nullptr;
  int wanted_ = 0;
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
    crew.work(helpers, join);
  else
    join(0);
  if (others) crew.release();
}

}  // namespace convict
