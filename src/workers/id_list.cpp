// SPDX-License-Identifier: Apache-2.0
#include "workers/id_list.h"

#include <algorithm>
#include <limits>

#include "core/error.h"

namespace convict::workers {
namespace {

constexpr std::string_view kDigits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
constexpr int kBits = 5;
constexpr uint64_t kMoreFollow = 1 << kBits;

/// 0 to 63, or -1.
constexpr int value_of(char digit) {
  if (digit >= 'A' && digit <= 'Z') return digit - 'A';
  if (digit >= 'a' && digit <= 'z') return digit - 'a' + 26;
  if (digit >= '0' && digit <= '9') return digit - '0' + 52;
  return digit == '-' ? 62 : digit == '_' ? 63 : -1;
}

}  // namespace

std::string packed(std::vector<uint32_t> ids) {
  std::ranges::sort(ids);
  std::string text;
  uint32_t last = 0;
  for (const uint32_t id : ids) {
    uint32_t rest = id - last;
    for (; rest >= kMoreFollow; rest >>= kBits) text.push_back(kDigits[rest % kMoreFollow + kMoreFollow]);
    text.push_back(kDigits[rest]);
    last = id;
  }
  return text;
}

std::vector<uint32_t> unpacked(std::string_view text) {
  std::vector<uint32_t> ids;
  uint64_t last = 0, distance = 0;
  int shift = 0;
  for (const char digit : text) {
    const int value = value_of(digit);
    if (value < 0 || shift > 32) throw UsageError("a list of numbers that is none");
    distance |= (static_cast<uint64_t>(value) % kMoreFollow) << shift;
    shift += kBits;
    if (static_cast<uint64_t>(value) >= kMoreFollow) continue;
    last += distance;
    if (last > std::numeric_limits<uint32_t>::max()) throw UsageError("a list with a number that is too large");
    ids.push_back(static_cast<uint32_t>(last));
    distance = 0;
    shift = 0;
  }
  if (shift != 0) throw UsageError("a list of numbers that ends within one");
  return ids;
}

}  // namespace convict::workers
