// SPDX-License-Identifier: Apache-2.0
#include "tests/cli/terminal.h"

#include <fcntl.h>
#include <pty.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <stdexcept>

namespace convict::test {
namespace {

winsize size_of(size_t columns) { return {24, static_cast<unsigned short>(columns), 0, 0}; }

/// Never returns. Only the thread that forked is here, so nothing but system calls follows.
[[noreturn]] void become(char* const* arguments, const TerminalOptions& options) {
  const int out = options.stdout_file.empty() ? -1 : open(options.stdout_file.c_str(), O_WRONLY | O_CREAT, 0600);
  if (out >= 0) dup2(out, STDOUT_FILENO);
  if (chdir(options.directory.c_str()) == 0) execv(arguments[0], arguments);
  _exit(127);
}

}  // namespace

void Screen::show(std::string_view bytes) {
  for (const char c : bytes) {
    if (sequence_.empty() && c != '\033') {
      put(c);
      continue;
    }
    sequence_ += c;
    if (sequence_.size() < 3 || c < 0x40) continue;  // ESC [ parameters final
    control(c, static_cast<size_t>(std::max(1, std::atoi(sequence_.c_str() + 2))));
    sequence_.clear();
  }
}

void Screen::put(char c) {
  if (c == '\r') column_ = 0;
  const bool wraps = c != '\r' && c != '\n' && column_ == columns_;
  if (c == '\n' || wraps) {
    if (++row_ == rows_.size()) rows_.emplace_back();
    if (wraps) column_ = 0;
  }
  if (c == '\r' || c == '\n') return;
  std::string& row = rows_[row_];
  row.resize(std::max(row.size(), column_ + 1), ' ');
  row[column_++] = c;
}

void Screen::control(char final, size_t count) {
  if (final == 'A') row_ -= std::min(row_, count);
  if (final == 'K' || final == 'J') rows_[row_].resize(std::min(rows_[row_].size(), column_));
  if (final == 'J') rows_.resize(row_ + 1);
}

void Screen::resize(size_t columns) {
  columns_ = columns;
  std::vector<std::string> broken;
  const size_t at = row_;
  for (size_t i = 0; i < rows_.size(); ++i) {
    if (i == at) row_ = broken.size();
    size_t begin = 0;
    do {
      broken.push_back(rows_[i].substr(begin, columns));
      begin += columns;
    } while (begin < rows_[i].size());
  }
  rows_ = std::move(broken);
}

bool Screen::has_row(std::string_view begin) const {
  return std::ranges::any_of(rows_, [&](const std::string& row) { return row.starts_with(begin); });
}

TerminalCommand::TerminalCommand(const std::vector<std::string>& arguments, const TerminalOptions& options)
    : screen_(options.columns) {
  std::vector<std::string> words = {"/usr/bin/env", "-u", "NO_COLOR", "TERM=xterm"};
  words.insert(words.end(), options.environment.begin(), options.environment.end());
  words.push_back(options.program.string());
  words.insert(words.end(), arguments.begin(), arguments.end());
  std::vector<char*> pointers;
  for (std::string& word : words) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  const winsize size = size_of(options.columns);
  pid_ = forkpty(&terminal_, nullptr, nullptr, &size);
  if (pid_ < 0) throw std::runtime_error("cannot create a terminal");
  if (pid_ == 0) become(pointers.data(), options);
}

TerminalCommand::~TerminalCommand() {
  if (!ended_) {
    kill(pid_, SIGKILL);
    waitpid(pid_, nullptr, 0);
  }
  close(terminal_);
}

bool TerminalCommand::read_some() {
  char buffer[1 << 14];
  const ssize_t count = read(terminal_, buffer, sizeof buffer);
  if (count <= 0) return false;  // EIO: nobody has the other end any more
  const std::string_view bytes(buffer, static_cast<size_t>(count));
  screen_.show(bytes);
  written_ += bytes;
  return true;
}

bool TerminalCommand::shows(std::string_view begin) {
  while (!screen_.has_row(begin))
    if (!read_some()) return screen_.has_row(begin);
  return true;
}

bool TerminalCommand::redraws(int times) {
  constexpr std::string_view kEnd = "\033[J";  // of a drawing
  for (size_t at = written_.size(); times > 0; --times) {
    while (written_.find(kEnd, at) == std::string::npos)
      if (!read_some()) return false;
    at = written_.find(kEnd, at) + kEnd.size();
  }
  return true;
}

void TerminalCommand::press(char key) const {
  if (write(terminal_, &key, 1) != 1) throw std::runtime_error("cannot write to the terminal");
}

void TerminalCommand::resize(size_t columns) {
  const winsize size = size_of(columns);
  ioctl(terminal_, TIOCSWINSZ, &size);
  screen_.resize(columns);
}

int TerminalCommand::wait() {
  while (read_some()) continue;
  int status = 0;
  waitpid(pid_, &status, 0);
  ended_ = true;
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

}  // namespace convict::test
