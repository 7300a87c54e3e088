// SPDX-License-Identifier: Apache-2.0
//
// Memory that detects wrong accesses: unmapped pages around every tensor, inputs mapped read-only, and poison in
// outputs, in slack and between the elements of views.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "abi/convict.h"
#include "core/role.h"

namespace convict::run {

/// Every byte of outputs before a call, and of their slack. As f32 and f64 this is a NaN that no arithmetic creates
/// (hardware makes NaNs with a zero payload), so an element that still holds it was never written.
inline constexpr unsigned char kPoison = 0xff;
inline constexpr uint16_t kOutputPoison = 0xffff;

/// The 16-bit words beside and between the elements of inputs: a NaN in every floating-point type. It differs from
/// kOutputPoison, so that a result computed from it does not look unwritten.
inline constexpr uint16_t kInputPoison = 0x7ff8;

/// Where an address lies relative to the tensors, for the report of a fault.
enum class AddressClass : int { kElsewhere = 0, kGuard = 1, kReadOnlyInput = 2 };

/// Memory for one tensor between two guard pages. The same pages are mapped twice: writable for us, and read-only for
/// implementations if the tensor is an input. So no case costs a system call.
class GuardedSlot {
 public:
  GuardedSlot() = default;
  GuardedSlot(const GuardedSlot&) = delete;
  GuardedSlot& operator=(const GuardedSlot&) = delete;
  ~GuardedSlot();

  /// Places `bytes` flush against the guard page at the end (or at the begin), and poisons the slack on the other side.
  /// Contents are unspecified. Throws std::bad_alloc.
  void place(size_t bytes, bool flush_end, uint16_t poison);

  void* ours() const { return ours_ + offset_; }
  size_t bytes() const { return bytes_; }
  void* theirs(bool read_only) const { return (read_only ? read_only_ : ours_) + offset_; }

  /// Fills the tensor with the poison that place() was given.
  void poison();

  /// keep() saves the contents, restore() writes them back.
  void keep();
  void restore();

  /// Whether the slack beside the tensor is as place() left it.
  bool slack_intact() const;

  AddressClass classify(const void* address) const;

 private:
  void reserve(size_t bytes);
  void release();
  size_t slack_begin() const;

  static constexpr size_t kSlack = 256;                 // bytes checked beside the tensor: four AVX-512 stores
  static constexpr size_t kMostKept = size_t{1} << 30;  // bytes; a larger capacity is freed after its case
  unsigned char* ours_ = nullptr;  // first data byte; guard pages lie in front of it and behind the capacity
  unsigned char* read_only_ = nullptr;
  size_t capacity_ = 0, offset_ = 0, bytes_ = 0;  // bytes; capacity is a multiple of the page size
  bool flush_end_ = true;
  uint16_t poison_ = kOutputPoison;
  std::vector<unsigned char> kept_;
};

/// One slot per operand.
class GuardedMemory {
 public:
  /// Places every tensor of the pass. Poisons outputs, and what lies between the elements of inputs. `flush_end`
  /// chooses the side on which an overrun faults at once.
  void place(const convict_problem& p, const convict_tensors& described, bool flush_end);

  const convict_tensors& ours() const { return ours_; }      // all writable
  const convict_tensors& theirs() const { return theirs_; }  // inputs read-only

  /// Saves the contents of the outputs, for beta.
  void keep_outputs();

  /// Called before a call: sets the outputs to poison, or to their saved contents.
  void reset_outputs(bool to_kept);

  /// A copy of the outputs, including what lies between their elements.
  std::vector<unsigned char> output_bytes() const;

  /// The name of an output whose slack or gaps were written to, or nothing.
  std::string_view overrun() const;

  /// Where an address lies, and in or beside which operand (`role`). Async-signal-safe.
  AddressClass classify(const void* address, std::string_view* role) const;

 private:
  std::array<GuardedSlot, kRoles.size()> slots_;
  convict_tensors ours_{}, theirs_{};
  convict_pass pass_ = CONVICT_FORWARD;
};

}  // namespace convict::run
