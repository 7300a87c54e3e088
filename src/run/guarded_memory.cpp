// SPDX-License-Identifier: Apache-2.0
#include "run/guarded_memory.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <new>

#include "core/layout.h"

namespace convict {
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
  if (ours_ && bytes <= capacity_) return;
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

void GuardedSlot::place(size_t bytes, bool flush_end) {
  reserve(bytes + kSlack);
  bytes_ = bytes;
  flush_end_ = flush_end;
  offset_ = flush_end ? capacity_ - bytes : 0;
  std::memset(ours_ + slack_begin(), kPoison, kSlack);
}

size_t GuardedSlot::slack_begin() const { return flush_end_ ? offset_ - kSlack : bytes_; }

void GuardedSlot::poison() { std::memset(ours_ + offset_, kPoison, bytes_); }

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
    slots_[i].place(static_cast<size_t>(element_count(tensor)) * type_size(tensor.dtype), flush_end);
    tensor.data = slots_[i].ours();
    (theirs_.*kRoles[i].tensor).data = slots_[i].theirs(!kRoles[i].is_output[p.pass]);
  }
}

void GuardedMemory::poison_outputs() {
  for (size_t i = 0; i < kRoles.size(); ++i)
    if (kRoles[i].is_output[pass_] && (ours_.*kRoles[i].tensor).ndim != 0) slots_[i].poison();
}

std::string_view GuardedMemory::overrun() const {
  for (size_t i = 0; i < kRoles.size(); ++i)
    if (kRoles[i].is_output[pass_] && (ours_.*kRoles[i].tensor).ndim != 0 && !slots_[i].slack_intact())
      return kRoles[i].name;
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

}  // namespace convict
