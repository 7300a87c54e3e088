// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstddef>
#include <string>
#include <vector>

namespace convict::cli {

/// What a command says on stderr while it works. On a terminal: a few lines at the end of the screen, redrawn in place
/// and gone when it is over, however it is over. Elsewhere, and on a terminal that cannot move its cursor (TERM=dumb):
/// plain lines now and then.
class LiveBlock {
 public:
  using Clock = std::chrono::steady_clock;
  explicit LiveBlock(bool quiet, Clock::time_point (*now)() = Clock::now);
  LiveBlock(const LiveBlock&) = delete;
  LiveBlock& operator=(const LiveBlock&) = delete;
  ~LiveBlock() { clear(); }

  bool in_place() const { return in_place_; }

  /// Whether it is time to draw: every 200 ms in place, else every ten seconds; never if quiet.
  bool is_due() const;

  /// Lines of printable ASCII without newlines. In place, what does not fit the terminal is cut off.
  void draw(const std::vector<std::string>& lines);

  /// A line that stays, above the block. Nothing if quiet.
  void say(const std::string& line);

  void clear();

 private:
  std::string to_first_line(size_t columns) const;

  bool quiet_, in_place_;
  std::vector<size_t> drawn_;  // characters of each line on the screen
  Clock::time_point (*now_)();
  Clock::time_point last_ = now_();
};

}  // namespace convict::cli
