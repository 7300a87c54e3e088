// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

#include "core/text.h"
#include "lab/bench/summary.h"
#include "lab/bench/writers.h"

namespace convict::bench {
namespace {

// All lengths are pixels.
constexpr double kLabelWidth = 330, kPlotWidth = 560, kRight = 30, kTop = 66, kRowHeight = 17, kGap = 34;
constexpr double kMostOctaves = 5;  // to either side; dots beyond lie on the edge

/// Okabe and Ito's colours, which colour-blind people can distinguish.
constexpr std::array<const char*, 7> kColors = {"#0072b2", "#d55e00", "#009e73", "#cc79a7",
                                                "#e69f00", "#56b4e9", "#000000"};

std::string escaped(const std::string& text) {
  std::string safe;
  for (const char c : printable(text, 200)) {
    if (c == '&')
      safe += "&amp;";
    else if (c == '<')
      safe += "&lt;";
    else if (c == '>')
      safe += "&gt;";
    else if (c == '"')
      safe += "&quot;";
    else
      safe += c;
  }
  return safe;
}

std::string text_at(double x, double y, const char* anchor, const std::string& text, const char* more = "") {
  return fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"{}\"{}>{}</text>\n", x, y, anchor, more,
                     escaped(text));
}

class Picture {
 public:
  explicit Picture(const BenchResult& result) : result_(result), means_(means_of(result)) {
    for (const auto& [name, side] : result.sides)
      if (side != Side::kTarget) colors_.emplace(name, kColors[colors_.size() % kColors.size()]);
    for (const BenchRow& row : result.rows)
      for (const auto& [name, color] : colors_)
        if (const auto octaves = octaves_of(row, name)) reach_ = std::max(reach_, std::ceil(std::abs(*octaves)));
    reach_ = std::min(reach_, kMostOctaves);
  }

  std::string draw() {
    double y = kTop;
    for (const Means& means : means_) y = draw_group(means, y + kGap);
    const double width = kLabelWidth + kPlotWidth + kRight, height = y + 20;
    return fmt::format(
               "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0:.0f}\" height=\"{1:.0f}\" viewBox=\"0 0 "
               "{0:.0f} {1:.0f}\" font-family=\"sans-serif\" font-size=\"11\">\n<rect width=\"100%\" "
               "height=\"100%\" fill=\"#ffffff\"/>\n",
               width, height) +
           header() + body_ + "</svg>\n";
  }

 private:
  /// log2(speed of the subject / speed of `name`); positive if the subject is faster.
  std::optional<double> octaves_of(const BenchRow& row, const std::string& name) const {
    const auto subject = row.gflops(result_.subject), other = row.gflops(name);
    return subject && other ? std::optional(std::log2(*subject / *other)) : std::nullopt;
  }

  double x_of(double octaves) const {
    return kLabelWidth + kPlotWidth * (0.5 + std::clamp(octaves, -reach_, reach_) / (2 * reach_));
  }

  /// A dot; a ring for libraries in layouts of their own.
  std::string dot(double x, double y, const std::string& name) const {
    const char* color = colors_.at(name);
    const bool ring = result_.sides.at(name) == Side::kOwnLayouts;
    return fmt::format("<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"{}\" stroke=\"{}\" fill=\"{}\"/>\n", x, y,
                       ring ? 3.5 : 4, color, ring ? "none" : color);
  }

  std::string header() const {
    std::string text = text_at(
        10, 18, "start",
        fmt::format("Speed of {} relative to each library; right of 1 it is faster, dots on the edge lie beyond it",
                    result_.subject),
        " font-weight=\"bold\"");
    text += text_at(10, 34, "start", fmt::format("{}, {}, {}", result_.cpu, result_.isa, result_.date));
    double x = 10;
    for (const auto& [name, color] : colors_) {
      text += dot(x + 4, 50, name);
      text += text_at(x + 12, 54, "start", name);
      x += 30 + 6.2 * static_cast<double>(name.size());
    }
    return text;
  }

  /// Draws the rows from `y` on; returns the y after them.
  double draw_group(const Means& means, double y) {
    const double bottom = y + kRowHeight * static_cast<double>(means.layers());
    body_ +=
        text_at(10, y - 8, "start",
                fmt::format("{}, {}, {} thread{}", means.set, means.pass, means.threads, means.threads == 1 ? "" : "s"),
                " font-weight=\"bold\"");
    for (int octave = -static_cast<int>(reach_); octave <= static_cast<int>(reach_); ++octave) {
      body_ += fmt::format("<line x1=\"{0:.1f}\" x2=\"{0:.1f}\" y1=\"{1:.1f}\" y2=\"{2:.1f}\" stroke=\"{3}\"/>\n",
                           x_of(octave), y, bottom, octave == 0 ? "#000000" : "#dddddd");
      body_ += text_at(x_of(octave), y - 4, "middle",
                       fmt::format("{}{}", octave < 0 ? "1/" : "", 1 << std::abs(octave)), " fill=\"#666666\"");
    }
    for (const BenchRow* row : means.rows) draw_row(*row, y += kRowHeight);
    return bottom;
  }

  void draw_row(const BenchRow& row, double y) {
    const double middle = y - kRowHeight / 2;
    body_ += text_at(kLabelWidth - 10, middle + 4, "end", printable(row.label, 54));
    for (const auto& [name, color] : colors_)
      if (const auto octaves = octaves_of(row, name)) body_ += dot(x_of(*octaves), middle, name);
  }

  const BenchResult& result_;
  std::vector<Means> means_;
  std::map<std::string, const char*> colors_;
  double reach_ = 1;  // octaves to either side
  std::string body_;
};

}  // namespace

std::string bench_as_svg(const BenchResult& result) { return Picture(result).draw(); }

}  // namespace convict::bench
