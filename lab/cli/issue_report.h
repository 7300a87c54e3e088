// SPDX-License-Identifier: Apache-2.0
//
// The page of a cause is a report that its project can be sent: the same facts in the order, and under the headings, of
// that project's own form for bugs.
#pragma once

#include <optional>
#include <span>
#include <string>

#include "core/cause.h"
#include "core/certificate.h"
#include "core/verdict.h"

namespace convict::cli {

/// A case of a cause, as an implementation has computed it, on this machine or on another one.
struct ShownCase {
  std::string suspect, version;
  Verdict verdict;
  std::string line;      // the case
  std::string flags;     // " --plugin ./mine.so", if it needs one
  std::string evidence;  // the certificate in words, in indented lines
  Certificate certificate;  // of a mismatch on values: which element it rests on, and nothing else
};

/// A program that shows a cause with the library alone.
struct CauseProgram {
  std::string name, language, text;
  std::string printed;  // what it printed where it was run last; empty if it never was
};

/// What a report is made of.
struct CauseFacts {
  const Cause& cause;
  std::optional<ShownCase> seen;
  std::optional<CauseProgram> program;
  std::string change;  // of the library's source, as a diff; empty if none is known
  std::span<const Cause> others = {};  // which its text may name
};

/// The first word of the suspect; where that stands for several libraries, as *torch:* does, of the name of the cause.
std::string library_of(const Cause& cause);

/// "silent", "loud" or "silent or loud": whether a user is told.
std::string silent_or_loud(const Cause& cause);

/// The report, in Markdown.
std::string issue_report(const CauseFacts& facts);

}  // namespace convict::cli
