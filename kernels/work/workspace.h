// SPDX-License-Identifier: Apache-2.0
//
// The scratch memory of one call: a single allocation, cut into arrays that begin at cache lines. The same code takes
// the arrays twice: first without memory, to learn the size that plans print, and again after allocate().
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
    return memory_ ? reinterpret_cast<T*>(memory_.get() + begin) : nullptr;
  }

  int64_t bytes() const { return static_cast<int64_t>(used_); }

  /// Allocates what was taken so far. All of it has to be taken again. Throws std::bad_alloc.
  void allocate() {
    memory_.reset(static_cast<std::byte*>(::operator new(used_ + kAlignment, std::align_val_t(kAlignment))));
    used_ = 0;
  }

 private:
  struct Free {
    void operator()(std::byte* memory) const { ::operator delete(memory, std::align_val_t(kAlignment)); }
  };
  std::unique_ptr<std::byte, Free> memory_;
  size_t used_ = 0;
};

/// At least `count` elements: an odd number of cache lines, so that rows at this distance use different sets of a
/// cache.
template <class T>
constexpr int64_t odd_lines(int64_t count) {
  constexpr int64_t kLine = Workspace::kAlignment / sizeof(T);
  return (panels_of(count, kLine) | 1) * kLine;
}

}  // namespace convict::kernels::work
