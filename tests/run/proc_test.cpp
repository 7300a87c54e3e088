// SPDX-License-Identifier: Apache-2.0
//
// Memory that a copy of a process lacks.
#include "run/proc.h"

#include <gtest/gtest.h>
#include <sys/mman.h>

namespace convict::run {
namespace {

constexpr size_t kBytes = 1 << 16;
constexpr int kDroppable = 0x08;  // MAP_DROPPABLE of Linux 6.11, in place of MAP_PRIVATE

void* mapped(int kind) { return mmap(nullptr, kBytes, PROT_READ | PROT_WRITE, MAP_ANONYMOUS | kind, -1, 0); }

TEST(MemoryOfItsOwn, IsThatWhichIsWipedInCopies) {
  ASSERT_FALSE(has_memory_of_its_own());
  void* const wiped = mapped(MAP_PRIVATE);
  ASSERT_EQ(madvise(wiped, kBytes, MADV_WIPEONFORK), 0);
  EXPECT_TRUE(has_memory_of_its_own());
  munmap(wiped, kBytes);
}

/// So is the state of getrandom() of glibc 2.41.
TEST(MemoryOfItsOwn, IsNotWhatTheKernelMayDropAnyway) {
  void* const droppable = mapped(kDroppable);
  if (droppable == MAP_FAILED) GTEST_SKIP() << "Linux before 6.11 has no such memory";
  EXPECT_FALSE(has_memory_of_its_own());
  munmap(droppable, kBytes);
}

}  // namespace
}  // namespace convict::run
