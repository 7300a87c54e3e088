// SPDX-License-Identifier: Apache-2.0
#include "cli/fuzz_causes.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <numeric>
#include <tuple>

#include "cli/describe.h"
#include "core/case_text.h"
#include "core/text.h"
#include "report/repro_command.h"
#include "reports/shared/certificate_text.h"
#include "reports/shared/verdict_text.h"

namespace convict::cli {
namespace {

constexpr size_t kWidth = 80, kIndent = 6;

/// What became of it, in a word: "new" is what this campaign is the first to see.
std::string status_of(const campaign::Found& found) {
  return found.is_known() || found.status == "fixed" ? found.status : std::string(name_of(found.novelty()));
}

/// The command that shows it again. A long list of earlier cases would fill the screen; the database has it.
std::string command_of(const Mismatch& mismatch, int64_t id, const FuzzOptions& options) {
  constexpr size_t kMostShown = 3;
  const auto& before = mismatch.certificate.alone.before;
  if (!before || before->size() <= kMostShown) return report::repro_command(mismatch, options.run.plugins);
  return fmt::format("convict repro --db {} {}   # after {} earlier cases", shell_quoted(options.database), id,
                     before->size());
}

std::string remark(const std::string& text) {
  return text.empty() ? "" : wrapped(std::string(kIndent, ' ') + text, kIndent);
}

/// What is to be said of a mismatch below its first line: when it shows, what is wrong, and the command that shows it.
std::string remarks(const campaign::Found& found, const FuzzOptions& options) {
  const Mismatch& m = found.example;
  std::string text = remark(found.shows_if.empty() ? "" : "fails if " + found.shows_if);
  text += remark(reports::certificate_in_a_line(m.certificate));
  text += remark(printable(not_reproduced(m.certificate), 200));
  return text + fmt::format("{:{}}{}\n", "", kIndent, command_of(m, found.id, options));
}

std::string hits_of(uint64_t hits) { return counted(hits, "hit"); }

/// The first line of one mismatch, with the hits of all that it stands for.
std::string head_of(const campaign::Found& found, uint64_t hits, const FuzzOptions& options) {
  const Mismatch& m = found.example;
  std::string blame = m.blame == Blame::kTarget ? "" : fmt::format(", blame: {}", name_of(m.blame));
  const std::string head = fmt::format("  #{} {}: {}, {}, {}{}", found.id, printable(m.suspect, 40), name_of(m.verdict),
                                       status_of(found), hits_of(hits), blame);
  const std::string meaning = wrapped(fmt::format("{}. {}", head, reports::meaning_of(m.verdict)), kIndent);
  if (found.is_known()) return meaning;
  return options.out.colored(color_of(m.blame), meaning.substr(0, head.size())) + meaning.substr(head.size());
}

std::string cause_text(const FoundCause& one, const FuzzOptions& options) {
  std::string text = head_of(one.first(), one.hits(), options);
  if (one.is_known())
    text += remark(fmt::format("{}: {}", printable(one.cause->name), printable(one.cause->title, 200)));
  text += remarks(one.first(), options);
  const size_t more = one.rows.size() - 1;
  if (more > 0 && !options.out.verbose)
    text += remark(fmt::format("and {} more mismatch{} of this cause; `convict show cause {}` lists them", more,
                               more == 1 ? "" : "es", one.cause->id));
  for (size_t i = 1; i < one.rows.size() && options.out.verbose; ++i)
    text += head_of(*one.rows[i], one.rows[i]->hits, options) + remarks(*one.rows[i], options);
  return text;
}

bool is_of(const FoundCause& one, std::string_view target) { return one.first().example.suspect == target; }
bool is_on_illegal(const FoundCause& one) { return one.first().example.verdict == Verdict::kAcceptsInvalid; }

bool ended_its_process(const Mismatch& mismatch) {
  return mismatch.verdict <= Verdict::kOom || mismatch.certificate.death.signal.has_value();
}

/// "956 of 4,959 judged cases fail". What ended its process was not judged: "49 of 50 cases fail".
std::string failing(const std::string& target, const campaign::CampaignResult& result) {
  uint64_t ended = 0;
  for (const auto& [id, one] : result.found)
    if (one.example.suspect == target && ended_its_process(one.example)) ended += one.hits;
  return fmt::format("{} of {} {}cases fail", with_commas(result.hits_of(target)),
                     with_commas(result.standings.at(target).judged + ended), ended == 0 ? "judged " : "");
}

/// "mine is wrong: 2 causes; 956 of 4,959 judged cases fail."
std::string line_of(const std::string& target, const campaign::CampaignResult& result,
                    const std::vector<FoundCause>& causes, const FuzzOptions& options) {
  const auto count = [&](bool known) {
    return std::ranges::count_if(causes, [&](const FoundCause& one) {
      return is_of(one, target) && !is_on_illegal(one) && one.first().is_known() == known;
    });
  };
  const auto fresh = count(false), known = count(true);
  const std::string also = known > 0 ? fmt::format(", and {} known", known) : "";
  const std::string name = printable(target, 40);
  if (fresh == 0)
    return wrapped(fmt::format("{}: nothing new; {}; {}", name, counted(known, "known cause"), failing(target, result)),
                   2);
  return options.out.colored("1;31", fmt::format("{} is wrong", name)) +
         fmt::format(": {}{}; {}\n", counted(fresh, "cause"), also, failing(target, result));
}

/// The line of the targets without a mismatch; of a single one, with what its cases prove.
std::string line_of_right(const std::vector<std::string>& targets, const campaign::CampaignResult& result) {
  constexpr size_t kMostNamed = 12;
  if (targets.empty()) return "";
  if (targets.size() > 1) {
    const size_t shown = std::min(targets.size(), kMostNamed);
    return wrapped(fmt::format("nothing wrong found in {} targets: {}{}", targets.size(),
                               fmt::join(targets.begin(), targets.begin() + static_cast<std::ptrdiff_t>(shown), ", "),
                               shown < targets.size() ? fmt::format(" and {} more", targets.size() - shown) : ""),
                   2);
  }
  const campaign::Standing& standing = result.standings.at(targets.front());
  return wrapped(fmt::format("{}: nothing wrong found in {} judged cases; of such cases, below 1 in {} fails (95 %)",
                             printable(targets.front(), 40), with_commas(standing.judged),
                             with_commas(static_cast<uint64_t>(1 / standing.unseen_failures()))),
                 2);
}

std::string lines_of_targets(const campaign::CampaignResult& result, const std::vector<FoundCause>& causes,
                             const FuzzOptions& options) {
  std::string text;
  std::vector<std::string> right;
  for (const workers::RosterEntry& entry : result.roster) {
    const auto standing = result.standings.find(entry.name);
    if (standing == result.standings.end()) continue;
    const auto is_wrong = [&](const FoundCause& one) { return is_of(one, entry.name) && !is_on_illegal(one); };
    if (std::ranges::any_of(causes, is_wrong))
      text += line_of(entry.name, result, causes, options);
    else if (standing->second.judged > 0)
      right.push_back(entry.name);
  }
  return text + line_of_right(right, result);
}

/// A mismatch on illegal problems, which no program should pose, is a note.
std::string note_of_illegal(const FoundCause& one, const FuzzOptions& options) {
  const campaign::Found& found = one.first();
  return wrapped(fmt::format("note: #{} {} computes problems that are not legal, {} of them, and should refuse them; "
                             "--illegal 0 leaves them out",
                             found.id, printable(found.example.suspect, 40), with_commas(one.hits())),
                 kIndent) +
         fmt::format("{:{}}{}\n", "", kIndent, command_of(found.example, found.id, options));
}

std::string replayed_text(const campaign::CampaignResult& result, const FuzzOptions& options) {
  std::string text;
  for (const campaign::Replayed* one : result.still_failing())
    text += wrapped(fmt::format("  #{} {}: {}, {}, still fails. An earlier campaign found it; it was replayed.",
                                one->id, printable(one->mismatch.suspect, 40), name_of(one->mismatch.verdict),
                                one->status),
                    kIndent) +
            fmt::format("{:{}}{}\n", "", kIndent, command_of(one->mismatch, one->id, options));
  for (const campaign::Replayed& one : result.replayed) {
    if (!one.fails() && !result.found.contains(one.id))
      text += wrapped(fmt::format("  #{} {}: {}, not seen any more: gone since {}", one.id,
                                  printable(one.mismatch.suspect, 40), name_of(one.mismatch.verdict),
                                  printable(one.gone, 200)),
                      kIndent);
  }
  return text;
}

/// One line for the known causes of oracles.
std::string line_of_others(const std::vector<const FoundCause*>& causes) {
  uint64_t hits = 0;
  std::vector<std::string> names;
  for (const FoundCause* one : causes) {
    hits += one->hits();
    const std::string& name = one->first().example.suspect;
    if (std::ranges::find(names, name) == names.end()) names.push_back(name);
  }
  return causes.empty() ? ""
                        : wrapped(fmt::format("known causes of others: {}, {} of {}; -v shows them", causes.size(),
                                              hits_of(hits), fmt::join(names, ", ")),
                                  2);
}

}  // namespace

uint64_t FoundCause::hits() const {
  return std::accumulate(rows.begin(), rows.end(), uint64_t{0},
                         [](uint64_t sum, const campaign::Found* row) { return sum + row->hits; });
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

std::vector<const campaign::Found*> sorted_rows(const campaign::CampaignResult& result) {
  std::vector<const campaign::Found*> list;
  for (const auto& [id, found] : result.found) list.push_back(&found);
  std::ranges::sort(list, {}, [](const campaign::Found* found) {
    return std::tuple(found->is_known(), found->example.blame != Blame::kTarget,
                      reading_order(found->example.verdict), found->shows_if.empty(), found->example.verdict,
                      to_text(found->example.problem_case).size(), found->signature, found->id);
  });
  return list;
}

std::vector<FoundCause> found_causes(const campaign::CampaignResult& result) {
  std::vector<FoundCause> causes;
  for (const campaign::Found* row : sorted_rows(result)) {
    const auto known = row->cause ? result.causes.find(*row->cause) : result.causes.end();
    const store::CauseRow* cause = known == result.causes.end() ? nullptr : &known->second;
    const auto same = std::ranges::find_if(causes, [&](const FoundCause& one) { return cause && one.cause == cause; });
    if (same == causes.end())
      causes.push_back({cause, {row}});
    else
      same->rows.push_back(row);
  }
  std::ranges::stable_sort(causes, {}, [](const FoundCause& one) {
    const campaign::Found& first = one.first();
    return std::tuple(first.is_known(), first.example.blame != Blame::kTarget, reading_order(first.example.verdict),
                      std::numeric_limits<uint64_t>::max() - one.hits());
  });
  return causes;
}

std::string verdict_text(const campaign::CampaignResult& result, const FuzzOptions& options) {
  const std::vector<FoundCause> causes = found_causes(result);
  std::string text = lines_of_targets(result, causes, options), notes;
  std::vector<const FoundCause*> others;
  for (const FoundCause& one : causes) {
    const bool is_others = one.first().is_known() && one.first().example.blame != Blame::kTarget;
    if (is_others && !options.out.verbose)
      others.push_back(&one);
    else if (is_on_illegal(one) && !one.is_known() && one.rows.size() == 1)
      notes += note_of_illegal(one, options);
    else
      text += cause_text(one, options);
  }
  return text + replayed_text(result, options) + notes + line_of_others(others);
}

}  // namespace convict::cli
