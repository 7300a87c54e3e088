// SPDX-License-Identifier: Apache-2.0
//
// Memory that detects wrong accesses: unmapped pages around every tensor, inputs mapped read-only, and poison in
// outputs, in slack and between the elements of views. Each implementation has outputs of its own, so that a thread of
// it that still writes after a call has returned cannot spoil the results of others.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <span>
#include <string_view>
#include <vector>

#include "abi/convict.h"
#include "core/role.h"

namespace convict::run {

/// Every byte of outputs before a call, unless poison_elements() has another one for their elements, and of their
/// slack. As f32 and f64 this is a NaN that no arithmetic creates (hardware makes NaNs with a zero payload), so an
/// element that still holds it was never written.
inline constexpr unsigned char kPoison = 0xff;
inline constexpr uint16_t kOutputPoison = 0xffff;

/// The 16-bit words beside and between the elements of inputs: a NaN in every floating-point type. It differs from
/// kOutputPoison, so that a result computed from it does not look unwritten.
inline constexpr uint16_t kInputPoison = 0x7ff8;

/// Where an address lies relative to the tensors, for the report of a fault.
enum class AddressClass : int { kElsewhere = 0, kGuard = 1, kReadOnlyInput = 2, kRetired = 3, kNoAddress = 4 };

/// Memory for one tensor between two guard pages. The same pages are mapped twice: writable for us, and read-only for
/// implementations if the tensor is an input. So no case costs a system call.
class GuardedSlot {
 public:
  GuardedSlot() = default;
  GuardedSlot(const GuardedSlot&) = delete;
  GuardedSlot& operator=(const GuardedSlot&) = delete;
  ~GuardedSlot();

  /// From now on, what is mapped read-only cannot be made writable (Linux 5.1). Not for what is retired: pages cannot
  /// be given back. Precondition: nothing was placed.
  void seal() { is_sealed_ = true; }

  /// Places `bytes` flush against the guard page at the end (or at the begin), and poisons the slack on the other side.
  /// Contents are unspecified. Throws std::bad_alloc.
  void place(size_t bytes, bool flush_end, uint16_t poison);

  void* ours() const { return ours_ + offset_; }
  size_t bytes() const { return bytes_; }
  void* theirs(bool read_only) const { return (read_only ? read_only_ : ours_) + offset_; }

  /// Fills the tensor with the poison that place() was given, or with another.
  void poison() { poison(poison_); }
  void poison(uint16_t word);

  /// Whether the slack beside the tensor is as place() left it.
  bool slack_intact() const;

  /// For an output that has been read: from now on it should not be written to. A small one is poisoned; the
  /// pages of a large one are given back, so that a write to them is a fault. place() ends this.
  void retire();

  /// Whether it was written to since retire(). Asked once: the poison is renewed.
  bool take_late_write();

  AddressClass classify(const void* address) const;

 private:
  void reserve(size_t bytes);
  void release();
  size_t slack_begin() const;

  static constexpr size_t kSlack = 256;                     // bytes checked beside the tensor: four AVX-512 stores
  static constexpr size_t kMostKept = size_t{1} << 30;      // bytes; a larger capacity is freed after its case
  static constexpr size_t kMostPoisoned = size_t{4} << 20;  // bytes of a retired output that stay in memory
  unsigned char* ours_ = nullptr;  // first data byte; guard pages lie in front of it and behind the capacity
  unsigned char* read_only_ = nullptr;
  size_t capacity_ = 0, offset_ = 0, bytes_ = 0;  // bytes; capacity is a multiple of the page size
  bool flush_end_ = true;
  uint16_t poison_ = kOutputPoison;
  bool is_sealed_ = false;
  bool retired_ = false, unmapped_ = false;  // unmapped: retired, and without pages
};

/// One slot for each input; and one for each output and implementation.
class GuardedMemory {
 public:
  GuardedMemory();

  /// Places every tensor of the pass. Poisons outputs, and what lies between the elements of inputs. `flush_end`
  /// chooses the side on which an overrun faults at once. Until prepare_outputs(), the outputs have no owner.
  void place(const convict_problem& p, const convict_tensors& described, bool flush_end);

  /// Before a call, every byte of the elements of outputs is this one, and no longer kPoison, until the next place().
  void poison_elements(unsigned char byte);

  const convict_tensors& ours() const { return ours_; }      // all writable
  const convict_tensors& theirs() const { return theirs_; }  // inputs read-only

  /// Saves the elements of the outputs, for beta. What lies between them is poison in the copy.
  void keep_outputs();

  /// Called before a call of the implementation at this position of the roster, from 0: the outputs are its own from
  /// now on, and hold poison, or the saved contents. Retires those of the implementation before.
  void prepare_outputs(int position, bool to_kept);

  /// Called after that: gives this implementation so many bytes of scratch memory, which hold NaN. They are taken back
  /// with its outputs. Code of a library gets memory of its own, in which late writes are seen. Native kernels share
  /// one, which stays in the caches. Throws std::bad_alloc.
  void prepare_workspace(size_t bytes, bool is_foreign);

  /// Retires the outputs and the workspace of the last call.
  void retire_outputs();

  /// The name of an output, or "workspace", that the implementation at this position has written to after its call had
  /// returned, or nothing. Says so once.
  std::string_view take_late_write(int position);

  /// A copy of the outputs, including what lies between their elements.
  std::vector<unsigned char> output_bytes() const;

  /// Whether output_bytes() are these.
  bool outputs_are(std::span<const unsigned char> bytes) const;

  /// The name of an output, or "workspace", with slack or gaps that were written to; or nothing.
  std::string_view overrun() const;

  /// Where an address lies.
  struct AddressPlace {
    AddressClass found = AddressClass::kElsewhere;
    int role = -1;   // index into kRoles, or kWorkspace, of the operand in or beside which it lies
    int owner = -1;  // position of the implementation that the output belongs to
  };
  /// Async-signal-safe.
  AddressPlace classify(const void* address) const;

  static constexpr size_t kWorkspace = kRoles.size();  // the index behind those of operands
  static constexpr std::string_view kWorkspaceName = "workspace";

 private:
  using Slots = std::array<GuardedSlot, kRoles.size() + 1>;

  Slots& outputs_of(int position);
  bool is_used_output(size_t role) const;
  void point(size_t role, GuardedSlot& slot);
  void poison(size_t role, GuardedSlot& slot) const;
  GuardedSlot& shared_workspace() { return slots_.front()[kWorkspace]; }

  std::deque<Slots> slots_ =
      std::deque<Slots>(1);  // inputs, and outputs without an owner; from 1 on, outputs by owner
  std::array<std::vector<unsigned char>, kRoles.size()> kept_;
  int owner_ = -1;  // of the outputs in ours_
  convict_tensors ours_{}, theirs_{};
  convict_pass pass_ = CONVICT_FORWARD;
  bool flush_end_ = true;
  unsigned char element_poison_ = kPoison;
  GuardedSlot* workspace_ = nullptr;  // of the owner of the outputs, or the shared one; nullptr if it has none
};

}  // namespace convict::run
