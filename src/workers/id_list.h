// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace convict::workers {

/// Numbers as a short text, in rising order: each as its distance from the one before, in groups of five bits, the
/// lowest first; a digit of base 64 is a group, plus 32 if more follow. The first cases of a campaign show half a
/// million combinations, and as JSON numbers they took longer to write and to read than their cases to judge.
std::string packed(std::vector<uint32_t> ids);

/// The numbers in rising order. Throws UsageError if packed() writes no such text.
std::vector<uint32_t> unpacked(std::string_view text);

}  // namespace convict::workers
