// SPDX-License-Identifier: Apache-2.0
//
// Uses the control sequences of ECMA-48 that every terminal has: CUU (ESC [ n A), EL (ESC [ K), ED (ESC [ J).
#include "cli/progress.h"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <cmath>
#include <cstdlib>
#include <string_view>
#include <utility>

#include "cli/mismatch_text.h"
#include "cli/streams.h"
#include "core/case_text.h"
#include "core/text.h"

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

// ---- Campaigns ------------------------------------------------------------------------------------------------------

namespace {

constexpr double kRecent = 5;  // seconds

std::string names(const campaign::CampaignResult& result, bool targets) {
  std::vector<std::string> list;
  for (const workers::RosterEntry& entry : result.roster)
    if (entry.is_target == targets)
      list.push_back(entry.version.empty() || targets ? entry.name : entry.name + " " + entry.version);
  return list.empty() ? "none" : fmt::format("{}", fmt::join(list, ", "));
}

/// "48 s", "8 m 48 s", "1 h 05 m".
std::string duration(double seconds) {
  const auto whole = static_cast<uint64_t>(std::ceil(std::max(seconds, 0.0)));
  if (whole < 60) return fmt::format("{} s", whole);
  if (whole < 3600) return fmt::format("{} m {:02} s", whole / 60, whole % 60);
  return fmt::format("{} h {:02} m", whole / 3600, whole % 3600 / 60);
}

std::string rate(double cases_per_second) {
  return with_commas(static_cast<uint64_t>(std::llround(std::max(cases_per_second, 0.0))));
}

double mean_rate(const campaign::CampaignResult& result) {
  return static_cast<double>(result.counts[Counter::kCases]) / std::max(result.seconds, 1e-3);
}

std::string mismatches(const campaign::CampaignResult& result) {
  const auto count = [&](campaign::Novelty what) {
    return std::ranges::count_if(result.found, [&](const auto& entry) { return entry.second.novelty() == what; });
  };
  const std::string& explained = result.explaining.signature;
  const auto again = count(campaign::Novelty::kAgain);
  return fmt::format("{} known, {} new{}{}", count(campaign::Novelty::kKnown), count(campaign::Novelty::kNew),
                     again > 0 ? fmt::format(", {} again", again) : "",
                     explained.empty() ? "" : "; explaining " + explained);
}

/// "mine 2,272 (56 mismatches), other 40": of at most four targets.
std::string judged_targets(const campaign::CampaignResult& result) {
  if (result.standings.size() > 4) return "";
  std::string text;
  for (const auto& [name, standing] : result.standings) {
    const uint64_t hits = result.hits_of(name);
    text += fmt::format("{}{} {}{}", text.empty() ? ": " : ", ", name, with_commas(standing.judged),
                        hits > 0 ? fmt::format(" ({} mismatches)", with_commas(hits)) : "");
  }
  return text;
}

}  // namespace

void CampaignProgress::operator()(const campaign::CampaignResult& so_far) {
  if (out_.quiet || so_far.roster.empty()) return;
  if (!std::exchange(introduced_, true)) introduce(so_far);
  for (size_t i = told_notes_.size(); i < so_far.notes.size(); ++i) {
    block_.say("note: " + so_far.notes[i]);
    told_notes_.push_back(so_far.notes[i]);
  }
  if (so_far.found.size() != announced_.size()) announce(so_far);
  samples_.push_back({so_far.seconds, so_far.counts[Counter::kCases]});
  while (samples_.size() > 2 && so_far.seconds - samples_[1].seconds > kRecent) samples_.pop_front();
  constexpr double kPatience = 2;  // seconds without a case
  const bool has_news = so_far.counts[Counter::kCases] > 0 || so_far.seconds >= kPatience;
  if (has_news && block_.is_due()) block_.draw(lines(so_far));
}

void CampaignProgress::introduce(const campaign::CampaignResult& so_far) {
  block_.say(fmt::format("on trial: {}; witnesses: {}", names(so_far, true), names(so_far, false)));
}

void CampaignProgress::announce(const campaign::CampaignResult& so_far) {
  for (const auto& [id, found] : so_far.found) {
    if (!announced_.insert(id).second) continue;
    const std::string word = fmt::format("{:<5}", name_of(found.novelty()));
    const std::string where = fmt::format("{}: {}", found.signature, to_text(found.example.problem_case));
    if (!found.is_known()) {
      block_.say(out_.colored(color_of(found.example.blame), word, STDERR_FILENO) + " " + where);
      continue;
    }
    const auto cause = found.cause ? so_far.causes.find(*found.cause) : so_far.causes.end();
    if (cause == so_far.causes.end() || cause->second.name.empty())  // a person's triage
      block_.say(word + " " + where);
    else if (known_causes_.insert(cause->first).second)
      block_.say(fmt::format("{} {}, in {}", word, cause->second.name, where));
  }
}

double CampaignProgress::recent_rate() const {
  const double seconds = samples_.back().seconds - samples_.front().seconds;
  return seconds > 0 ? static_cast<double>(samples_.back().cases - samples_.front().cases) / seconds : 0;
}

/// Until the time is up or the cases are done, of which `convict fuzz` always sets one. When all cases are done, what
/// was found last is still being explained.
std::string CampaignProgress::time_left(const campaign::CampaignResult& so_far) const {
  double left = settings_.time ? static_cast<double>(settings_.time->count()) - so_far.seconds : INFINITY;  // seconds
  if (settings_.cases && so_far.counts[Counter::kCases] > 0)
    left = std::min(
        left, (static_cast<double>(settings_.cases_of_shard()) - static_cast<double>(so_far.counts[Counter::kCases])) /
                  std::max(mean_rate(so_far), 1e-3));
  if (std::isinf(left)) return "with the first cases";
  if (left > 0) return duration(left) + " left";
  for (const auto& [target, one] : so_far.standings)
    if (one.behind > 0)
      return fmt::format("{} has {} more to do in processes of its own", target, with_commas(one.behind));
  if (so_far.explaining.signature.empty()) return "finishing";
  return fmt::format("explaining {}, {} more to do; Ctrl-C leaves that out", so_far.explaining.signature,
                     so_far.explaining.waiting);
}

std::vector<std::string> CampaignProgress::lines(const campaign::CampaignResult& so_far) const {
  const workers::Counts& counts = so_far.counts;
  const std::string time = fmt::format("{}, {}", duration(std::floor(so_far.seconds)), time_left(so_far));
  const std::string cases = fmt::format("{}; {}/s now, {}/s on average", with_commas(counts[Counter::kCases]),
                                        rate(recent_rate()), rate(mean_rate(so_far)));
  const std::string judged = fmt::format("{:.1f} %{}",
                                         100 * static_cast<double>(counts[Counter::kJudged]) /
                                             static_cast<double>(std::max<uint64_t>(counts[Counter::kCases], 1)),
                                         judged_targets(so_far));
  const std::string coverage = fmt::format("{} pairs, {} triples", with_commas(so_far.coverage.seen_pairs()),
                                           with_commas(so_far.coverage.seen() - so_far.coverage.seen_pairs()));
  if (!block_.in_place())
    return {fmt::format("{}: cases {}; judged {}; workers lost: {}; {}; coverage: {}", time, cases, judged,
                        counts[Counter::kDeaths], mismatches(so_far), coverage)};
  return {"time         " + time, "cases        " + cases,
          fmt::format("judged       {}; workers lost: {}", judged, counts[Counter::kDeaths]),
          "mismatches   " + mismatches(so_far), "coverage     " + coverage};
}

}  // namespace convict::cli
