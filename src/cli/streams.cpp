// SPDX-License-Identifier: Apache-2.0
#include "cli/streams.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>

#include "core/error.h"
#include "core/text.h"

namespace convict::cli {
namespace {

namespace fs = std::filesystem;

std::error_code last_error() { return {errno, std::generic_category()}; }

/// Whether the stream waits until more can be written. One that does not block refuses instead, e.g. a pipe to node.
bool waited_for(int fd) {
  pollfd stream{fd, POLLOUT, 0};
  return (errno == EAGAIN || errno == EWOULDBLOCK) && poll(&stream, 1, -1) > 0;
}

/// write(2) may write a part, and say why not more only when asked again.
std::error_code write_all(int fd, std::string_view text) {
  while (!text.empty()) {
    const ssize_t count = ::write(fd, text.data(), text.size());
    if (count >= 0)
      text.remove_prefix(static_cast<size_t>(count));
    else if (errno != EINTR && !waited_for(fd))
      return last_error();
  }
  return {};
}

std::error_code write_and_close(int fd, const std::string& text) {
  const std::error_code error = write_all(fd, text);
  const bool closed = close(fd) == 0;
  return error || closed ? error : last_error();
}

/// Creates a file of this mode and fills it, or removes it again.
std::error_code create(const std::string& path, const std::string& text, mode_t mode) {
  const int fd = open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode);
  if (fd < 0) return last_error();
  const std::error_code error = write_and_close(fd, text);
  if (error) unlink(path.c_str());
  return error;
}

/// Replaces the file `path`, or the one that a link of this name leads to.
std::error_code replace(const fs::path& path, const std::string& text) {
  std::error_code error, nothing_there;
  const fs::path real = fs::is_symlink(path, nothing_there) ? fs::canonical(path, error) : path;
  if (error) return error;
  const std::string unfinished = fmt::format("{}.part-{}", real.string(), getpid());
  unlink(unfinished.c_str());  // of a process that had our number and was killed
  if (const auto failed = create(unfinished, text, 0666)) return failed;
  struct stat before {};
  if (stat(real.c_str(), &before) == 0 && chmod(unfinished.c_str(), before.st_mode & 07777) != 0) error = last_error();
  if (!error) fs::rename(unfinished, real, error);
  if (error) unlink(unfinished.c_str());
  return error;
}

bool is_of_the_disk(std::error_code why) {
  for (const int one : {ENOSPC, EDQUOT, EFBIG, EIO, EPIPE})
    if (why == std::error_code(one, std::generic_category())) return true;
  return false;
}

}  // namespace

/// What is opened the wrong way round refuses with "Bad file descriptor", as a closed stream does.
void open_standard_streams() {
  for (const int fd : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
    if (fcntl(fd, F_GETFD) < 0 && open("/dev/null", fd == STDIN_FILENO ? O_WRONLY : O_RDONLY) != fd)
      throw SystemError("the system refuses to open /dev/null in place of a closed standard stream");
}

void print(const std::string& text) {
  if (const auto why = write_all(STDOUT_FILENO, text))
    throw SystemError(fmt::format("cannot write to stdout ({}); the result is not complete", why.message()));
}

void close_stdout() {
  if (close(STDOUT_FILENO) != 0 && errno != EBADF)
    throw SystemError(fmt::format("cannot write to stdout ({}); the result is not complete", last_error().message()));
}

void say(const std::string& text) { (void)write_all(STDERR_FILENO, text); }

std::error_code write_new_file(const std::string& path, const std::string& text) { return create(path, text, 0666); }

void write_file(const std::string& path, const std::string& text, std::string_view what) {
  std::error_code error;
  if (const auto status = fs::status(path, error); fs::exists(status) && !fs::is_regular_file(status)) {
    const int fd = open(path.c_str(), O_WRONLY | O_CLOEXEC);
    error = fd < 0 ? last_error() : write_and_close(fd, text);
  } else {
    error = replace(path, text);
  }
  if (error) throw_unwritable(what, path, error, "a file in a writable directory");
}

void throw_unwritable(std::string_view what, const std::string& path, std::error_code why, std::string_view valid) {
  const std::string text = fmt::format("{}: cannot write '{}' ({})", what, printable(path, 300), why.message());
  if (is_of_the_disk(why)) throw SystemError(text + "; nothing is left of it; make room, or choose another place");
  throw UsageError(fmt::format("{}; valid: {}", text, valid));
}

}  // namespace convict::cli
