// SPDX-License-Identifier: Apache-2.0
//
// A cause: one defect of one implementation, in the words of people, with a predicate that says on which cases it
// shows. Files of causes (*.causes) hold one block a cause; docs/causes.md describes them.
#pragma once

#include <array>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/case.h"
#include "core/predicate.h"
#include "core/processor.h"
#include "core/verdict.h"

namespace convict::inline core {

/// Versions of a library: "all", "2.6", "1.13..2.6", "..3.7, 4.1..".
/// Ends are compared as far as they are written: 2.6.3 is in "2.6" and in "..2.6".
class VersionRange {
 public:
  /// Throws UsageError for anything that text() does not print.
  static VersionRange parse(std::string_view text);

  /// A version without numbers is in "all" only.
  bool contains(std::string_view version) const;

  std::string text() const;

  bool operator==(const VersionRange&) const = default;

 private:
  /// Both are included; "" is no end.
  struct Interval {
    std::string first, last;
    bool operator==(const Interval&) const = default;
  };
  std::vector<Interval> parts_;  // none: all versions
};

/// What people have decided about a cause or a mismatch, the most urgent first.
inline constexpr std::array<std::string_view, 5> kStatuses = {"new", "known", "reported", "fixed", "wontfix"};

/// What a mismatch is shown as that did not come back when it was replayed; and all that one may be shown as.
inline constexpr std::string_view kGone = "gone";
inline constexpr std::array<std::string_view, 6> kShownStatuses = {"new",   "known",   "reported",
                                                                   "fixed", "wontfix", kGone};

/// What people are told of a cause, in lines.
struct CauseText {
  std::string note;    // what happens, and to whom
  std::string source;  // where it is in the library's source, and what would be right there
  std::string since;   // the first release that has it, and the last one that was asked

  bool operator==(const CauseText&) const = default;
};

struct Cause {
  std::string name;     // of lower-case letters, digits and hyphens
  std::string title;    // one plain sentence, without its full stop
  std::string suspect;  // a name of an implementation, in which * stands for any text
  VersionRange versions;
  ProcessorNeeds processor = {};  // where its cases show it: libraries choose their code by the processor
  std::vector<Verdict> verdicts;
  std::vector<Predicate> when;     // it shows where one of them holds
  std::vector<std::string> cases;  // lines that show it, the smallest first
  std::string status = "known", link = {};
  CauseText about = {};
  int64_t share = 90;     // the least part of the covered cases that show it, in percent

  /// Whether it is one of this implementation in this version.
  bool concerns(std::string_view implementation, std::string_view version) const;

  /// Whether a mismatch of this kind is this cause's.
  bool covers(std::string_view of_suspect, std::string_view version, Verdict verdict, const Case& c) const;

  /// The same of an implementation that calls the suspect, in the version of the suspect.
  Cause inherited_by(std::string_view implementation) const;

  /// The block in a file.
  std::string text() const;

  bool operator==(const Cause&) const = default;
};

/// The first cause that covers it, or the one case before that a crash needs: what was damaged there shows later. Of
/// what did not come back alone, whom it was seen of counts. `version` is that one's. nullptr if none does.
const Cause* cause_of(std::span<const Cause> causes, const Mismatch& mismatch, std::string_view version);

/// All blocks of a text. Throws UsageError with one line that names `origin` and the number of the line.
std::vector<Cause> parse_causes(std::string_view text, std::string_view origin);

/// The same for a file. Throws UsageError if it is missing or too large.
std::vector<Cause> read_causes(const std::string& path);

/// Those that come with the program: corpus/known/*.causes.
const std::vector<Cause>& shipped_causes();

/// Of each, in this order.
std::vector<std::string> suspects_of(const std::vector<Cause>& causes);

/// A file that comes with the program.
struct ShippedFile {
  std::string_view name, text;
};

/// Written by cmake/KnownCauses.cmake.
std::span<const ShippedFile> shipped_cause_files();

}  // namespace convict::inline core
