// SPDX-License-Identifier: Apache-2.0
//
// A function that may wait in the middle, a C++20 coroutine: what has to be asked of processes, one question after the
// other, is written in order, and its thread does other things while an answer is awaited.
#pragma once

#include <coroutine>
#include <exception>
#include <optional>
#include <utility>

namespace convict::inline core {

template <class T>
class Task;

namespace detail {

/// What tasks of all types have: whom to go on with at the end, and what was thrown.
struct Promise {
  std::coroutine_handle<> next = std::noop_coroutine();
  std::exception_ptr thrown;

  struct End {
    bool await_ready() noexcept { return false; }
    template <class P>
    std::coroutine_handle<> await_suspend(std::coroutine_handle<P> ended) noexcept {
      return ended.promise().next;
    }
    void await_resume() noexcept {}
  };
  std::suspend_always initial_suspend() noexcept { return {}; }
  End final_suspend() noexcept { return {}; }
  void unhandled_exception() { thrown = std::current_exception(); }
};

template <class T>
struct PromiseOf : Promise {
  std::optional<T> value;
  Task<T> get_return_object();
  template <class U>
  void return_value(U&& result) {
    value.emplace(std::forward<U>(result));
  }
  T take() {
    if (thrown) std::rethrow_exception(thrown);
    return std::move(*value);
  }
};

template <>
struct PromiseOf<void> : Promise {
  Task<void> get_return_object();
  void return_void() {}
  void take() {
    if (thrown) std::rethrow_exception(thrown);
  }
};

}  // namespace detail

/// Begins when it is awaited or started. Parameters that are references must outlive it; dropping it ends it where it
/// waits.
template <class T>
class [[nodiscard]] Task {
 public:
  using promise_type = detail::PromiseOf<T>;
  using Handle = std::coroutine_handle<promise_type>;

  explicit Task(Handle handle) : handle_(handle) {}
  Task(Task&& other) noexcept : handle_(std::exchange(other.handle_, nullptr)) {}
  Task& operator=(Task&& other) noexcept {
    std::swap(handle_, other.handle_);
    return *this;
  }
  ~Task() {
    if (handle_) handle_.destroy();
  }

  void start() { handle_.resume(); }
  bool is_done() const { return handle_.done(); }
  /// Throws what it has thrown. Precondition: is_done().
  T result() { return handle_.promise().take(); }

  auto operator co_await() && noexcept {
    struct Awaiter {
      Handle handle;
      bool await_ready() noexcept { return false; }
      std::coroutine_handle<> await_suspend(std::coroutine_handle<> caller) noexcept {
        handle.promise().next = caller;
        return handle;
      }
      T await_resume() { return handle.promise().take(); }
    };
    return Awaiter{handle_};
  }

 private:
  Handle handle_;
};

template <class T>
Task<T> detail::PromiseOf<T>::get_return_object() {
  return Task<T>(std::coroutine_handle<PromiseOf<T>>::from_promise(*this));
}
inline Task<void> detail::PromiseOf<void>::get_return_object() {
  return Task<void>(std::coroutine_handle<PromiseOf<void>>::from_promise(*this));
}

}  // namespace convict::inline core
