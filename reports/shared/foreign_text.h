// SPDX-License-Identifier: Apache-2.0
//
// Foreign text in Markdown, so that nothing in it acts as Markdown or HTML ("?" replaces each character that is not
// printable ASCII), and in files that hold Unicode.
#pragma once

#include <string>
#include <string_view>

namespace convict::reports {

inline constexpr size_t kLongestText = 4096;  // bytes of one text; a case line may be as long

/// Text in a paragraph: escapes each special character of Markdown and HTML.
std::string prose(std::string_view text, size_t limit = kLongestText);

/// Turns the lines of a note into paragraphs; none of them begins a list or a heading.
std::string paragraphs(const std::string& text);

/// A code block. Precondition: lines are printable, and each is indented by four blanks or does not begin with a
/// backtick, so that none can end the block.
std::string code_block(const std::string& lines);

/// A code span of one line, with each character that would end it replaced.
std::string code_span(const std::string& text, size_t limit = kLongestText);

/// A code span in a table cell, where a bar would end the cell too.
std::string code_cell(const std::string& text, size_t limit = kLongestText);

/// A link if `link` is a plain https address, else its text.
std::string link_text(const std::string& link);

/// Makes UTF-8 that XML 1.0 can hold (2.2, production Char). U+FFFD replaces invalid UTF-8, U+FFFE, U+FFFF, and control
/// characters other than tab and line ends.
std::string valid_text(const std::string& text);

}  // namespace convict::reports
