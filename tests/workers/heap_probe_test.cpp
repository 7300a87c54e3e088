// SPDX-License-Identifier: Apache-2.0
//
// Which deaths with an allocator that notices damage are damage.
#include "workers/attribution.h"

#include <gtest/gtest.h>
#include <signal.h>

namespace convict::workers {
namespace {

WorkerDeath death_by(int signal, const char* last_words) {
  WorkerDeath death;
  death.position = 0;
  death.signal.number = signal;
  death.certificate.death.output_tail = last_words;
  return death;
}

TEST(HeapProbe, TheSignalOfTheAllocatorIsDamage) {
  EXPECT_TRUE(is_heap_damage(death_by(SIGSEGV, ""), "electric-fence"));
  EXPECT_TRUE(is_heap_damage(death_by(SIGABRT, "malloc_check_get_size: memory corruption"), "glibc"));
  EXPECT_FALSE(is_heap_damage(death_by(SIGABRT, ""), "electric-fence"));
  EXPECT_FALSE(is_heap_damage(death_by(SIGSEGV, ""), "glibc"));
}

TEST(HeapProbe, AnAllocatorWithoutMemoryIsNoDamage) {
  EXPECT_FALSE(is_heap_damage(death_by(SIGSEGV, "ElectricFence Exiting: mprotect() failed: "), "electric-fence"));
}

TEST(HeapProbe, AnAccessThatIsNotAlignedIsNoDamage) {
  WorkerDeath death = death_by(SIGSEGV, "");
  death.signal.touched = run::AddressClass::kNoAddress;
  EXPECT_FALSE(is_heap_damage(death, "electric-fence"));
}

}  // namespace
}  // namespace convict::workers
