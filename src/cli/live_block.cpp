// SPDX-License-Identifier: Apache-2.0
//
// Uses the control sequences of ECMA-48 that every terminal has: CUU (ESC [ n A), EL (ESC [ K), ED (ESC [ J).
#include "cli/live_block.h"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <string_view>

#include "cli/streams.h"

namespace convict::cli {
namespace {

constexpr std::chrono::milliseconds kLiveInterval{200}, kFirstPlainInterval{2000}, kLastPlainInterval{10'000};

struct Screen {
  size_t columns = 80, rows = 24;
};

/// Size of the terminal. Read before each drawing, because users resize windows.
Screen screen() {
  winsize size{};
  Screen result;
  if (ioctl(STDERR_FILENO, TIOCGWINSZ, &size) != 0) return result;
  if (size.ws_col > 0) result.columns = size.ws_col;
  if (size.ws_row > 0) result.rows = size.ws_row;
  return result;
}

bool can_redraw() {
  const char* term = std::getenv("TERM");
  return isatty(STDERR_FILENO) != 0 && term && *term && std::string_view(term) != "dumb";
}

}  // namespace

LiveBlock::LiveBlock(bool quiet, Clock::time_point (*now)())
    : quiet_(quiet),
      in_place_(!quiet && can_redraw()),
      now_(now),
      interval_(in_place_ ? kLiveInterval : kFirstPlainInterval) {}

bool LiveBlock::is_due() const { return !quiet_ && now_() - last_ >= interval_; }

/// Moves to the first line. A terminal that got narrower has broken lines, so the block has more rows than lines.
std::string LiveBlock::to_first_line(size_t columns) const {
  size_t rows = 0;
  for (const size_t length : drawn_) rows += std::max<size_t>(1, (length + columns - 1) / columns);
  return rows == 0 ? "\r" : fmt::format("\r\033[{}A", rows);
}

void LiveBlock::draw(const std::vector<std::string>& lines) {
  if (quiet_) return;
  last_ = now_();
  if (!in_place_) {
    for (const std::string& line : lines) cli::say(line + "\n");
    interval_ = std::min<Clock::duration>(2 * interval_, kLastPlainInterval);
    return;
  }
  const Screen now = screen();
  std::string text = to_first_line(now.columns);
  drawn_.clear();
  for (const std::string& line : lines) {
    if (drawn_.size() + 1 >= now.rows) break;                 // the cursor needs a row, too
    const std::string cut = line.substr(0, now.columns - 1);  // in the last column, terminals differ
    drawn_.push_back(cut.size());
    text += cut + "\033[K\n";
  }
  cli::say(text + "\033[J");  // all at once, so that a half-drawn block never shows
}

void LiveBlock::say(const std::string& line) {
  if (quiet_) return;
  clear();
  cli::say(line + "\n");
  if (in_place_) last_ = {};  // the block is missing
}

void LiveBlock::clear() {
  if (drawn_.empty()) return;
  cli::say(to_first_line(screen().columns) + "\033[J");
  drawn_.clear();
}

}  // namespace convict::cli
