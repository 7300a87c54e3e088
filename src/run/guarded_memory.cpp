// SPDX-License-Identifier: Apache-2.0
#include "run/guarded_memory.h"

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
  for (size_t i = 0; i < bytes; ++i) to[i] = i % 2 == 0 ? low : high;
}

/// Whether everything between the elements of a tensor, and in front of them, is still poison.
bool gaps_intact(const convict_tensor& tensor) {
  if (!has_gaps(tensor)) return true;
  const size_t size = type_size(tensor.dtype), count = static_cast<size_t>(buffer_count(tensor));
  std::vector<bool> is_element(count, false);
  with_type(tensor.dtype, [&](auto zero) {
    for_each_element<decltype(zero)>(tensor, [&](const auto&, const int64_t* at) {
      is_element[static_cast<size_t>(tensor.offset + position_of(tensor, at))] = true;
    });
  });
  const auto* bytes = static_cast<const unsigned char*>(tensor.data) - static_cast<size_t>(tensor.offset) * size;
  for (size_t i = 0; i < count * size; ++i)
    if (!is_element[i / size] && bytes[i] != kPoison) return false;
  return true;
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
  const int file = memfd_create("convict tensor", MFD_CLOEXEC);
  if (file < 0) throw std::bad_alloc();
  try {
    if (ftruncate(file, static_cast<off_t>(capacity)) != 0) throw std::bad_alloc();
    capacity_ = capacity;
    ours_ = map_between_guards(file, capacity, PROT_READ | PROT_WRITE);
    read_only_ = map_between_guards(file, capacity, PROT_READ);
  } catch (...) {
    close(file);
    release();
    throw;
  }
  close(file);  // the mappings keep it
}

void GuardedSlot::place(size_t bytes, bool flush_end, uint16_t poison) {
  reserve(bytes + kSlack);
  bytes_ = bytes;
  flush_end_ = flush_end;
  offset_ = flush_end ? capacity_ - bytes : 0;
  poison_ = poison;
  fill_words(ours_ + slack_begin(), kSlack, poison_);
}

size_t GuardedSlot::slack_begin() const { return flush_end_ ? offset_ - kSlack : bytes_; }

void GuardedSlot::poison() { fill_words(ours_ + offset_, bytes_, poison_); }

void GuardedSlot::keep() { kept_.assign(ours_ + offset_, ours_ + offset_ + bytes_); }

void GuardedSlot::restore() { std::copy(kept_.begin(), kept_.end(), ours_ + offset_); }

bool GuardedSlot::slack_intact() const {
  const unsigned char* slack = ours_ + slack_begin();
  return std::all_of(slack, slack + kSlack, [](unsigned char byte) { return byte == kPoison; });
}

AddressClass GuardedSlot::classify(const void* address) const {
  const AddressClass in_ours = classify_in(ours_, capacity_, false, address);
  return in_ours != AddressClass::kElsewhere ? in_ours : classify_in(read_only_, capacity_, true, address);
}

void GuardedMemory::place(const convict_problem& p, const convict_tensors& described, bool flush_end) {
  pass_ = p.pass;
  ours_ = theirs_ = described;
  for (size_t i = 0; i < kRoles.size(); ++i) {
    convict_tensor& tensor = ours_.*kRoles[i].tensor;
    if (tensor.ndim == 0) continue;
    const size_t size = type_size(tensor.dtype), front = static_cast<size_t>(tensor.offset) * size;
    const bool is_output = kRoles[i].is_output[p.pass];
    slots_[i].place(static_cast<size_t>(buffer_count(tensor)) * size, flush_end,
                    is_output ? kOutputPoison : kInputPoison);
    tensor.data = static_cast<unsigned char*>(slots_[i].ours()) + front;
    void* theirs = slots_[i].theirs(!is_output);
    (theirs_.*kRoles[i].tensor).data = static_cast<unsigned char*>(theirs) + front;
    if (is_output || has_gaps(tensor)) slots_[i].poison();
  }
}

void GuardedMemory::keep_outputs() {
  for (size_t i = 0; i < kRoles.size(); ++i)
    if (kRoles[i].is_output[pass_] && (ours_.*kRoles[i].tensor).ndim != 0) slots_[i].keep();
}

void GuardedMemory::reset_outputs(bool to_kept) {
  for (size_t i = 0; i < kRoles.size(); ++i) {
    if (!kRoles[i].is_output[pass_] || (ours_.*kRoles[i].tensor).ndim == 0) continue;
    if (to_kept)
      slots_[i].restore();
    else
      slots_[i].poison();
  }
}

std::vector<unsigned char> GuardedMemory::output_bytes() const {
  std::vector<unsigned char> all;
  for (size_t i = 0; i < kRoles.size(); ++i) {
    if (!kRoles[i].is_output[pass_] || (ours_.*kRoles[i].tensor).ndim == 0) continue;
    const auto* bytes = static_cast<const unsigned char*>(slots_[i].ours());
    all.insert(all.end(), bytes, bytes + slots_[i].bytes());
  }
  return all;
}

std::string_view GuardedMemory::overrun() const {
  for (size_t i = 0; i < kRoles.size(); ++i) {
    const convict_tensor& tensor = ours_.*kRoles[i].tensor;
    if (!kRoles[i].is_output[pass_] || tensor.ndim == 0) continue;
    if (!slots_[i].slack_intact() || !gaps_intact(tensor)) return kRoles[i].name;
  }
  return {};
}

AddressClass GuardedMemory::classify(const void* address, std::string_view* role) const {
  for (size_t i = 0; i < kRoles.size(); ++i) {
    *role = kRoles[i].name;
    if (const AddressClass found = slots_[i].classify(address); found != AddressClass::kElsewhere) return found;
  }
  *role = {};
  return AddressClass::kElsewhere;
}

}  // namespace convict::run
