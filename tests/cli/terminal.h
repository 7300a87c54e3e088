// SPDX-License-Identifier: Apache-2.0
//
// Runs the program on a terminal, and models the screen.
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace convict::test {

/// Models the parts of a terminal that convict uses: wrapped lines, CR, LF, cursor up, erase to the end of line and
/// screen. When it gets narrower, it breaks lines again, as most terminals do. Rows never scroll out of reach.
class Screen {
 public:
  explicit Screen(size_t columns) : columns_(columns) {}
  void show(std::string_view bytes);
  void resize(size_t columns);

  const std::vector<std::string>& rows() const { return rows_; }
  bool has_row(std::string_view begin) const;

 private:
  void put(char c);
  void control(char final, size_t count);

  size_t columns_, row_ = 0, column_ = 0;
  std::vector<std::string> rows_ = {""};
  std::string sequence_;  // that is not complete yet
};

struct TerminalOptions {
  std::filesystem::path directory;
  std::vector<std::string> environment = {};  // "NAME=value", after TERM=xterm and without NO_COLOR
  size_t columns = 100;
  std::string stdout_file = {};  // stdout goes there instead of to the terminal
  std::filesystem::path program = CONVICT_PROGRAM;
};

/// A running convict whose standard streams are a terminal of its own. As for Command, waiting has no limit here.
class TerminalCommand {
 public:
  TerminalCommand(const std::vector<std::string>& arguments, const TerminalOptions& options);
  TerminalCommand(const TerminalCommand&) = delete;
  TerminalCommand& operator=(const TerminalCommand&) = delete;
  ~TerminalCommand();  // kills it

  /// Waits until a row begins like this; false if the program ends before it does.
  bool shows(std::string_view begin);
  /// Waits until the screen was drawn `times` more times; false if the program ends before.
  bool redraws(int times);
  void press(char key) const;
  void resize(size_t columns);
  /// Its exit code, -1 if a signal ended it.
  int wait();

  const Screen& screen() const { return screen_; }
  const std::string& written() const { return written_; }  // all of it, as it came

 private:
  bool read_some();  // waits for it; false at the end

  pid_t pid_ = -1;
  int terminal_ = -1;
  bool ended_ = false;
  Screen screen_;
  std::string written_;
};

}  // namespace convict::test
