// SPDX-License-Identifier: Apache-2.0
#include "run/guarded_memory.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <new>

#include "abi/element.h"
#include "core/layout.h"
#include "core/names.h"

namespace convict::run {
namespace {

size_t page_size() {
  static const size_t size = static_cast<size_t>(sysconf(_SC_PAGESIZE));
  return size;
}

/// Maps the whole file between two inaccessible pages; returns the first byte after the first of them.
unsigned char* map_between_guards(int file, size_t bytes, int protection) {
  void* all = mmap(nullptr, bytes + 2 * page_size(), PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (all == MAP_FAILED) throw std::bad_alloc();
  auto* data = static_cast<unsigned char*>(all) + page_size();
  if (mmap(data, bytes, protection, MAP_SHARED | MAP_FIXED, file, 0) == MAP_FAILED) {
    munmap(all, bytes + 2 * page_size());
    throw std::bad_alloc();
  }
  return data;
}

void unmap_with_guards(unsigned char* data, size_t bytes) {
  if (data) munmap(data - page_size(), bytes + 2 * page_size());
}

/// Fills with 16-bit words. An odd number of bytes ends with half a word.
void fill_words(unsigned char* to, size_t bytes, uint16_t word) {
  const auto low = static_cast<unsigned char>(word), high = static_cast<unsigned char>(word >> 8);
  if (low == high) return static_cast<void>(std::memset(to, low, bytes));
  constexpr size_t kFirst = 32, kMostCopied = 4096;  // bytes; what is copied stays in the first-level cache
  const uint64_t words = word * uint64_t{0x0001'0001'0001'0001};
  size_t done = std::min(bytes, kFirst);
  for (size_t i = 0; i < done; i += sizeof words) std::memcpy(to + i, &words, std::min(sizeof words, done - i));
  while (done < bytes) {
    const size_t more = std::min({done, bytes - done, kMostCopied});
    std::memcpy(to + done, to, more);
    done += more;
  }
}

bool is_all_poison(const unsigned char* bytes, size_t count) {
  return count == 0 || (bytes[0] == kPoison && std::memcmp(bytes, bytes + 1, count - 1) == 0);
}

size_t not_poison(const void* data, size_t bytes) {
  const auto* begin = static_cast<const unsigned char*>(data);
  return bytes - static_cast<size_t>(std::count(begin, begin + bytes, kPoison));
}

/// Whether everything between the elements of a tensor, and in front of them, is still poison: all bytes that are not
/// lie in elements.
bool gaps_intact(const convict_tensor& tensor) {
  if (!has_gaps(tensor)) return true;
  const size_t size = type_size(tensor.dtype);
  size_t in_elements = 0;
  with_type(tensor.dtype, [&](auto zero) {
    for_each_element<decltype(zero)>(
        tensor, [&](const auto& element, const int64_t*) { in_elements += not_poison(&element, sizeof element); });
  });
  const auto* bytes = static_cast<const unsigned char*>(tensor.data) - static_cast<size_t>(tensor.offset) * size;
  return not_poison(bytes, static_cast<size_t>(buffer_count(tensor)) * size) == in_elements;
}

/// Copies the elements of a tensor in a buffer. Between them the copy has poison: what an implementation wrote there
/// does not reach the next one.
void keep_elements(const convict_tensor& tensor, const unsigned char* buffer, size_t bytes,
                   std::vector<unsigned char>& kept) {
  kept.assign(bytes, kPoison);
  with_type(tensor.dtype, [&](auto zero) {
    for_each_element<decltype(zero)>(tensor, [&](const auto& element, const int64_t*) {
      const auto at = reinterpret_cast<const unsigned char*>(&element) - buffer;
      std::memcpy(kept.data() + at, &element, sizeof element);
    });
  });
}

AddressClass classify_in(const unsigned char* data, size_t capacity, bool read_only, const void* address) {
  const auto* byte = static_cast<const unsigned char*>(address);
  if (!data || byte < data - page_size() || byte >= data + capacity + page_size()) return AddressClass::kElsewhere;
  if (byte < data || byte >= data + capacity) return AddressClass::kGuard;
  return read_only ? AddressClass::kReadOnlyInput : AddressClass::kElsewhere;
}

}  // namespace

GuardedSlot::~GuardedSlot() { release(); }

void GuardedSlot::release() {
  retired_ = unmapped_ = false;
  unmap_with_guards(ours_, capacity_);
  unmap_with_guards(read_only_, capacity_);
  ours_ = read_only_ = nullptr;
  capacity_ = 0;
}

void GuardedSlot::reserve(size_t bytes) {
  const bool wasteful = capacity_ > kMostKept && bytes <= kMostKept;  // frees the pages of a huge case
  if (ours_ && bytes <= capacity_ && !wasteful) return;
  release();
  size_t capacity = 16 * page_size();
  while (capacity < bytes) capacity *= 2;
  const int file = memfd_create("convict tensor", MFD_CLOEXEC | MFD_ALLOW_SEALING);
  if (file < 0) throw std::bad_alloc();
  try {
    if (ftruncate(file, static_cast<off_t>(capacity)) != 0) throw std::bad_alloc();
    capacity_ = capacity;
    ours_ = map_between_guards(file, capacity, PROT_READ | PROT_WRITE);
    if (is_sealed_) fcntl(file, F_ADD_SEALS, F_SEAL_FUTURE_WRITE);  // ours is mapped already
    read_only_ = map_between_guards(file, capacity, PROT_READ);
  } catch (...) {
    close(file);
    release();
    throw;
  }
  close(file);  // the mappings keep it
}

void GuardedSlot::place(size_t bytes, bool flush_end, uint16_t poison) {
  if (unmapped_ && mprotect(ours_, capacity_, PROT_READ | PROT_WRITE) != 0) throw std::bad_alloc();
  retired_ = unmapped_ = false;
  reserve(bytes + kSlack);
  bytes_ = bytes;
  flush_end_ = flush_end;
  offset_ = flush_end ? capacity_ - bytes : 0;
  poison_ = poison;
  fill_words(ours_ + slack_begin(), kSlack, poison_);
}

size_t GuardedSlot::slack_begin() const { return flush_end_ ? offset_ - kSlack : bytes_; }

void GuardedSlot::poison(uint16_t word) { fill_words(ours_ + offset_, bytes_, word); }

bool GuardedSlot::slack_intact() const { return is_all_poison(ours_ + slack_begin(), kSlack); }

void GuardedSlot::retire() {
  if (!ours_ || retired_) return;
  retired_ = true;
  if (bytes_ <= kMostPoisoned) return poison();
  unmapped_ = madvise(ours_, capacity_, MADV_REMOVE) == 0 && mprotect(ours_, capacity_, PROT_NONE) == 0;
}

bool GuardedSlot::take_late_write() {
  if (!retired_ || unmapped_ || bytes_ > kMostPoisoned) return false;
  if (is_all_poison(ours_ + offset_, bytes_)) return false;
  poison();
  return true;
}

AddressClass GuardedSlot::classify(const void* address) const {
  const AddressClass in_ours = classify_in(ours_, capacity_, false, address);
  const bool inside = classify_in(ours_, capacity_, true, address) == AddressClass::kReadOnlyInput;
  if (inside && unmapped_) return AddressClass::kRetired;
  return in_ours != AddressClass::kElsewhere ? in_ours : classify_in(read_only_, capacity_, true, address);
}

GuardedMemory::GuardedMemory() {
  for (GuardedSlot& slot : slots_.front()) slot.seal();  // inputs
}

GuardedMemory::Slots& GuardedMemory::outputs_of(int position) {
  const auto index = static_cast<size_t>(position + 1);
  while (slots_.size() <= index) slots_.emplace_back();
  return slots_[index];
}

bool GuardedMemory::is_used_output(size_t role) const {
  return kRoles[role].is_output[pass_] && (ours_.*kRoles[role].tensor).ndim != 0;
}

/// Places the tensor in this slot.
void GuardedMemory::point(size_t role, GuardedSlot& slot) {
  convict_tensor& tensor = ours_.*kRoles[role].tensor;
  const size_t size = type_size(tensor.dtype), front = static_cast<size_t>(tensor.offset) * size;
  const bool is_output = is_used_output(role);
  slot.place(static_cast<size_t>(buffer_count(tensor)) * size, flush_end_, is_output ? kOutputPoison : kInputPoison);
  tensor.data = static_cast<unsigned char*>(slot.ours()) + front;
  (theirs_.*kRoles[role].tensor).data = static_cast<unsigned char*>(slot.theirs(!is_output)) + front;
}

void GuardedMemory::place(const convict_problem& p, const convict_tensors& described, bool flush_end) {
  retire_outputs();
  element_poison_ = kPoison;
  pass_ = p.pass;
  flush_end_ = flush_end;
  ours_ = theirs_ = described;
  for (size_t i = 0; i < kRoles.size(); ++i) {
    const convict_tensor& tensor = ours_.*kRoles[i].tensor;
    if (tensor.ndim == 0) continue;
    point(i, slots_.front()[i]);
    if (is_used_output(i) || has_gaps(tensor)) slots_.front()[i].poison();
  }
}

void GuardedMemory::keep_outputs() {
  for (size_t i = 0; i < kRoles.size(); ++i) {
    if (!is_used_output(i)) continue;
    const GuardedSlot& slot = outputs_of(owner_)[i];
    const auto* bytes = static_cast<const unsigned char*>(slot.ours());
    const convict_tensor& tensor = ours_.*kRoles[i].tensor;
    if (has_gaps(tensor))
      keep_elements(tensor, bytes, slot.bytes(), kept_[i]);
    else
      kept_[i].assign(bytes, bytes + slot.bytes());
  }
}

/// Poisons an output. What lies beside and between its elements is always the same, and looked for after the call.
void GuardedMemory::poison(size_t role, GuardedSlot& slot) const {
  const convict_tensor& tensor = ours_.*kRoles[role].tensor;
  if (element_poison_ == kPoison || has_gaps(tensor)) slot.poison();
  if (element_poison_ == kPoison) return;
  if (!has_gaps(tensor)) return static_cast<void>(std::memset(slot.ours(), element_poison_, slot.bytes()));
  with_type(tensor.dtype, [&](auto zero) {
    for_each_element<decltype(zero)>(
        tensor, [&](auto& element, const int64_t*) { std::memset(&element, element_poison_, sizeof element); });
  });
}

void GuardedMemory::poison_elements(unsigned char byte) {
  element_poison_ = byte;
  for (size_t i = 0; byte != kPoison && i < kRoles.size(); ++i)  // kPoison: place() has done it
    if (is_used_output(i)) poison(i, slots_.front()[i]);
}

void GuardedMemory::prepare_outputs(int position, bool to_kept) {
  if (position != owner_) retire_outputs();
  for (size_t i = 0; i < kRoles.size(); ++i) {
    if (!is_used_output(i)) continue;
    GuardedSlot& slot = outputs_of(position)[i];
    if (position != owner_) point(i, slot);
    if (to_kept)
      std::copy(kept_[i].begin(), kept_[i].end(), static_cast<unsigned char*>(slot.ours()));
    else
      poison(i, slot);
  }
  owner_ = position;
}

void GuardedMemory::prepare_workspace(size_t bytes, bool is_foreign) {
  workspace_ = nullptr;
  theirs_.workspace = nullptr;
  if (bytes == 0) return;
  workspace_ = is_foreign ? &outputs_of(owner_)[kWorkspace] : &shared_workspace();
  workspace_->place(bytes, flush_end_, kOutputPoison);
  workspace_->poison(kInputPoison);  // what is computed from it does not look unwritten
  theirs_.workspace = workspace_->ours();
}

void GuardedMemory::retire_outputs() {
  if (workspace_ && workspace_ != &shared_workspace()) workspace_->retire();
  workspace_ = nullptr;
  for (size_t i = 0; owner_ >= 0 && i < kRoles.size(); ++i)
    if (is_used_output(i)) outputs_of(owner_)[i].retire();
  owner_ = -1;
}

std::string_view GuardedMemory::take_late_write(int position) {
  if (position == owner_) return {};
  Slots& outputs = outputs_of(position);
  for (size_t i = 0; i < kRoles.size(); ++i)
    if (outputs[i].take_late_write()) return kRoles[i].name;
  if (outputs[kWorkspace].take_late_write()) return kWorkspaceName;
  return {};
}

std::vector<unsigned char> GuardedMemory::output_bytes() const {
  std::vector<unsigned char> all;
  for (size_t i = 0; i < kRoles.size(); ++i) {
    if (!is_used_output(i)) continue;
    const GuardedSlot& slot = slots_[static_cast<size_t>(owner_ + 1)][i];
    const auto* bytes = static_cast<const unsigned char*>(slot.ours());
    all.insert(all.end(), bytes, bytes + slot.bytes());
  }
  return all;
}

bool GuardedMemory::outputs_are(std::span<const unsigned char> bytes) const {
  for (size_t i = 0; i < kRoles.size(); ++i) {
    if (!is_used_output(i)) continue;
    const GuardedSlot& slot = slots_[static_cast<size_t>(owner_ + 1)][i];
    const auto* ours = static_cast<const unsigned char*>(slot.ours());
    if (slot.bytes() > bytes.size() || !std::equal(ours, ours + slot.bytes(), bytes.begin())) return false;
    bytes = bytes.subspan(slot.bytes());
  }
  return bytes.empty();
}

std::string_view GuardedMemory::overrun() const {
  for (size_t i = 0; i < kRoles.size(); ++i) {
    if (!is_used_output(i)) continue;
    const GuardedSlot& slot = slots_[static_cast<size_t>(owner_ + 1)][i];
    if (!slot.slack_intact() || !gaps_intact(ours_.*kRoles[i].tensor)) return kRoles[i].name;
  }
  if (workspace_ && !workspace_->slack_intact()) return kWorkspaceName;
  return {};
}

GuardedMemory::AddressPlace GuardedMemory::classify(const void* address) const {
  for (size_t owner = 0; owner < slots_.size(); ++owner)
    for (size_t i = 0; i <= kWorkspace; ++i)
      if (const AddressClass found = slots_[owner][i].classify(address); found != AddressClass::kElsewhere)
        return {found, static_cast<int>(i), static_cast<int>(owner) - 1};
  return {};
}

}  // namespace convict::run
