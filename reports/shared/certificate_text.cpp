// SPDX-License-Identifier: Apache-2.0
#include "reports/shared/certificate_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "core/json_text.h"
#include "core/plain_words.h"
#include "core/text.h"

namespace convict::reports {

std::string_view meaning_of(Verdict verdict) {
  switch (verdict) {
    case Verdict::kCrash: return "The process died while the implementation ran.";
    case Verdict::kHang: return "A call took longer than its time limit.";
    case Verdict::kOom: return "A call took more memory than its limit.";
    case Verdict::kShape: return "It computes an output of other extents than the specification.";
    case Verdict::kAcceptsInvalid: return "It took a problem that is not legal for a legal one.";
    case Verdict::kRefusesValid: return "It accepted a legal problem and then failed.";
    case Verdict::kOutOfBounds: return "It touched memory beside a tensor, or wrote between the elements of a view.";
    case Verdict::kInputWritten: return "It wrote to an input.";
    case Verdict::kOutputUnwritten: return "It left elements of an output as they were.";
    case Verdict::kNondeterministic: return "It declares the same bits for the same call, and gave others.";
    case Verdict::kWrongExact: return "On data whose every partial sum is exact in any order, a result differs.";
    case Verdict::kWrongProven: return "An error exceeds the proven bound of the declared numeric contract.";
    case Verdict::kSpecialValues:
      return "NaN, an infinity or the sign of a zero is not what IEEE arithmetic makes of the terms.";
    case Verdict::kWrongRelation:
      return "Two of its own results that a metamorphic relation ties together contradict each other.";
    case Verdict::kWrongRounding: return "Each wrong element is the exact result, rounded to its other neighbour.";
    case Verdict::kContract:
      return "All that is wrong is explained by a weaker numeric contract than the declared one.";
    case Verdict::kWrongStatistical:
      return "An error that rounding hardly ever makes, at the same place on redrawn data.";
    case Verdict::kLessAccurate: return "Inside its bound, but far less accurate than the witnesses.";
    case Verdict::kSideEffect: return "It changed what others depend on, or wrote to memory after it had returned.";
  }
  return "";
}

namespace {

constexpr size_t kLongest = 1000;
constexpr size_t kMostLines = 20;  // of earlier cases; the JSON form has all

std::string plain(const std::string& text) { return printable(text, kLongest); }
std::string plain(Bound bound) { return std::string(name_of(bound)); }

/// As it is in JSON, a word without quotes.
template <class T>
std::string plain(const T& value) {
  const nlohmann::json form = value;
  return printable(form.is_string() ? form.get<std::string>() : json_line(form), kLongest);
}

template <class T>
std::string shown(const std::optional<T>& field) {
  return field ? plain(*field) : "?";
}

/// An exception of Python is named at the very end.
std::string last_words(const std::string& tail) {
  constexpr size_t kMost = 400;
  const std::string_view words = trim(tail);
  return words.size() <= kMost ? printable(words, kMost) : "..." + printable(words.substr(words.size() - kMost), kMost);
}

template <class T>
std::string line(std::string_view name, const std::optional<T>& field) {
  return field ? fmt::format("    {}: {}\n", name, plain(*field)) : "";
}

/// What came of repeating the accusation, and what a repetition needs. `is_said`: the evidence of a death says it.
std::string describe_alone(const Certificate::Alone& alone, bool is_said) {
  const auto lines = [&](const std::vector<std::string>& before) {
    std::string text = fmt::format("    alone: fails after {} earlier case{}, run first in the same process\n",
                                   before.size(), before.size() == 1 ? "" : "s");
    for (size_t i = before.size() - std::min(before.size(), kMostLines); i < before.size(); ++i)
      text += fmt::format("      {}\n", printable(before[i], kLongest));
    return text;
  };
  if (alone.seen)
    return fmt::format("    not reproduced: seen of {}, but it did not come back when {} ran alone\n",
                       plain(*alone.seen), plain(*alone.seen));
  if (alone.before && !alone.before->empty()) return lines(*alone.before);
  const bool seen_of_processes = alone.runs && alone.failed && *alone.runs > 1;
  if (alone.times && alone.calls && alone.failing == 0 && seen_of_processes)
    return fmt::format(
        "    alone: fails {} of {} times, each in a fresh process, and in none of {} calls of one; if it is as rare\n"
        "      as that, {} calls show it in 99 of 100 tries\n",
        *alone.failed, *alone.runs, with_commas(*alone.calls), with_commas(*alone.times));
  if (alone.times && alone.calls && alone.failing)
    return fmt::format("    alone: fails in {} of {} calls of one process; {} calls show it in 99 of 100 tries\n",
                       with_commas(*alone.failing), with_commas(*alone.calls), with_commas(*alone.times));
  if (alone.times) return fmt::format("    alone: fails when one process repeats the case {} times\n", *alone.times);
  if (!alone.runs || !alone.failed || *alone.runs == 0 || is_said) return "";
  return *alone.runs == 1
             ? "    alone: fails in a fresh process as well\n"
             : fmt::format("    alone: fails {} of {} times, each in a fresh process\n", *alone.failed, *alone.runs);
}

std::string describe_element(const Certificate::Element& e) {
  std::string text =
      fmt::format("    {}{} is {} ({}), exact is {} ({}){}\n", shown(e.role), shown(e.at), shown(e.got),
                  shown(e.got_hex), shown(e.exact), shown(e.exact_hex), e.right ? ", right is " + shown(e.right) : "");
  return text + fmt::format("    n = {} terms, S = {}, allowed error {} ({})\n", shown(e.terms), shown(e.magnitude),
                            shown(e.bound), shown(e.bound_name));
}

}  // namespace

std::string describe_certificate(const Certificate& c) {
  std::string text;
  if (c.element.exact)
    text += describe_element(c.element) + fmt::format("    {} wrong and {} unwritten of {} elements\n",
                                                      shown(c.errors.wrong), shown(c.errors.unwritten),
                                                      shown(c.errors.elements));
  if (c.relation.name)
    text += fmt::format("    relation {}: {} is {}, expected {}\n", shown(c.relation.name), shown(c.element.at),
                        shown(c.element.got), shown(c.relation.expected));
  if (c.errors.geography) text += fmt::format("    wrong: {}\n", plain(place_in_words(*c.errors.geography)));
  text += line("explained_by", c.explained_by) + line("read", c.read) +
          line("text", c.text) + line("overrun", c.overrun) + line("signal", c.death.signal) +
          line("exit_code", c.death.exit_code) + line("address_class", c.death.address_class) +
          line("evidence", c.death.evidence) + describe_alone(c.alone, c.death.evidence.has_value());
  if (!c.element.exact) text += line("operand", c.element.role);
  if (c.death.output_tail) text += "    last words: " + last_words(*c.death.output_tail) + "\n";
  return text;
}

std::string certificate_in_a_line(const Certificate& c) {
  const Certificate::Element& e = c.element;
  if (e.exact)
    return fmt::format("{}{} is {}, right is {}", shown(e.role), shown(e.at), shown(e.got),
                       shown(e.right ? e.right : e.exact));
  if (c.relation.name)
    return fmt::format("relation {}: {} is {}, expected {}", shown(c.relation.name), shown(e.at), shown(e.got),
                       shown(c.relation.expected));
  if (c.death.signal)
    return fmt::format("died of {}{}", shown(c.death.signal),
                       c.death.address_class ? ", address: " + shown(c.death.address_class) : "");
  if (c.overrun) return plain(*c.overrun);
  return c.text ? plain(*c.text) : "";
}

std::string describe_certificate(const nlohmann::json& document) {
  return describe_certificate(certificate_in(document));
}

}  // namespace convict::reports
