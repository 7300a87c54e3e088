// SPDX-License-Identifier: Apache-2.0
#include "cli/fuzz_causes.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <tuple>

#include "cli/describe.h"
#include "core/text.h"
#include "report/repro_command.h"

namespace convict::cli {
namespace {

constexpr size_t kWidth = 80;
constexpr const char* kRow = "{:>6}  {:<20}  {:<17}  {:<9}  {:<8}{:>10}";

/// What became of it, in a word: "new" is what this campaign is the first to see.
std::string status_of(const campaign::Found& found) {
  const std::string_view novelty = found.novelty();
  return std::string(novelty == "known" || found.status == "fixed" ? found.status : novelty);
}

/// The command that shows it again. A long list of earlier cases would fill the screen; the database has it.
std::string command_of(const campaign::Found& found, const FuzzOptions& options) {
  constexpr size_t kMostShown = 3;
  const auto& before = found.example.certificate.alone.before;
  if (!before || before->size() <= kMostShown) return report::repro_command(found.example, options.run.plugins);
  return fmt::format("convict repro --db {} {}   # after {} earlier cases", shell_quoted(options.database), found.id,
                     before->size());
}

/// What is to be said of a mismatch below its row: when it shows, and the command that shows it.
std::string remarks(const campaign::Found& found, const FuzzOptions& options) {
  const Mismatch& m = found.example;
  std::string text;
  if (!found.shows_if.empty()) text += wrapped(fmt::format("        fails if {}", found.shows_if), 17);
  if (m.verdict == Verdict::kAcceptsInvalid)
    text +=
        wrapped("        computes problems that are not legal, and should refuse them; --illegal 0 leaves them out", 8);
  if (const std::string remark = not_reproduced(m.certificate); !remark.empty())
    text += wrapped(fmt::format("        {}", printable(remark, 200)), 8);
  return text + fmt::format("        {}\n", command_of(found, options));
}

/// The row of one mismatch, with the hits of all that it stands for.
std::string row_text(const campaign::Found& found, uint64_t hits, const FuzzOptions& options) {
  const Mismatch& m = found.example;
  const std::string row = fmt::format(kRow, fmt::format("#{}", found.id), printable(m.suspect, 17), name_of(m.verdict),
                                      name_of(m.blame), status_of(found), with_commas(hits));
  return (found.novelty() == "known" ? row : options.out.colored(color_of(m.blame), row)) + "\n";
}

std::string cause_text(const FoundCause& one, const FuzzOptions& options) {
  std::string text = row_text(one.first(), one.hits(), options);
  if (one.is_known())
    text += wrapped(fmt::format("        {}: {}", printable(one.cause->name), printable(one.cause->title, 200)), 8);
  text += remarks(one.first(), options);
  const size_t more = one.rows.size() - 1;
  if (more > 0 && !options.out.verbose)
    text += wrapped(fmt::format("        and {} more mismatch{} of this cause; `convict show cause {}` lists them",
                                more, more == 1 ? "" : "es", one.cause->id),
                    8);
  for (size_t i = 1; i < one.rows.size() && options.out.verbose; ++i)
    text += row_text(*one.rows[i].second, one.rows[i].second->hits, options) + remarks(*one.rows[i].second, options);
  return text;
}

}  // namespace

uint64_t FoundCause::hits() const {
  return std::accumulate(rows.begin(), rows.end(), uint64_t{0},
                         [](uint64_t sum, const FoundRow& row) { return sum + row.second->hits; });
}

std::string wrapped(std::string text, size_t indent) {
  for (size_t begin = 0; text.size() - begin > kWidth;) {
    const size_t at = text.rfind(' ', begin + kWidth);
    if (at == std::string::npos || at < begin + indent + 1) break;  // one long word
    text.replace(at, 1, "\n" + std::string(indent, ' '));
    begin = at + 1;
  }
  return text + "\n";
}

std::vector<FoundRow> sorted_rows(const campaign::CampaignResult& result) {
  std::vector<FoundRow> list;
  for (const auto& [signature, found] : result.found) list.emplace_back(signature, &found);
  std::ranges::stable_sort(list, {}, [](const FoundRow& row) {
    const campaign::Found& found = *row.second;
    return std::tuple(found.novelty() == "known", found.example.blame != Blame::kTarget,
                      found.example.verdict == Verdict::kAcceptsInvalid);
  });
  return list;
}

std::vector<FoundCause> found_causes(const campaign::CampaignResult& result) {
  std::vector<FoundCause> causes;
  for (FoundRow& row : sorted_rows(result)) {
    const auto known = row.second->cause ? result.causes.find(*row.second->cause) : result.causes.end();
    const store::CauseRow* cause = known == result.causes.end() ? nullptr : &known->second;
    const auto same = std::ranges::find_if(causes, [&](const FoundCause& one) { return cause && one.cause == cause; });
    if (same == causes.end())
      causes.push_back({cause, {std::move(row)}});
    else
      same->rows.push_back(std::move(row));
  }
  return causes;
}

std::string causes_table(const campaign::CampaignResult& result, const FuzzOptions& options) {
  const std::vector<FoundCause> causes = found_causes(result);
  std::string text =
      fmt::format("mismatches, {} cause{} in {} signature{}:\n", causes.size(), causes.size() == 1 ? "" : "s",
                  result.found.size(), result.found.size() == 1 ? "" : "s");
  text += fmt::format(kRow, "id", "suspect", "verdict", "blame", "status", "hits") + "\n";
  for (const FoundCause& one : causes) text += cause_text(one, options);
  return text;
}

}  // namespace convict::cli
