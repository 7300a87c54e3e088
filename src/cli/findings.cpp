// SPDX-License-Identifier: Apache-2.0
#include "cli/findings.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "cli/describe.h"
#include "core/text.h"

namespace convict {
namespace {

constexpr size_t kLongest = 4096;

/// Text in a paragraph: each character that means something to Markdown or HTML is escaped.
std::string prose(std::string_view text, size_t limit = kLongest) {
  std::string result;
  for (const char c : printable(trim(text), limit)) {
    if (std::string_view("\\`*_{}[]()<>#|~!&$").find(c) != std::string_view::npos) result += '\\';
    result += c;
  }
  return result;
}

/// Lines of a note become paragraphs; what would begin a list or a heading does not begin one.
std::string paragraphs(const std::string& text) {
  std::string result;
  for (const std::string_view line : split(text, '\n')) {
    std::string one = prose(line);
    if (one.empty()) continue;
    const size_t first = one.find_first_not_of("0123456789");
    if (first != std::string::npos && std::string_view("-+=.").find(one[first]) != std::string_view::npos)
      one.insert(first, "\\");
    result += "\n" + one + "\n";
  }
  return result;
}

/// A code block of lines that are printable; indented lines cannot end it.
std::string code_block(const std::string& lines) { return "```\n" + lines + "```\n"; }

/// One line, without the character that ends it.
std::string code_span(const std::string& text) {
  std::string one = printable(text, kLongest);
  std::ranges::replace(one, '`', '\'');
  return "`" + one + "`";
}

std::string link_text(const std::string& link) {
  const bool plain = std::ranges::all_of(link, [](char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
           std::string_view("-._~:/?#@!$&'*+,;=%").find(c) != std::string_view::npos;
  });
  return plain && link.starts_with("https://") ? "<" + link + ">" : prose(link);
}

/// Of the suspect, in the campaigns that saw it.
std::string versions_of(const MismatchRow& row, const std::vector<Sighting>& sightings) {
  std::set<std::string> versions;
  for (const Sighting& one : sightings)
    if (one.libraries.contains(row.suspect) && one.libraries[row.suspect].is_string())
      versions.insert(prose(one.libraries[row.suspect].get<std::string>(), 80));
  return versions.empty() ? "" : fmt::format(" {}", fmt::join(versions, ", "));
}

std::string repro_lines(const MismatchRow& row) {
  std::string text =
      fmt::format("$ convict repro --{} {} '{}'\n", row.blame == name_of(Blame::kOracle) ? "oracle" : "target",
                  printable(row.suspect), printable(row.best_text(), kLongest));
  return code_block(text + describe_certificate(row.best_certificate()));
}

std::string section(const MismatchRow& row, const std::vector<Sighting>& sightings, int number) {
  std::string text = fmt::format("\n## {}. {}{}: {}\n", number, prose(row.suspect, 80), versions_of(row, sightings),
                                 prose(row.verdict, 80));
  text += fmt::format("Operation {}, {}.", code_span(row.operation), row.shrunk_text ? "shrunk" : "not shrunk");
  if (row.is_explained())
    text += row.predicate.empty() ? " On which cases it shows is not known."
                                  : fmt::format(" It shows if {}.", code_span(row.predicate));
  if (!row.geography.empty()) text += fmt::format(" Where: {}.", prose(row.geography));
  text += "\n" + repro_lines(row);
  text += fmt::format("Status: {}{}{}. Seen {} times, from {} to {}.\n", prose(row.status_text()),
                      row.link.empty() ? "" : ", ", row.link.empty() ? "" : link_text(row.link), row.hits,
                      prose(row.first_seen), prose(row.last_seen));
  return text + paragraphs(row.note);
}

}  // namespace

std::string findings_page(const Store& store, const std::string& suspect) {
  std::string text =
      "# Findings\n\n"
      "What campaigns have found in the libraries that convict is compared with, from their database: "
      "`convict report --format findings`.\n";
  int number = 0;
  for (const MismatchRow& row : store.mismatches({.suspect = suspect}))
    if (!suspect.empty() || row.blame == name_of(Blame::kOracle))
      text += section(row, store.sightings(row.id), ++number);
  return number == 0 ? text + "\nNothing.\n" : text;
}

}  // namespace convict
