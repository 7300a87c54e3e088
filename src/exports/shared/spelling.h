// SPDX-License-Identifier: Apache-2.0
//
// How numbers, bytes and foreign text are written into files of other languages. Whatever the text is, it stays text.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "abi/convict.h"
#include "exports/exporter.h"

namespace convict::exports {

/// `values` as the elements of `type`, little-endian. Precondition: the type holds them exactly.
std::string raw_bytes(convict_dtype type, std::span<const double> values);

std::string base64(std::string_view bytes);

/// A double-quoted literal of both Python and C++ for any bytes, itself one line of printable ASCII.
std::string string_literal(std::string_view text);

/// Fit for a comment of one line in any of the languages: printable ASCII without backslashes and question marks,
/// cut to 300 bytes.
std::string comment_text(std::string_view text);

/// "direct: wrong-exact", or nothing without evidence.
std::string accusation(const ExportRequest& request);

/// Whether an exception is the fault: the suspect accepted a legal problem, and then failed.
bool fails_late(const ExportRequest& request);

/// The certificate as indented JSON in ASCII, or nothing without evidence.
std::string certificate_text(const ExportRequest& request);

/// The same as comments, each line behind `mark`. What the program prints is what it computes itself.
std::string certificate_comment(const ExportRequest& request, std::string_view mark);

/// `words` separated by blanks, in lines of at most 110 characters that begin with `indent`.
std::string wrapped(std::span<const std::string> words, std::string_view indent);

/// Of src and dst. With all but the first, oneDNN chooses the layout of the weights.
enum class OnednnLayout { kOfTheCase, kChosenByOnednn, kChannelsFirst, kChannelsLast };

/// That of the accused variant. Without evidence against one: that of the case.
inline OnednnLayout onednn_layout(const ExportRequest& request) {
  constexpr std::pair<std::string_view, OnednnLayout> kVariants[] = {
      {"onednn:any", OnednnLayout::kChosenByOnednn},
      {"onednn:channels_first", OnednnLayout::kChannelsFirst},
      {"onednn:channels_last", OnednnLayout::kChannelsLast},
  };
  for (const auto& [name, layout] : kVariants)
    if (request.evidence && request.evidence->suspect == name) return layout;
  return OnednnLayout::kOfTheCase;
}

}  // namespace convict::exports
