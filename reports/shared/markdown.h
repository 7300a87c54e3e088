// SPDX-License-Identifier: Apache-2.0
//
// Foreign text in Markdown, where it stays text: it becomes neither Markdown nor HTML, and what is not printable ASCII
// is shown as "?".
#pragma once

#include <string>
#include <string_view>

namespace convict::reports {

inline constexpr size_t kLongestText = 4096;  // of one text: as long as a case line may be

/// Text in a paragraph: each character that means something to Markdown or HTML is escaped.
std::string prose(std::string_view text, size_t limit = kLongestText);

/// Lines of a note become paragraphs; what would begin a list or a heading does not begin one.
std::string paragraphs(const std::string& text);

/// A code block of lines that are printable, each indented by four blanks or beginning with another character than a
/// backtick: then none of them can end it.
std::string code_block(const std::string& lines);

/// One line, without the character that ends it.
std::string code_span(const std::string& text, size_t limit = kLongestText);

/// The same in a table, where a bar would end the cell, and the span with it.
std::string code_cell(const std::string& text, size_t limit = kLongestText);

/// A link if it is a plain https one, else its text.
std::string link_text(const std::string& link);

}  // namespace convict::reports
