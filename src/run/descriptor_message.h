// SPDX-License-Identifier: Apache-2.0
//
// Messages of Unix sockets that carry descriptors (SCM_RIGHTS).
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace convict::run {

inline constexpr size_t kMostDescriptors = 8;        // of one message
inline constexpr size_t kLongestMessage = 64 << 10;  // bytes

struct DescriptorMessage {
  std::string text;
  std::vector<int> descriptors;
};

/// Sends copies of the descriptors. Returns false if the other end is closed, or the text is too long. Precondition:
/// the text is not empty.
bool send_descriptors(int socket, std::string_view text, std::span<const int> descriptors);

/// Waits for a message; nullopt at the end. What it carries is closed by exec, and belongs to the caller.
std::optional<DescriptorMessage> receive_descriptors(int socket);

}  // namespace convict::run
