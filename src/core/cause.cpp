// SPDX-License-Identifier: Apache-2.0
#include "core/cause.h"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <set>

#include "core/case_text.h"
#include "core/error.h"
#include "core/text.h"

namespace convict::inline core {
namespace {

constexpr std::string_view kAll = "all", kTo = "..";

/// The numbers of "1.13.0+dfsg", up to what is no number.
std::vector<uint64_t> numbers_of(std::string_view version) {
  std::vector<uint64_t> numbers;
  for (const std::string_view part : split(version, '.')) {
    const size_t digits = std::min(part.find_first_not_of("0123456789"), part.size());
    const auto number = parse_unsigned(part.substr(0, digits));
    if (!number) break;
    numbers.push_back(*number);
    if (digits < part.size()) break;
  }
  return numbers;
}

/// Below, at or above zero: a version before, at or behind an end, as far as the end is written.
int compared(const std::vector<uint64_t>& version, std::string_view end) {
  const std::vector<uint64_t> limit = numbers_of(end);
  for (size_t i = 0; i < limit.size(); ++i) {
    const uint64_t number = i < version.size() ? version[i] : 0;
    if (number != limit[i]) return number < limit[i] ? -1 : 1;
  }
  return 0;
}

std::string checked_end(std::string_view end, std::string_view text) {
  const bool numeric = end.find_first_not_of("0123456789.") == std::string_view::npos;
  if (!numeric || numbers_of(end).size() != split(end, '.').size())
    throw UsageError(
        fmt::format("versions '{}': '{}' is no version; valid: all, or ranges such as 2.6, 1.13..2.6, ..3.7",
                    printable(text), printable(end)));
  return std::string(end);
}

constexpr size_t kLargestCauseFile = size_t{4} << 20;  // bytes
constexpr std::string_view kNameLetters = "abcdefghijklmnopqrstuvwxyz0123456789-";

/// Whether a text is what a pattern means, in which * stands for any text.
bool matches(std::string_view pattern, std::string_view text) {
  const size_t star = pattern.find('*');
  if (star == std::string_view::npos) return pattern == text;
  if (!text.starts_with(pattern.substr(0, star))) return false;
  for (size_t skipped = star; skipped <= text.size(); ++skipped)
    if (matches(pattern.substr(star + 1), text.substr(skipped))) return true;
  return false;
}

/// The keys of a block. Those that may come once only are written once.
struct Key {
  std::string_view name;
  bool required, repeated;
  void (*set)(Cause&, std::string_view value);
  std::vector<std::string> (*get)(const Cause&);
};

void set_name(Cause& cause, std::string_view value) {
  if (value.find_first_not_of(kNameLetters) != std::string_view::npos)
    throw UsageError(
        fmt::format("name '{}' is not valid; valid: lower-case letters, digits and hyphens, such as "
                    "onednn-strided-1x1",
                    printable(value)));
  cause.name = value;
}

void set_verdicts(Cause& cause, std::string_view value) {
  for (const std::string_view word : split(value, ' '))
    if (!word.empty()) cause.verdicts.push_back(verdict_named(word));
}

void set_status(Cause& cause, std::string_view value) {
  if (std::ranges::find(kStatuses, value) == kStatuses.end())
    throw UsageError(fmt::format("unknown status '{}'; valid: {}", printable(value), fmt::join(kStatuses, ", ")));
  cause.status = value;
}

void set_share(Cause& cause, std::string_view value) {
  const auto percent = parse_integer(value);
  if (!percent || *percent < 0 || *percent > 100)
    throw UsageError(
        fmt::format("share '{}' is not valid; valid: 0 to 100, in percent of the covered cases", printable(value)));
  cause.share = *percent;
}

std::vector<std::string> verdict_words(const Cause& cause) {
  std::string words;
  for (const Verdict verdict : cause.verdicts) words += fmt::format("{}{}", words.empty() ? "" : " ", name_of(verdict));
  return {words};
}

std::vector<std::string> predicate_lines(const Cause& cause) {
  std::vector<std::string> lines;
  for (const Predicate& one : cause.when) lines.push_back(one.in_words());
  return lines;
}

template <std::string Cause::*Member>
void set_text(Cause& cause, std::string_view value) {
  cause.*Member = value;
}

template <std::string Cause::*Member>
std::vector<std::string> text_of(const Cause& cause) {
  return (cause.*Member).empty() ? std::vector<std::string>() : std::vector{cause.*Member};
}

/// One more line of a text.
template <std::string CauseText::*Member>
void add_line(Cause& cause, std::string_view value) {
  std::string& text = cause.about.*Member;
  text += (text.empty() ? "" : "\n") + std::string(value);
}

template <std::string CauseText::*Member>
std::vector<std::string> lines_of(const Cause& cause) {
  const std::string& text = cause.about.*Member;
  std::vector<std::string> lines;
  if (text.empty()) return lines;
  for (const std::string_view line : split(text, '\n')) lines.emplace_back(line);
  return lines;
}

/// In the order in which they are written; the first begins a block.
constexpr Key kKeys[] = {
    {"cause", true, false, set_name, text_of<&Cause::name>},
    {"title", true, false, set_text<&Cause::title>, text_of<&Cause::title>},
    {"suspect", true, false, set_text<&Cause::suspect>, text_of<&Cause::suspect>},
    {"versions", true, false, [](Cause& cause, std::string_view value) { cause.versions = VersionRange::parse(value); },
     [](const Cause& cause) { return std::vector{cause.versions.text()}; }},
    {"processor", false, false,
     [](Cause& cause, std::string_view value) { cause.processor = ProcessorNeeds::parse(value); },
     [](const Cause& cause) {
       return cause.processor == ProcessorNeeds() ? std::vector<std::string>() : std::vector{cause.processor.text()};
     }},
    {"verdicts", true, false, set_verdicts, verdict_words},
    {"when", true, true, [](Cause& cause, std::string_view value) { cause.when.push_back(Predicate::parse(value)); },
     predicate_lines},
    {"case", true, true,
     [](Cause& cause, std::string_view value) { cause.cases.push_back(to_text(parse_case(value))); },
     [](const Cause& cause) { return cause.cases; }},
    {"share", false, false, set_share,
     [](const Cause& cause) {
       return cause.share == Cause().share ? std::vector<std::string>() : std::vector{std::to_string(cause.share)};
     }},
    {"status", false, false, set_status, text_of<&Cause::status>},
    {"link", false, false, set_text<&Cause::link>, text_of<&Cause::link>},
    {"note", false, true, add_line<&CauseText::note>, lines_of<&CauseText::note>},
    {"source", false, true, add_line<&CauseText::source>, lines_of<&CauseText::source>},
    {"since", false, true, add_line<&CauseText::since>, lines_of<&CauseText::since>},
};

const Key& key_named(std::string_view name) {
  const auto found = std::ranges::find(kKeys, name, &Key::name);
  if (found != std::end(kKeys)) return *found;
  std::vector<std::string> names;
  for (const Key& one : kKeys) names.emplace_back(one.name);
  throw UsageError(
      fmt::format("unknown key '{}'{}; valid: {}", printable(name), suggestion(name, names), fmt::join(names, ", ")));
}

bool holds_somewhere(const Cause& cause, const Case& c) {
  return std::ranges::any_of(cause.when, [&](const Predicate& one) { return one.holds(c); });
}

/// Reads line after line.
class CauseReader {
 public:
  explicit CauseReader(std::string_view origin) : origin_(origin) {}

  void take(std::string_view line, int number) {
    line = trim(line);
    if (line.empty() || line.starts_with('#')) return;
    const size_t end = std::min(line.find(' '), line.size());
    const std::string_view name = line.substr(0, end), value = trim(line.substr(end));
    try {
      const Key& key = key_named(name);
      if (key.name == kKeys[0].name) begin(number);
      if (causes_.empty()) throw UsageError(fmt::format("'{}' stands in no block; valid: 'cause NAME' first", name));
      if (value.empty()) throw UsageError(fmt::format("'{}' has no value", name));
      if (!seen_.insert(key.name).second && !key.repeated) throw UsageError(fmt::format("'{}' is there twice", name));
      key.set(causes_.back(), value);
    } catch (const UsageError& error) {
      throw UsageError(fmt::format("{}:{}: {}", origin_, number, error.what()));
    }
    if (name == kKeys[0].name && !names_.insert(causes_.back().name).second)
      throw UsageError(fmt::format("{}:{}: cause '{}' is there twice", origin_, number, causes_.back().name));
  }

  std::vector<Cause> finish() {
    complete();
    return std::move(causes_);
  }

 private:
  void begin(int number) {
    complete();
    causes_.emplace_back();
    seen_.clear();
    begun_ = number;
  }

  /// Checks the last block.
  void complete() const {
    if (causes_.empty()) return;
    const Cause& cause = causes_.back();
    const auto refuse = [&](const std::string& why) {
      throw UsageError(fmt::format("{}:{}: cause '{}': {}", origin_, begun_, cause.name, why));
    };
    for (const Key& key : kKeys)
      if (key.required && !seen_.contains(key.name)) refuse(fmt::format("'{}' is missing", key.name));
    for (const std::string& line : cause.cases)
      if (!holds_somewhere(cause, parse_case(line))) refuse(fmt::format("no 'when' holds for its case '{}'", line));
  }

  std::string origin_;
  std::vector<Cause> causes_;
  std::set<std::string_view> seen_;  // keys of the last block
  std::set<std::string> names_;
  int begun_ = 0;  // line of the last block
};

}  // namespace

VersionRange VersionRange::parse(std::string_view text) {
  VersionRange range;
  if (trim(text) == kAll) return range;
  for (std::string_view part : split(text, ',')) {
    part = trim(part);
    const size_t to = part.find(kTo);
    if (to == std::string_view::npos) {
      range.parts_.push_back({checked_end(part, text), checked_end(part, text)});
      continue;
    }
    const std::string_view first = part.substr(0, to), last = part.substr(to + kTo.size());
    if (first.empty() && last.empty()) checked_end(part, text);
    range.parts_.push_back(
        {first.empty() ? "" : checked_end(first, text), last.empty() ? "" : checked_end(last, text)});
  }
  return range;
}

bool VersionRange::contains(std::string_view version) const {
  if (parts_.empty()) return true;
  const std::vector<uint64_t> numbers = numbers_of(version);
  return !numbers.empty() && std::ranges::any_of(parts_, [&](const Interval& one) {
    return (one.first.empty() || compared(numbers, one.first) >= 0) &&
           (one.last.empty() || compared(numbers, one.last) <= 0);
  });
}

std::string VersionRange::text() const {
  std::string text;
  for (const Interval& one : parts_) {
    if (!text.empty()) text += ", ";
    text += one.first == one.last ? one.first : fmt::format("{}{}{}", one.first, kTo, one.last);
  }
  return text.empty() ? std::string(kAll) : text;
}

bool Cause::concerns(std::string_view implementation, std::string_view version) const {
  return matches(suspect, implementation) && versions.contains(version);
}

bool Cause::covers(std::string_view of_suspect, std::string_view version, Verdict verdict, const Case& c) const {
  const auto is_listed = [&](Verdict one) { return std::ranges::find(verdicts, one) != verdicts.end(); };
  const bool is_smallest_error =  // that wrong values may have
      verdict == Verdict::kWrongRounding && (is_listed(Verdict::kWrongExact) || is_listed(Verdict::kWrongProven));
  return concerns(of_suspect, version) && (is_listed(verdict) || is_smallest_error) && holds_somewhere(*this, c);
}

Cause Cause::inherited_by(std::string_view implementation) const {
  Cause one = *this;
  one.suspect = implementation;
  one.name += "-in-";
  for (const char letter : implementation) {
    const char small = letter >= 'A' && letter <= 'Z' ? static_cast<char>(letter - 'A' + 'a') : letter;
    one.name += kNameLetters.find(small) == kNameLetters.npos ? '-' : small;
  }
  return one;
}

std::string Cause::text() const {
  std::string text;
  for (const Key& key : kKeys)
    for (const std::string& value : key.get(*this)) text += fmt::format("{} {}\n", key.name, value);
  return text;
}

const Cause* cause_of(std::span<const Cause> causes, const Mismatch& mismatch, std::string_view version) {
  std::vector<Case> called = {mismatch.problem_case};
  const auto& before = mismatch.certificate.alone.before;
  if (mismatch.verdict == Verdict::kCrash && before && before->size() == 1)
    called.push_back(parse_case(before->front()));
  const std::string who = who_was_seen(mismatch);
  const auto found = std::ranges::find_if(causes, [&](const Cause& one) {
    return std::ranges::any_of(called, [&](const Case& c) { return one.covers(who, version, mismatch.verdict, c); });
  });
  return found == causes.end() ? nullptr : &*found;
}

std::vector<Cause> parse_causes(std::string_view text, std::string_view origin) {
  CauseReader reader(origin);
  int number = 0;
  for (const std::string_view line : split(text, '\n')) reader.take(line, ++number);
  return reader.finish();
}

std::vector<std::string> suspects_of(const std::vector<Cause>& causes) {
  std::vector<std::string> suspects;
  std::ranges::transform(causes, std::back_inserter(suspects), &Cause::suspect);
  return suspects;
}

std::vector<Cause> read_causes(const std::string& path) {
  const std::string shown = printable(path, 300);
  std::ifstream file(path, std::ios::binary);
  std::string text;
  char block[4096];
  while (text.size() <= kLargestCauseFile && (file.read(block, sizeof block), file.gcount() > 0))
    text.append(block, static_cast<size_t>(file.gcount()));
  if (!file.is_open() || file.bad())
    throw UsageError(
        fmt::format("causes '{}' cannot be read; valid: a file of blocks that begin with 'cause NAME'", shown));
  if (text.size() > kLargestCauseFile)
    throw UsageError(fmt::format("causes '{}': more than {} bytes; valid: fewer", shown, kLargestCauseFile));
  std::vector<Cause> causes = parse_causes(text, shown);
  if (causes.empty())
    throw UsageError(fmt::format("causes '{}' holds no cause; valid: blocks that begin with 'cause NAME'", shown));
  return causes;
}

const std::vector<Cause>& shipped_causes() {
  static const std::vector<Cause> causes = [] {
    std::vector<Cause> all;
    for (const ShippedFile& file : shipped_cause_files())
      std::ranges::move(parse_causes(file.text, file.name), std::back_inserter(all));
    return all;
  }();
  return causes;
}

}  // namespace convict::inline core
