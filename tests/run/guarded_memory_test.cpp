// SPDX-License-Identifier: Apache-2.0
#include "run/guarded_memory.h"

#include <gtest/gtest.h>
#include <sys/mman.h>

#include <algorithm>
#include <cstdint>
#include <cstring>

#include "core/case_text.h"
#include "core/geometry.h"
#include "core/layout.h"

namespace convict {
namespace {

struct Placed {
  explicit Placed(bool flush_end) : c(parse_case("conv2d n=2 ic=3 oc=2 in=5x7 k=3 bias")), p(resolve_valid(c)) {
    memory.place(p, describe_tensors(c, p), flush_end);
    memory.prepare_outputs(0, /*to_kept=*/false);
  }
  float* dst() const { return static_cast<float*>(memory.theirs().dst.data); }
  const float* src() const { return static_cast<const float*>(memory.theirs().src.data); }
  int64_t dst_size() const { return element_count(memory.theirs().dst); }

  Case c;
  convict_problem p;
  run::GuardedMemory memory;
};

/// Accesses that the compiler must not remove.
float read(const float* address) { return *static_cast<const volatile float*>(address); }
void write(const float* address) { *const_cast<volatile float*>(address) = 1; }

TEST(GuardedMemory, OnePastTheEndFaults) {
  const Placed placed(/*flush_end=*/true);
  EXPECT_DEATH(write(placed.dst() + placed.dst_size()), "");
  EXPECT_DEATH(read(placed.src() + element_count(placed.memory.theirs().src)), "");
}

TEST(GuardedMemory, OneBeforeTheBeginFaults) {
  const Placed placed(/*flush_end=*/false);
  EXPECT_DEATH(write(placed.dst() - 1), "");
  EXPECT_DEATH(read(placed.src() - 1), "");
}

TEST(GuardedMemory, TheOtherSideHasSlackThatRemembersWrites) {
  for (const bool flush_end : {true, false}) {
    const Placed placed(flush_end);
    EXPECT_EQ(placed.memory.overrun(), "");
    for (int64_t i = 0; i < placed.dst_size(); ++i) placed.dst()[i] = 0;
    EXPECT_EQ(placed.memory.overrun(), "");
    write(flush_end ? placed.dst() - 1 : placed.dst() + placed.dst_size());
    EXPECT_EQ(placed.memory.overrun(), "dst");
  }
}

TEST(GuardedMemory, InputsAreReadOnlyForTheImplementationAlone) {
  const Placed placed(true);
  static_cast<float*>(placed.memory.ours().src.data)[0] = 3;
  EXPECT_EQ(placed.src()[0], 3);
  EXPECT_DEATH(write(placed.src()), "");
}

/// Whoever makes an input writable, changes it and puts the protection back is told so, and can have it no other way.
TEST(GuardedMemory, InputsCannotBeMadeWritable) {
  const Placed placed(true);
  auto* const page = reinterpret_cast<unsigned char*>(reinterpret_cast<uintptr_t>(placed.src()) & ~uintptr_t{4095});
  EXPECT_NE(mprotect(page, 4096, PROT_READ | PROT_WRITE), 0);
  const float before = placed.src()[0];
  static_cast<float*>(placed.memory.ours().src.data)[0] = before + 1;
  madvise(page, 4096, MADV_DONTNEED);
  EXPECT_EQ(placed.src()[0], before + 1) << "nothing is lost by advice";
}

TEST(GuardedMemory, AddressesAreClassified) {
  const Placed placed(/*flush_end=*/true);
  const run::GuardedMemory::AddressPlace beside = placed.memory.classify(placed.dst() + placed.dst_size());
  EXPECT_EQ(beside.found, run::AddressClass::kGuard);
  EXPECT_EQ(kRoles[static_cast<size_t>(beside.role)].name, "dst");
  EXPECT_EQ(beside.owner, 0);
  const run::GuardedMemory::AddressPlace input = placed.memory.classify(placed.src());
  EXPECT_EQ(input.found, run::AddressClass::kReadOnlyInput);
  EXPECT_EQ(kRoles[static_cast<size_t>(input.role)].name, "src");
  EXPECT_EQ(placed.memory.classify(&placed).found, run::AddressClass::kElsewhere);
}

TEST(GuardedMemory, ALateWriteIsItsAuthors) {
  Placed placed(/*flush_end=*/true);
  float* const old = placed.dst();
  placed.memory.prepare_outputs(1, /*to_kept=*/false);
  EXPECT_NE(placed.dst(), old) << "each implementation has outputs of its own";
  EXPECT_EQ(placed.memory.take_late_write(0), "");
  old[3] = 1;
  EXPECT_EQ(placed.memory.take_late_write(1), "") << "it is being called now";
  EXPECT_EQ(placed.memory.take_late_write(0), "dst");
  EXPECT_EQ(placed.memory.take_late_write(0), "") << "said once";
  EXPECT_EQ(placed.memory.overrun(), "");
}

TEST(GuardedMemory, WorkspacesHoldNaNAndAreGuarded) {
  for (const bool flush_end : {true, false})
    for (const bool is_foreign : {true, false}) {
      Placed placed(flush_end);
      run::GuardedMemory& memory = placed.memory;
      memory.prepare_workspace(64, is_foreign);
      auto* const mine = static_cast<float*>(memory.theirs().workspace);
      for (int i = 0; i < 16; ++i) EXPECT_NE(mine[i], mine[i]);
      std::fill_n(mine, 16, 1.0f);
      EXPECT_EQ(memory.overrun(), "");
      mine[flush_end ? -1 : 16] = 1;
      EXPECT_EQ(memory.overrun(), "workspace");
      EXPECT_DEATH(write(mine + (flush_end ? 16 : -1)), "");
      memory.prepare_outputs(1, /*to_kept=*/false);
      memory.prepare_workspace(64, is_foreign);
      EXPECT_EQ(mine == memory.theirs().workspace, !is_foreign) << "native kernels share one";
      mine[0] = 1;
      EXPECT_EQ(memory.take_late_write(0), is_foreign ? "workspace" : "");
      memory.prepare_workspace(0, is_foreign);
      EXPECT_EQ(memory.theirs().workspace, nullptr);
    }
}

TEST(GuardedMemory, ALateWriteToALargeOutputFaults) {
  const Case c = parse_case("conv1d oc=64 in=40000 k=1");
  const convict_problem p = resolve_valid(c);
  run::GuardedMemory memory;
  memory.place(p, describe_tensors(c, p), true);
  memory.prepare_outputs(2, /*to_kept=*/false);
  auto* const dst = static_cast<float*>(memory.theirs().dst.data);
  write(dst);
  memory.retire_outputs();
  EXPECT_DEATH(write(dst), "");
  const run::GuardedMemory::AddressPlace place = memory.classify(dst);
  EXPECT_EQ(place.found, run::AddressClass::kRetired);
  EXPECT_EQ(place.owner, 2);
  memory.place(p, describe_tensors(c, p), true);
  memory.prepare_outputs(2, /*to_kept=*/false);
  write(static_cast<float*>(memory.theirs().dst.data));
}

TEST(GuardedMemory, OutputsStartAsPoisonThatIsNotANumber) {
  const Placed placed(true);
  for (int64_t i = 0; i < placed.dst_size(); ++i) EXPECT_NE(placed.dst()[i], placed.dst()[i]);
}

TEST(GuardedMemory, ALargerTensorGetsRoom) {
  Placed placed(true);
  const Case large = parse_case("conv2d ic=64 in=100x100");
  placed.memory.place(resolve_valid(large), describe_tensors(large, resolve_valid(large)), false);
  std::memset(placed.memory.ours().src.data, 0, 64 * 100 * 100 * sizeof(float));
  EXPECT_EQ(placed.src()[64 * 100 * 100 - 1], 0);
}

/// Elements of one byte: any number of them, at any address.
TEST(GuardedMemory, BytesAreGuardedLikeWords) {
  for (const bool flush_end : {true, false}) {
    const Case c = parse_case("conv2d ic=3 in=5 k=2 dt=u8:s8:u8 scale=channel view=src seed=1");
    const convict_problem p = resolve_valid(c);
    run::GuardedMemory memory;
    memory.place(p, describe_tensors(c, p), flush_end);
    memory.prepare_outputs(0, /*to_kept=*/false);
    auto* dst = static_cast<unsigned char*>(memory.theirs().dst.data);
    const int64_t count = element_count(memory.theirs().dst);
    EXPECT_EQ(memory.overrun(), "");
    std::memset(dst, 0, static_cast<size_t>(count));
    EXPECT_EQ(memory.overrun(), "");
    dst[flush_end ? -1 : count] = 0;
    EXPECT_EQ(memory.overrun(), "dst");
    EXPECT_DEATH(*const_cast<volatile unsigned char*>(dst + (flush_end ? count : -1)) = 0, "");
    EXPECT_DEATH(*static_cast<volatile float*>(memory.theirs().scale.data) = 1, "");
  }
}

}  // namespace
}  // namespace convict
