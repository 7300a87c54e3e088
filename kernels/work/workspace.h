// SPDX-License-Identifier: Apache-2.0
//
// The scratch memory of one call, cut into arrays that begin at cache lines. The same code takes the arrays twice:
// first without memory, to learn the size that plans print and callers are told, and again after allocate().
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>

#include "kernels/work/panel.h"

namespace convict::kernels::work {

class Workspace {
 public:
  static constexpr size_t kAlignment = 64;  // bytes: a cache line, and the widest vector

  /// The next `count` elements, uninitialised; nullptr while measuring.
  template <class T>
  T* take(int64_t count) {
    const size_t begin = used_;
    used_ += (static_cast<size_t>(count) * sizeof(T) + kAlignment - 1) / kAlignment * kAlignment;
    return memory_ ? reinterpret_cast<T*>(memory_ + begin) : nullptr;
  }

  int64_t bytes() const { return static_cast<int64_t>(used_); }

  /// Gets memory for what was taken so far, all of which has to be taken again: that of the caller, which begins at a
  /// cache line and is long enough, or one allocation if it is nullptr. Throws std::bad_alloc.
  void allocate(std::byte* of_caller) {
    if (!of_caller) own_.reset(static_cast<std::byte*>(::operator new(used_, std::align_val_t(kAlignment))));
    memory_ = of_caller ? of_caller : own_.get();
    used_ = 0;
  }

 private:
  struct Free {
    void operator()(std::byte* memory) const { ::operator delete(memory, std::align_val_t(kAlignment)); }
  };
  std::unique_ptr<std::byte, Free> own_;
  std::byte* memory_ = nullptr;
  size_t used_ = 0;
};

/// What follows the first `bytes` of a caller's workspace; nullptr if there is none.
inline std::byte* behind(void* workspace, int64_t bytes) {
  return workspace ? static_cast<std::byte*>(workspace) + bytes : nullptr;
}

/// At least `count` elements: an odd number of cache lines, so that rows at this distance use different sets of a
/// cache.
template <class T>
constexpr int64_t odd_lines(int64_t count) {
  constexpr int64_t kLine = Workspace::kAlignment / sizeof(T);
  return (panels_of(count, kLine) | 1) * kLine;
}

}  // namespace convict::kernels::work
