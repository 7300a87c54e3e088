// SPDX-License-Identifier: Apache-2.0
//
// Writes an overview for a terminal: 80 columns, unless a case line is longer.
#include <fmt/format.h>

#include <algorithm>

#include "core/text.h"
#include "reports/shared/causes.h"
#include "reports/writer.h"

namespace convict::reports {
namespace {

constexpr size_t kColumns = 80;
constexpr size_t kMostCampaigns = 10, kMostRows = 20;  // the last campaigns, the first rows of a status
constexpr size_t kLongestCase = 4096;                  // a case line

std::string campaign_text(const report::CampaignReport& campaign) {
  const auto count = [&](const char* key) {
    const bool is_there = campaign.counts.is_object() && campaign.counts.contains(key);
    return is_there && campaign.counts[key].is_number() ? campaign.counts[key].get<double>() : 0.0;
  };
  return fmt::format("  #{} {} {} seed {} {}: {} cases, {:.1f} s\n", campaign.id,
                     printable(std::string_view(campaign.started).substr(0, 10)), printable(campaign.info.profile, 20),
                     campaign.info.seed, printable(campaign.state, 20),
                     with_commas(static_cast<uint64_t>(std::max(0.0, count("cases")))), count("seconds"));
}

std::string campaigns_text(const report::Report& report) {
  if (report.campaigns.empty()) return "";
  std::string text = fmt::format("campaigns: {}\n", with_commas(report.campaigns.size()));
  const size_t first = report.campaigns.size() - std::min(report.campaigns.size(), kMostCampaigns);
  if (first > 0) text += fmt::format("  ... and {} before these\n", with_commas(first));
  for (size_t i = first; i < report.campaigns.size(); ++i) text += campaign_text(report.campaigns[i]);
  return text;
}

/// The range of ratios of a bin, in words: "below 2^-3".
std::string place(int bin) {
  return bin == RatioHistogram::kBins - 1 ? "2^-1 or more" : fmt::format("below 2^{}", bin + 1 - RatioHistogram::kBins);
}

std::string ratio_text(const std::string& name, const RatioHistogram& histogram) {
  uint64_t cases = 0, below = 0;
  int last = 0, middle = 0;
  for (int i = 0; i < RatioHistogram::kBins; ++i) {
    cases += histogram.counts[i];
    if (histogram.counts[i] > 0) last = i;
  }
  while (middle < last && 2 * (below += histogram.counts[middle]) < cases) ++middle;
  return fmt::format("  {}: largest {} of its bound, median {}, in {} cases\n", printable(name, 20), place(last),
                     place(middle), with_commas(cases));
}

std::string ratios_text(const report::Report& report) {
  std::string text;
  for (const auto& [name, histogram] : report::ratios_of(report.campaigns)) text += ratio_text(name, histogram);
  return text.empty() ? "" : "errors:\n" + text;
}

std::string in_words(const report::TupleShare& share, const char* what) {
  // Rounded down: 100 % is said of all only.
  return fmt::format("{:.1f} % ({} of {} reachable {} of features)\n", static_cast<int>(10 * share.percent()) / 10.0,
                     with_commas(share.seen), with_commas(share.reachable), what);
}

std::string profile_text(const report::ProfileReport& report) {
  std::string text = fmt::format("profile {}, all its campaigns: {} legal cases judged\n", printable(report.profile),
                                 with_commas(report.cases));
  text += "  2-way coverage  " + in_words(report.pairs, "pairs");
  text += "  3-way coverage  " + in_words(report.triples, "triples");
  text += fmt::format("  the next case shows about {:.4g} combinations never seen;\n", report.expected_unseen);
  text += fmt::format("  the chance that it shows any is at most {:.4g}\n", report.chance_of_unseen);
  const uint32_t unseen = report.pairs.reachable - report.pairs.seen + report.triples.reachable - report.triples.seen;
  if (unseen == 0) return text + "  every reachable combination has been seen\n";
  if (report.emptiest.empty()) return text;
  text += fmt::format("  never seen, {} of {}:\n", report.emptiest.size(), with_commas(unseen));
  for (const std::string& name : report.emptiest) text += "    " + printable(name) + "\n";
  return text;
}

/// What the targets of the last campaign were judged on, and what not.
std::string targets_text(const report::Report& report) {
  if (report.campaigns.empty()) return "";
  const report::CampaignReport& last = report.campaigns.back();
  std::string text;
  for (const auto& [target, one] : last.targets) {
    const std::string name = printable(target, 40);
    text += fmt::format("  {}: {} cases, {} of {} pairs of features\n", name, with_commas(one.judged),
                        with_commas(one.pairs_seen), with_commas(one.pairs_possible));
    if (!one.gaps.never.empty())
      text += fmt::format("  never accepted by {}: {}\n", name, generate::in_words(one.gaps.never));
    if (!one.gaps.hardly.empty())
      text += fmt::format("  judged on fewer than {} cases of {}: {}\n", generate::kHardly, name,
                          generate::in_words(one.gaps.hardly));
  }
  return text.empty() ? "" : fmt::format("judged in campaign {}:\n", last.id) + text;
}

/// A cause: the most urgent of its mismatches, with the hits of all, and what is known of it.
std::string cause_text(const CauseGroup& group) {
  const report::MismatchReport& one = group.first();
  const store::MismatchRow& row = one.row;
  const size_t rows = group.rows.size();
  std::string text =
      fmt::format("    #{} {} {} ({}, {} hits{})", row.id, printable(group.suspects(), 120), printable(row.verdict),
                  printable(group.blame()), group.hits(), rows > 1 ? fmt::format(" in {} mismatches", rows) : "");
  const bool is_other_here = row.effective_status != row.status && row.status != "new";
  if (came_back(one) || row.effective_status == kGone || is_other_here)
    text += "\n      " + printable(standing(one), 200);
  const std::string case_text = printable(row.best_text(), kLongestCase);
  const size_t column = text.size() - (text.rfind('\n') + 1);  // npos + 1 is 0
  text += (column + 2 + case_text.size() <= kColumns ? "  " : "\n      ") + case_text + "\n";
  if (group.is_known() || rows > 1)
    text += fmt::format("      {}: {}\n", group.number(), printable(group.cause.title, 200));
  const std::string shows_if = group.shows_if();
  return shows_if.empty() ? text : text + "      shows if " + printable(shows_if, kLongestCase) + "\n";
}

std::string status_text(const std::vector<CauseGroup>& groups, std::string_view status) {
  std::string text;
  size_t count = 0;
  for (const CauseGroup& group : groups)
    if (group.status() == status && ++count <= kMostRows) text += cause_text(group);
  if (count > kMostRows)
    text += fmt::format("    ... and {} more: convict list causes --status {}\n", count - kMostRows, status);
  return count == 0 ? "" : fmt::format("  {}: {}\n", status, with_commas(count)) + text;
}

std::string mismatches_text(const report::Report& report) {
  const report::SignatureReport& signatures = report.signatures;
  const std::vector<CauseGroup> groups = by_cause(report);
  std::string text = fmt::format("mismatches: {} of targets and oracles; {}, {} hit once\n",
                                 counted(static_cast<uint64_t>(signatures.signatures), "signature"),
                                 counted(signatures.cases, "judged case"), signatures.hit_once);
  if (!groups.empty()) text += "  " + causes_in_a_line(groups) + "\n";
  text += "  chance that the next case shows a new signature: ";
  text += signatures.hit_once > 0 || signatures.cases == 0
              ? fmt::format("at most about {:.4g}\n", signatures.chance_of_new())
              : fmt::format("below about 1 in {}\n", with_commas(signatures.cases));  // an estimate of 0 proves nothing
  for (const std::string_view status : kShownStatuses) text += status_text(groups, status);
  return text;
}

std::string as_text(const report::Report& report) {
  std::string text = fmt::format("convict report: {}\n", printable(report.database, 300));
  for (const std::string& note : report.notes) text += "note: " + printable(note, 300) + "\n";
  if (report.signatures.cases == 0 && report.campaigns.empty() && report.mismatches.empty())
    text += "no campaign yet: `convict fuzz --db FILE` adds one\n";
  text += campaigns_text(report) + ratios_text(report) + targets_text(report);
  if (report.profiles.empty()) text += "no coverage recorded\n";
  for (const report::ProfileReport& one : report.profiles) text += profile_text(one);
  return text + mismatches_text(report);
}

}  // namespace

extern const ReportWriter report_text = {"text", "an overview for a terminal", as_text, true, false, "txt"};

}  // namespace convict::reports
