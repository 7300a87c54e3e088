// SPDX-License-Identifier: Apache-2.0
//
// How numbers, bytes and foreign text are written into files of other languages, whatever the text is: it stays text.
// And the parts that exported C++ programs have in common.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "abi/convict.h"
#include "exports/exporter.h"
#include "exports/shared/operands.h"

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

/// The first lines of a program, as comments behind `mark`: "One convolution<what>. Written by convict ... from" the
/// case, and the accusation.
std::string program_head(const ExportRequest& request, std::string_view mark, std::string_view what);

/// Whether the case makes more than one call, which programs do not.
inline bool repeats_calls(const Case& c) { return c.calls != Calls::kOnce || c.before != Case().before; }

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

// ---- C++ programs ---------------------------------------------------------------------------------------------------

/// Numbers of all types, and the judgement of an output. For any program; it needs <cmath>, <cstdint>, <cstdio>,
/// <cstring> and <vector>.
inline constexpr std::string_view kProgramTypes = R"(
template <class T>
T read(const unsigned char* from) {
  T value;
  std::memcpy(&value, from, sizeof value);
  return value;
}

double from_half(uint16_t bits) {
  const int exponent = bits >> 10 & 0x1f, fraction = bits & 0x3ff;
  const double sign = bits & 0x8000 ? -1.0 : 1.0;
  if (exponent == 0x1f) return fraction != 0 ? NAN : sign * INFINITY;
  return sign * (exponent == 0 ? std::ldexp(fraction, -24) : std::ldexp(fraction + 0x400, exponent - 25));
}

double from_bfloat(uint16_t bits) {
  const uint32_t wide = static_cast<uint32_t>(bits) << 16;
  float value;
  std::memcpy(&value, &wide, sizeof value);
  return value;
}
)";

inline constexpr std::string_view kProgramCheck = R"(
// Prints what is wrong, in a line. `value` is the exact result, rounded once; a bound of 0, or none, demands it.
bool check(const char* name, const std::vector<int64_t>& extents, const std::vector<double>& got, const double* value,
           const double* exact, const double* bound, double largest) {
  size_t wrong = 0, first = 0;
  for (size_t i = 0; i < got.size(); ++i) {
    const double allowed = bound ? bound[i] : 0;
    if (got[i] == value[i] || (std::isnan(got[i]) && std::isnan(value[i]))) continue;
    if (allowed > 0 && std::abs(got[i] - exact[i]) <= allowed) continue;
    if (allowed > 0 && std::isinf(got[i]) && std::signbit(got[i]) == std::signbit(exact[i]) &&
        std::abs(exact[i]) + allowed >= largest)
      continue;
    if (wrong++ == 0) first = i;
  }
  if (wrong == 0) return true;
  std::vector<int64_t> at(extents.size());
  int64_t rest = static_cast<int64_t>(first);
  for (size_t d = extents.size(); d-- > 0; rest /= extents[d]) at[d] = rest % extents[d];
  std::printf("MISMATCH: %s[", name);
  for (size_t d = 0; d < at.size(); ++d) std::printf("%s%lld", d > 0 ? "," : "", static_cast<long long>(at[d]));
  std::printf("] is %a (%.17g), must be %a (%.17g), allowed error %g; %zu of %zu elements are wrong\n", got[first],
              got[first], value[first], value[first], bound ? bound[first] : 0, wrong, got.size());
  return false;
}

// The last line.
int verdict(bool right) {
  std::printf("verdict: what was computed here is %s\n", right ? "RIGHT" : "WRONG");
  return right ? 0 : 1;
}
)";

/// kCase, a constant of `const char[]`.
std::string cpp_texts(const ExportRequest& request);

/// Arrays, in logical row-major order. For each input NAME_bits; for each output NAME_value, with bounds NAME_exact and
/// NAME_bound, and with beta NAME_old.
std::string cpp_data(const Operands& operands);

/// `check("dst", extents, got, dst_value, ...)`, which is false if the result is wrong. Both arguments are expressions:
/// of the extents, and of the numbers of the output.
std::string cpp_check(const RequiredTensor& output, std::string_view extents, std::string_view got);

}  // namespace convict::exports
