// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstddef>
#include <string>
#include <vector>

namespace convict::cli {

/// Shows the progress of a command on stderr. On a terminal: a few lines at the end of the screen, redrawn in place and
/// erased at the end, even after an error. Elsewhere, and on a terminal that cannot move its cursor (TERM=dumb): plain
/// lines now and then.
class LiveBlock {
 public:
  using Clock = std::chrono::steady_clock;
  explicit LiveBlock(bool quiet, Clock::time_point (*now)() = Clock::now);
  LiveBlock(const LiveBlock&) = delete;
  LiveBlock& operator=(const LiveBlock&) = delete;
  ~LiveBlock() { clear(); }

  bool in_place() const { return in_place_; }

  /// Whether to draw now: every 200 ms in place, else after two seconds, then less and less often, at last every
  /// ten; never if quiet.
  bool is_due() const;

  /// Precondition: lines of printable ASCII without newlines. In place, cuts off lines wider than the terminal.
  void draw(const std::vector<std::string>& lines);

  /// Prints a line that stays, above the block; prints nothing if quiet.
  void say(const std::string& line);

  void clear();

 private:
  std::string to_first_line(size_t columns) const;

  bool quiet_, in_place_;
  std::vector<size_t> drawn_;  // characters of each line on the screen
  Clock::time_point (*now_)();
  Clock::time_point last_ = now_();
  Clock::duration interval_;
};

}  // namespace convict::cli
