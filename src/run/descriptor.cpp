// SPDX-License-Identifier: Apache-2.0
#include "run/descriptor.h"

#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/uio.h>

#include <algorithm>
#include <array>
#include <cstring>

namespace convict::run {
namespace {

struct RawMessage {
  iovec content;
  alignas(cmsghdr) char control[CMSG_SPACE(kMostDescriptors * sizeof(int))] = {};
  msghdr message = {};

  RawMessage(char* bytes, size_t count) : content{bytes, count} {
    message.msg_iov = &content;
    message.msg_iovlen = 1;
    message.msg_control = control;
    message.msg_controllen = sizeof control;
  }
};

}  // namespace

DescriptorPair DescriptorPair::pipe() {
  std::array<int, 2> ends{};
  if (pipe2(ends.data(), O_CLOEXEC) != 0) fail("cannot create a pipe");
  return {Descriptor(moved_up(ends[0])), Descriptor(moved_up(ends[1]))};
}

DescriptorPair DescriptorPair::sockets(int type) {
  std::array<int, 2> ends{};
  if (socketpair(AF_UNIX, type | SOCK_CLOEXEC, 0, ends.data()) != 0) fail("cannot create a socket");
  return {Descriptor(moved_up(ends[0])), Descriptor(moved_up(ends[1]))};
}

bool write_all(int fd, std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = write(fd, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return false;
    text.remove_prefix(static_cast<size_t>(written));
  }
  return true;
}

std::string tail_of(int fd, size_t limit) {
  struct stat status {};
  if (fstat(fd, &status) != 0) return "";
  const off_t begin = std::max<off_t>(0, status.st_size - static_cast<off_t>(limit));
  std::string text(static_cast<size_t>(status.st_size - begin), '\0');
  const ssize_t count = pread(fd, text.data(), text.size(), begin);
  text.resize(static_cast<size_t>(std::max<ssize_t>(count, 0)));
  return text;
}

bool send_descriptors(int socket, std::string_view text, std::span<const int> descriptors) {
  if (text.size() > kLongestMessage) return false;
  RawMessage raw(const_cast<char*>(text.data()), text.size());
  raw.message.msg_controllen = CMSG_SPACE(descriptors.size_bytes());
  cmsghdr* header = CMSG_FIRSTHDR(&raw.message);
  header->cmsg_level = SOL_SOCKET;
  header->cmsg_type = SCM_RIGHTS;
  header->cmsg_len = CMSG_LEN(descriptors.size_bytes());
  std::memcpy(CMSG_DATA(header), descriptors.data(), descriptors.size_bytes());
  return sendmsg(socket, &raw.message, MSG_NOSIGNAL) == static_cast<ssize_t>(text.size());
}

std::optional<DescriptorMessage> receive_descriptors(int socket) {
  DescriptorMessage received{std::string(kLongestMessage, '\0'), {}};
  RawMessage raw(received.text.data(), received.text.size());
  ssize_t count = 0;
  while ((count = recvmsg(socket, &raw.message, MSG_CMSG_CLOEXEC)) < 0 && errno == EINTR) {
  }
  if (count <= 0) return std::nullopt;
  received.text.resize(static_cast<size_t>(count));
  const cmsghdr* header = CMSG_FIRSTHDR(&raw.message);
  if (!header || header->cmsg_type != SCM_RIGHTS) return received;
  received.descriptors.resize((header->cmsg_len - CMSG_LEN(0)) / sizeof(int));
  std::memcpy(received.descriptors.data(), CMSG_DATA(header), received.descriptors.size() * sizeof(int));
  return received;
}

}  // namespace convict::run
