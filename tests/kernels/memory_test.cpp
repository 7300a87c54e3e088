// SPDX-License-Identifier: Apache-2.0
//
// What a kernel allocates while it runs is what its plan says, which is the workspace that it asks for, and the tables
// of the axes; with a workspace, the tables alone. Nothing stays. A program of its own, because it counts what `new`
// hands out.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdlib>
#include <new>
#include <string>
#include <vector>

#include "abi/native_kernel.h"
#include "abi/trilinear.h"
#include "core/case_text.h"
#include "core/corpus.h"
#include "core/geometry.h"
#include "core/layout.h"
#include "tests/thorough.h"

namespace {

/// Bytes asked of `new` that are alive, and the most there were, while somebody counts. What malloc() gives may be
/// more: newer ones of glibc reuse an aligned chunk that is a little too large.
struct Heap {
  std::atomic<bool> counting{false};
  std::atomic<int64_t> alive{0}, most{0};

  void add(size_t bytes) {
    if (!counting) return;
    const int64_t now = alive += static_cast<int64_t>(bytes);
    for (int64_t old = most; now > old && !most.compare_exchange_weak(old, now);) {
    }
  }
  void remove(size_t bytes) {
    if (counting) alive -= static_cast<int64_t>(bytes);
  }
};

Heap heap;

/// Lies right before what `new` returns.
struct Header {
  void* base;
  size_t bytes;
};

void* allocate(size_t bytes, size_t unit) {
  static_assert(sizeof(Header) <= alignof(std::max_align_t));
  void* base = std::aligned_alloc(unit, (bytes + unit - 1) / unit * unit + unit);
  if (!base) throw std::bad_alloc();
  void* memory = static_cast<std::byte*>(base) + unit;
  static_cast<Header*>(memory)[-1] = {base, bytes};
  heap.add(bytes);
  return memory;
}

void release(void* memory) {
  if (!memory) return;
  const Header header = static_cast<Header*>(memory)[-1];
  heap.remove(header.bytes);
  std::free(header.base);
}

}  // namespace

// Arrays and sizes come by way of these.
void* operator new(size_t bytes) { return allocate(bytes, alignof(std::max_align_t)); }
void* operator new(size_t bytes, std::align_val_t alignment) {
  return allocate(bytes, std::max(static_cast<size_t>(alignment), alignof(std::max_align_t)));
}
// AddressSanitizer's own do not come by way of the ones above.
void* operator new[](size_t bytes) { return operator new(bytes); }
void* operator new[](size_t bytes, std::align_val_t alignment) { return operator new(bytes, alignment); }
void operator delete(void* memory) noexcept { release(memory); }
void operator delete(void* memory, size_t) noexcept { operator delete(memory); }
void operator delete(void* memory, std::align_val_t) noexcept { operator delete(memory); }
void operator delete(void* memory, size_t, std::align_val_t) noexcept { operator delete(memory); }
void operator delete[](void* memory) noexcept { operator delete(memory); }
void operator delete[](void* memory, size_t) noexcept { operator delete(memory); }
void operator delete[](void* memory, std::align_val_t) noexcept { operator delete(memory); }
void operator delete[](void* memory, size_t, std::align_val_t) noexcept { operator delete(memory); }

namespace convict::kernels {
namespace {

/// The number behind a word of a plan; 0 if the word is not in it.
int64_t stated(const std::string& plan, const std::string& word) {
  const size_t at = plan.find(' ' + word + '=');
  return at == std::string::npos ? 0 : std::stoll(plan.substr(at + word.size() + 2));
}

/// The bytes that docs/background/kernels.md allows for tables, and some for the plan itself.
int64_t most_for_tables(const convict_problem& p) {
  const Trilinear<float> f = trilinear<float>(p, {});
  int64_t entries = volume(f.kernel) + f.x_extent[0] * f.x_extent[1] + f.y_extent[0] * f.y_extent[1];
  entries += f.groups * (f.y_channels + f.x_channels * volume(f.stride)) / 16;
  for (int i = 0; i < kAxes; ++i) entries += f.kernel[i] + f.x_extent[i] + f.y_extent[i];
  constexpr int64_t kEntry = 64, kPlan = 4096;
  return kPlan + kEntry * entries;
}

/// Tensors with memory, in which everything is 0.
struct Operands {
  convict_problem problem;
  convict_tensors tensors;
  std::vector<std::vector<std::byte>> memory;

  explicit Operands(const Case& c) : problem(resolve_valid(c)), tensors(describe_tensors(c, problem)) {
    for (convict_tensor* tensor : {&tensors.src, &tensors.wei, &tensors.bias, &tensors.dst, &tensors.diff_src,
                                   &tensors.diff_wei, &tensors.diff_bias, &tensors.diff_dst}) {
      if (tensor->ndim == 0) continue;
      memory.emplace_back(bytes_of(*tensor));
      tensor->data = memory.back().data();
    }
  }

  /// A workspace of so many bytes.
  void give(size_t bytes) {
    constexpr size_t kLine = 64;
    std::byte* begin = memory.emplace_back(bytes + kLine).data();
    const auto address = reinterpret_cast<uintptr_t>(begin);
    if (bytes > 0) tensors.workspace = begin + (kLine - address % kLine) % kLine;
  }

  static size_t bytes_of(const convict_tensor& tensor) {
    int64_t last = tensor.offset;
    for (int dim = 0; dim < tensor.ndim; ++dim)
      last += std::max<int64_t>(0, tensor.dims[dim] - 1) * std::max<int64_t>(0, tensor.strides[dim]);
    return static_cast<size_t>(last + 1) * sizeof(double);
  }
};

/// The most bytes that a call has had from `new` at a time.
int64_t allocated_by(const convict_implementation& kernel, const convict_problem& p, const convict_tensors& tensors) {
  char error[256] = "";
  heap.alive = heap.most = 0;
  heap.counting = true;
  const convict_status status = kernel.run(&kernel, &p, &tensors, error, sizeof error);
  heap.counting = false;
  EXPECT_EQ(status, CONVICT_OK) << kernel.name << ": " << error;
  EXPECT_EQ(heap.alive, 0) << kernel.name;
  return heap.most;
}

/// Checks one kernel on one case; whether it takes it and has a plan.
bool check_memory(const NativeKernel& kernel, const Case& c) {
  Operands operands(c);
  const convict_problem& p = operands.problem;
  if (!kernel.plan || kernel.unsupported(&kernel, &p, &operands.tensors)) return false;
  const std::string plan = kernel.plan(&kernel, &p, &operands.tensors);
  if (plan.find("workspace=") == std::string::npos) return false;  // `auto` that chose `direct`
  const auto of_plan = stated(plan, "workspace") + stated(plan, "widened") + stated(plan, "cells");
  const size_t wanted = kernel.abilities.workspace_size(&kernel, &p, &operands.tensors);
  EXPECT_EQ(static_cast<int64_t>(wanted), of_plan) << kernel.name << ": " << plan << "\n" << to_text(c);
  char error[256] = "";
  kernel.run(&kernel, &p, &operands.tensors, error, sizeof error);  // starts the threads, which stay
  const int64_t alone = allocated_by(kernel, p, operands.tensors);
  EXPECT_LE(alone, of_plan + most_for_tables(p)) << kernel.name << ": " << plan << "\n" << to_text(c);
  EXPECT_GE(alone, of_plan) << kernel.name << ": " << plan << "\n" << to_text(c);
  operands.give(wanted);
  EXPECT_LE(allocated_by(kernel, p, operands.tensors), most_for_tables(p)) << kernel.name << "\n" << to_text(c);
  return true;
}

double products_of(const Case& c) {
  const Trilinear<float> f = trilinear<float>(resolve_valid(c), {});
  return static_cast<double>(f.batch * f.groups * f.x_channels * f.y_channels) *
         static_cast<double>(volume(f.y_extent)) * static_cast<double>(volume(f.kernel));
}

TEST(KernelMemoryTest, RunAllocatesWhatThePlanStates) {
  const double most_products = test::thorough(1e7, 1e8);  // so that the slowest kernel takes a moment
  int checked = 0;
  for (const char* folder : {"/seeds", "/networks"})
    for (const CorpusEntry& entry : read_corpus(CONVICT_CORPUS + std::string(folder))) {
      if (entry.must_be_refused || products_of(entry.c) > most_products) continue;
      Case c = entry.c;
      for (const int threads : {1, 2}) {
        c.threads = threads;
        for (const NativeKernel* kernel : native_kernels()) checked += check_memory(*kernel, c);
      }
    }
  EXPECT_GT(checked, 1000);
}

}  // namespace
}  // namespace convict::kernels
