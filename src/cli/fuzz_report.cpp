// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <nlohmann/json.hpp>
#include <numeric>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "campaign/result.h"
#include "cli/fuzz_options.h"
#include "cli/mismatch_text.h"
#include "core/case_text.h"
#include "core/json_text.h"
#include "core/plain_words.h"
#include "core/text.h"
#include "generate/profile.h"
#include "report/repro_command.h"
#include "reports/shared/certificate_text.h"

namespace convict::cli {
namespace {

using nlohmann::json;

/// A cause, and its rows in the order of sorted_rows().
struct FoundCause {
  const store::CauseRow* cause = nullptr;  // nullptr for a row that was never joined with others
  std::vector<const campaign::Found*> rows = {};

  bool is_known() const { return cause && !cause->name.empty(); }
  const campaign::Found& first() const { return *rows.front(); }
  uint64_t hits() const {
    return std::accumulate(rows.begin(), rows.end(), uint64_t{0},
                           [](uint64_t sum, const campaign::Found* row) { return sum + row->hits; });
  }
  /// Those that it is found in, in the order of their rows.
  std::vector<std::string> suspects() const {
    std::vector<std::string> names;
    for (const campaign::Found* row : rows)
      if (std::ranges::find(names, row->example.suspect) == names.end()) names.push_back(row->example.suspect);
    return names;
  }
};

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

/// The same on a line of its own.
std::string command_line_of(const Mismatch& mismatch, int64_t id, const FuzzOptions& options) {
  return fmt::format("{:{}}{}\n", "", kIndent, command_of(mismatch, id, options));
}

/// `text` in lines of at most 80 columns, broken at blanks, of which all but the first are indented.
std::string wrapped(std::string text, size_t indent) {
  for (size_t begin = 0; text.size() - begin > kWidth;) {
    const size_t at = text.rfind(' ', begin + kWidth);
    if (at == std::string::npos || at < begin + indent + 1) break;  // one long word
    text.replace(at, 1, "\n" + std::string(indent, ' '));
    begin = at + 1;
  }
  return text + "\n";
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
  return text + command_line_of(m, found.id, options);
}

/// The first line of one mismatch, with the hits of all that it stands for.
std::string head_of(const campaign::Found& found, uint64_t hits, const FuzzOptions& options) {
  const Mismatch& m = found.example;
  std::string blame = m.blame == Blame::kTarget ? "" : fmt::format(", blame: {}", name_of(m.blame));
  const std::string head = fmt::format("  #{} {}: {}, {}, {}{}", found.id, printable(m.suspect, 40), name_of(m.verdict),
                                       status_of(found), counted(hits, "hit"), blame);
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
  if (more > 0 && !options.out.verbose) {
    const std::vector<std::string> all = one.suspects();
    const std::string others = fmt::format("{}", fmt::join(all.begin() + 1, all.end(), ", "));
    text += remark(fmt::format("and {} more mismatch{} of this cause{}{}; `convict show cause {}` lists them", more,
                               more == 1 ? "" : "es", others.empty() ? "" : ", also in ", printable(others, 200),
                               one.cause->id));
  }
  for (size_t i = 1; i < one.rows.size() && options.out.verbose; ++i)
    text += head_of(*one.rows[i], one.rows[i]->hits, options) + remarks(*one.rows[i], options);
  return text;
}

bool is_on_illegal(const campaign::Found& row) { return row.example.verdict == Verdict::kAcceptsInvalid; }

/// Whether a target has the cause on legal problems. Implementations of a library share causes.
bool is_wrong_with(const FoundCause& one, std::string_view target) {
  return std::ranges::any_of(one.rows, [&](const campaign::Found* row) {
    return row->example.suspect == target && !is_on_illegal(*row);
  });
}

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
      return is_wrong_with(one, target) && one.first().is_known() == known;
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
    if (std::ranges::any_of(causes, [&](const FoundCause& one) { return is_wrong_with(one, entry.name); }))
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
         command_line_of(found.example, found.id, options);
}

std::string replayed_text(const campaign::CampaignResult& result, const FuzzOptions& options) {
  std::string text;
  for (const campaign::Replayed* one : result.still_failing())
    text += wrapped(fmt::format("  #{} {}: {}, {}, still fails. An earlier campaign found it; it was replayed.",
                                one->id, printable(one->mismatch.suspect, 40), name_of(one->mismatch.verdict),
                                one->status),
                    kIndent) +
            command_line_of(one->mismatch, one->id, options);
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
    for (const std::string& name : one->suspects())
      if (std::ranges::find(names, name) == names.end()) names.push_back(name);
  }
  return causes.empty() ? ""
                        : wrapped(fmt::format("known causes of others: {}, {} of {}; -v shows them", causes.size(),
                                              counted(hits, "hit"), fmt::join(names, ", ")),
                                  2);
}

/// What is unknown first; then targets before oracles; then in the order in which people want to read of verdicts; then
/// by signature.
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

/// In the order of their first rows.
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

/// A line of each target, or of all that nothing is wrong with; then causes of the targets, what was replayed, and a
/// line for all causes of others. With --verbose, every mismatch of every cause.
std::string verdict_text(const campaign::CampaignResult& result, const FuzzOptions& options) {
  const std::vector<FoundCause> causes = found_causes(result);
  std::string text = lines_of_targets(result, causes, options), notes;
  std::vector<const FoundCause*> others;
  for (const FoundCause& one : causes) {
    const bool is_others = one.first().is_known() && one.first().example.blame != Blame::kTarget;
    if (is_others && !options.out.verbose)
      others.push_back(&one);
    else if (is_on_illegal(one.first()) && !one.is_known() && one.rows.size() == 1)
      notes += note_of_illegal(one, options);
    else
      text += cause_text(one, options);
  }
  return text + replayed_text(result, options) + notes + line_of_others(others);
}

/// "judged by the exact reference           233   77.7 %".
std::string count_line(std::string_view what, uint64_t count, std::string_view remark = "") {
  return wrapped(fmt::format("{:<32}{:>12}{}{}", what, with_commas(count), remark.empty() ? "" : "  ", remark), 46);
}

std::string percent(double share) { return fmt::format("{:>5.1f} %", 100 * share); }

std::string share(uint64_t part, uint64_t all) {
  return percent(static_cast<double>(part) / static_cast<double>(std::max<uint64_t>(all, 1)));
}

std::string counter_lines(const campaign::CampaignResult& result) {
  const bool has_oracles = !std::ranges::all_of(result.roster, &workers::RosterEntry::is_target);
  std::string text;
  for (const CounterRow& row : kCounters) {
    const uint64_t count = result.counts[row.counter], cases = result.counts[Counter::kCases];
    switch (row.line) {
      case CounterLine::kNone: break;
      case CounterLine::kNoteIfAny: text += count > 0 ? count_line(row.label, count, row.note) : ""; break;
      case CounterLine::kNote: text += count_line(row.label, count, row.note); break;
      case CounterLine::kShareWithOracles:
        text += has_oracles ? count_line(row.label, count, share(count, cases)) : "";
        break;
      case CounterLine::kShare: text += count_line(row.label, count, share(count, cases)); break;
    }
  }
  return text;
}

/// What can be said of one target: a bound where nothing failed, and nothing where nothing was judged.
std::string failures_of(const campaign::Standing& standing, uint64_t hits) {
  if (hits > 0) return with_commas(hits) + " mismatches";
  if (standing.judged == 0) return "INCONCLUSIVE";
  return fmt::format("below 1 in {}", with_commas(static_cast<uint64_t>(1 / standing.unseen_failures())));
}

std::string targets_table(const campaign::CampaignResult& result) {
  constexpr const char* kRow = "{:<20} {:>13} {:>8} {:>18}  {}\n";
  std::string text = fmt::format(kRow, "target", "judged", "share", "pairs of features", "failing (95 %)");
  for (const workers::RosterEntry& entry : result.roster) {
    const auto found = result.standings.find(entry.name);
    if (found == result.standings.end()) continue;
    const campaign::Standing& one = found->second;
    const uint32_t seen = one.pairs.seen_pairs(), all = one.pairs_in_domain();
    text += fmt::format(kRow, printable(entry.name, 20), with_commas(one.judged), percent(one.share),
                        fmt::format("{} of {}", with_commas(seen), with_commas(all)),
                        failures_of(one, result.hits_of(entry.name)));
  }
  return text;
}

/// What a target never accepted, and what it was hardly judged on. Of many targets, only how much that is.
std::string levels_lines(const campaign::CampaignResult& result, bool all) {
  constexpr size_t kFew = 3;
  std::string text, numbers;
  for (const auto& [name, one] : result.standings) {
    if (one.judged == 0) continue;
    const auto [never, hardly] = one.gaps();
    if (!all && result.standings.size() > kFew) {
      if (!never.empty())
        numbers += fmt::format("{}{} {}", numbers.empty() ? "" : ", ", printable(name, 20), never.size());
      continue;
    }
    if (!never.empty())
      text += wrapped(fmt::format("never accepted by {}: {}", printable(name, 40), generate::in_words(never)), 2);
    if (!hardly.empty())
      text += wrapped(fmt::format("judged on fewer than {} cases of {}: {}", generate::kHardly, printable(name, 40),
                                  generate::in_words(hardly)),
                      2);
  }
  if (!numbers.empty()) text += wrapped("levels never accepted, which -v names: " + numbers, 2);
  return text;
}

/// Why a target was judged on too little.
std::string why_inconclusive(const campaign::Standing& standing, uint64_t enough, const FuzzOptions& options) {
  const generate::Survey& survey = standing.survey;
  if (!survey.is_empty() || survey.asked == 0)
    return standing.judged == 0 ? ""
                                : fmt::format("; {} are enough for a verdict (--min-judged)", with_commas(enough));
  std::string why = "; it accepted no case that it was asked about";
  if (!options.where.empty()) why += ", of those that --where leaves";
  if (options.profile != generate::kDefaultProfile)
    why += fmt::format(", of the profile {} (without --profile, all kinds are tried)", options.profile);
  if (!survey.blocked_by.empty())
    why += "; what blocks is probably: " + printable(survey.blocked_by, 200);
  return why;
}

/// Why nothing can be said of some targets, and what to do.
std::string inconclusive_lines(const campaign::CampaignResult& result, const FuzzOptions& options) {
  std::string text;
  for (const std::string& name : result.inconclusive(enough_of(options))) {
    const campaign::Standing& standing = result.standings.at(name);
    text += wrapped(fmt::format("INCONCLUSIVE {}: judged on {} of {} cases{}", printable(name),
                                with_commas(standing.judged), with_commas(result.counts[Counter::kCases]),
                                why_inconclusive(standing, enough_of(options).of(standing), options)),
                    2);
  }
  return text;
}

/// Counts, not shares: what a profile can reach takes a while to find out, and `convict report` does.
std::string coverage_lines(const campaign::CampaignResult& result, const FuzzOptions& options) {
  const Coverage& coverage = result.coverage;
  if (coverage.cases() == 0) return "";
  constexpr uint64_t kNext = 1000;  // cases; fewer say nothing of as many more
  const double left = tuple_count() - coverage.seen(), at_this_rate = kNext * coverage.expected_unseen();
  std::string text = fmt::format("profile {}, all its campaigns: {} pairs and {} triples of features seen in {} legal "
                                 "cases judged",
                                 options.profile, with_commas(coverage.seen_pairs()),
                                 with_commas(coverage.seen() - coverage.seen_pairs()), with_commas(coverage.cases()));
  if (coverage.cases() >= kNext)
    text += fmt::format("; next {} cases: at most about {} new combinations", with_commas(kNext),
                        with_commas(static_cast<uint64_t>(std::min(left, at_this_rate))));
  return wrapped(std::move(text), 2);
}

std::string implementations_table(const campaign::CampaignResult& result) {
  constexpr const char* kRow = "{:<28}  {:<6}  {:<14}{:>14}{:>14}\n";
  std::string text = fmt::format(kRow, "implementation", "role", "version", "computed", "refused");
  for (size_t i = 0; i < result.roster.size(); ++i) {
    const workers::RosterEntry& entry = result.roster[i];
    text += fmt::format(kRow, printable(entry.name, 25), entry.is_target ? "target" : "oracle",
                        printable(entry.version, 11), with_commas(result.counts.computed[i]),
                        with_commas(result.counts.refused[i]));
  }
  return text;
}

std::string refusals_table(const campaign::CampaignResult& result, bool all) {
  std::vector<std::pair<uint64_t, std::string>> rows;
  for (const auto& [key, count] : result.refusals)
    rows.emplace_back(count, fmt::format("{}: {}", key.first, key.second));
  std::ranges::sort(rows, std::greater());
  const size_t shown = all ? rows.size() : std::min<size_t>(rows.size(), 8);
  std::string text = rows.empty() ? "" : "\n     refused\n";
  for (size_t i = 0; i < shown; ++i)
    text += wrapped(fmt::format("{:>12}  {}", with_commas(rows[i].first), rows[i].second), 14);
  if (shown < rows.size())
    text += fmt::format("              and {} more reasons (-v shows them)\n", rows.size() - shown);
  return text;
}

/// Where the time of the workers went.
std::string stages_table(const campaign::CampaignResult& result) {
  constexpr const char* kRow = "{:<28}{:>10}{:>9}{:>14}\n";
  const workers::Counts& counts = result.counts;
  const double all = std::accumulate(counts.stage_seconds.begin(), counts.stage_seconds.end(), 0.0);
  const auto cases = static_cast<double>(std::max<uint64_t>(counts[Counter::kCases], 1));
  if (all == 0) return "";
  const auto row = [&](std::string_view what, double seconds) {
    return fmt::format(kRow, printable(what, 26), fmt::format("{:.2f} s", seconds), percent(seconds / all),
                       fmt::format("{:.1f} us", 1e6 * seconds / cases));
  };
  std::string text = "\n" + fmt::format(kRow, "time of the workers", "in all", "share", "for each case");
  for (const StageRow& stage : kStages) {
    text += row(stage.label, counts.stage_seconds[static_cast<size_t>(stage.stage)]);
    for (size_t i = 0; stage.stage == Stage::kCall && i < result.roster.size(); ++i)
      text += row("  of " + result.roster[i].name, counts.call_seconds[i]);
  }
  return text;
}

json targets_as_json(const campaign::CampaignResult& result, const FuzzOptions& options) {
  const auto inconclusive = result.inconclusive(enough_of(options));
  json list = json::array();
  for (const auto& [name, one] : result.standings) {
    const generate::Gaps gaps = one.gaps();
    list.push_back({{"name", name},
                    {"judged", one.judged},
                    {"share", one.share},
                    {"hits", result.hits_of(name)},
                    {"unseen_failures_95", one.unseen_failures()},
                    {"pairs", one.pairs.seen_pairs()},
                    {"pairs_in_domain", one.pairs_in_domain()},
                    {"expected_unseen_next_case", one.pairs.expected_unseen()},
                    {"never_accepted", generate::by_feature(gaps.never)},
                    {"hardly_judged", generate::by_feature(gaps.hardly)},
                    {"blocked_by", one.survey.blocked_by},
                    {"inconclusive", std::ranges::find(inconclusive, name) != inconclusive.end()}});
  }
  return list;
}

json causes_as_json(const campaign::CampaignResult& result) {
  json list = json::array();
  for (const FoundCause& one : found_causes(result)) {
    json ids = json::array();
    for (const campaign::Found* row : one.rows) ids.push_back(row->id);
    list.push_back({{"id", one.cause ? json(one.cause->id) : json(nullptr)},
                    {"name", one.is_known() ? json(one.cause->name) : json(nullptr)},
                    {"title", one.cause ? json(one.cause->title) : json(nullptr)},
                    {"suspect", one.first().example.suspect},
                    {"suspects", one.suspects()},
                    {"blame", name_of(one.first().example.blame)},
                    {"novelty", name_of(one.first().novelty())},
                    {"hits", one.hits()},
                    {"mismatches", std::move(ids)}});
  }
  return list;
}

json replayed_as_json(const campaign::CampaignResult& result) {
  json list = json::array();
  for (const campaign::Replayed& one : result.replayed)
    list.push_back({{"id", one.id}, {"suspect", one.mismatch.suspect}, {"fails", one.fails()}, {"gone", one.gone}});
  return list;
}

}  // namespace

campaign::Enough enough_of(const FuzzOptions& options) { return {options.min_judged, options.cases}; }

std::string fuzz_as_text(const campaign::CampaignResult& result, const FuzzOptions& options) {
  const uint64_t cases = result.counts[Counter::kCases];
  std::string text = verdict_text(result, options) + inconclusive_lines(result, options);
  if (result.reference_is_wrong)
    text += wrapped(
        "the exact reference itself was contradicted by all others: the campaign stopped; please report this case", 2);
  text += fmt::format("\ncampaign {} of {}\n", result.id, options.database);
  text +=
      wrapped(fmt::format("{} cases in {:.1f} s, {}/s; seed {}, profile {}{}", with_commas(cases), result.seconds,
                          with_commas(static_cast<uint64_t>(cases / std::max(result.seconds, 1e-3))), options.seed,
                          options.profile, result.interrupted ? "; interrupted" : ""),
              2);
  for (const std::string& note : result.notes) text += wrapped("note: " + note, 6);
  text += "\n" + counter_lines(result) + coverage_lines(result, options);
  if (!result.roster.empty())
    text += "\n" + targets_table(result) + levels_lines(result, options.out.verbose) + "\n" +
            implementations_table(result) + refusals_table(result, options.out.verbose) +
            (options.out.verbose ? stages_table(result) : "");
  if (result.id != 0)
    text += "\n" + wrapped(fmt::format("kept in {}; `convict list mismatches` and `convict report` read it",
                                       printable(options.database, 200)),
                           2);
  return text;
}

std::string fuzz_as_json(const campaign::CampaignResult& result, const FuzzOptions& options) {
  const workers::Counts& counts = result.counts;
  json document = {{"seed", options.seed},         {"profile", options.profile},
                   {"seconds", result.seconds},    {"interrupted", result.interrupted},
                   {"database", options.database}, {"campaign", result.id},
                   {"notes", result.notes}};
  for (const CounterRow& row : kCounters) document[row.key] = counts[row.counter];
  document["coverage"] = {{"pairs", result.coverage.seen_pairs()},
                          {"triples", result.coverage.seen() - result.coverage.seen_pairs()},
                          {"expected_unseen_next_case", result.coverage.expected_unseen()},
                          {"cases", result.coverage.cases()}};
  for (size_t i = 0; i < result.roster.size(); ++i) {
    const workers::RosterEntry& entry = result.roster[i];
    document["implementations"].push_back({{"name", entry.name},
                                           {"target", entry.is_target},
                                           {"version", entry.version},
                                           {"computed", counts.computed[i]},
                                           {"refused", counts.refused[i]},
                                           {"call_seconds", counts.call_seconds[i]}});
  }
  for (const StageRow& stage : kStages)
    document["stages"][stage.key] = counts.stage_seconds[static_cast<size_t>(stage.stage)];
  document["targets"] = targets_as_json(result, options);
  document["refusals"] = json::array();
  for (const auto& [key, count] : result.refusals)
    document["refusals"].push_back({{"implementation", key.first}, {"reason", key.second}, {"count", count}});
  document["causes"] = causes_as_json(result);
  document["replayed"] = replayed_as_json(result);
  document["mismatches"] = json::array();
  for (const campaign::Found* found : sorted_rows(result)) {
    json row = to_json(found->example);
    row["id"] = found->id;
    row["hits"] = found->hits;
    row["status"] = found->status;
    row["signature"] = found->signature;
    row["cause"] = found->cause ? json(*found->cause) : json(nullptr);
    row["predicate"] = found->predicate;
    row["fails_if"] = found->shows_if;
    row["place"] = place_in_words(found->example.certificate.errors.geography.value_or(""));
    row["repro"] = report::repro_command(found->example, options.run.plugins);
    document["mismatches"].push_back(std::move(row));
  }
  return json_document(document);
}

}  // namespace convict::cli
