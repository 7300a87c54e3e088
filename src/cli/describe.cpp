// SPDX-License-Identifier: Apache-2.0
#include "cli/describe.h"

#include <fmt/format.h>

#include "core/text.h"

namespace convict {
namespace {

/// A JSON number or word as text.
std::string plain(const nlohmann::json& value) { return value.is_string() ? value.get<std::string>() : value.dump(); }

std::string describe_element(const nlohmann::json& c) {
  std::string text = fmt::format("    {}{} is {} ({}), exact is {} ({})\n", plain(c["role"]), c["at"].dump(),
                                 plain(c["got"]), plain(c["got_hex"]), plain(c["exact"]), plain(c["exact_hex"]));
  text += fmt::format("    n = {} terms, S = {}, allowed error {} ({})\n", plain(c["terms"]), plain(c["magnitude"]),
                      plain(c["bound"]), plain(c["bound_name"]));
  return text + fmt::format("    {} wrong and {} unwritten of {} elements\n", plain(c["wrong_elements"]),
                            plain(c["unwritten_elements"]), plain(c["elements"]));
}

}  // namespace

std::string describe(const Mismatch& mismatch) {
  const nlohmann::json& c = mismatch.certificate;
  std::string text =
      fmt::format("  {}: {} (blame: {})\n", mismatch.suspect, name_of(mismatch.verdict), name_of(mismatch.blame));
  if (c.contains("exact")) text += describe_element(c);
  if (c.contains("relation"))
    text += fmt::format("    relation {}: {} is {}, expected {}\n", plain(c["relation"]), c["at"].dump(),
                        plain(c["got"]), plain(c["expected"]));
  for (const char* key :
       {"geography", "explained_by", "read", "text", "overrun", "signal", "exit_code", "address_class", "evidence"})
    if (c.contains(key)) text += fmt::format("    {}: {}\n", key, plain(c[key]));
  if (c.contains("role") && !c.contains("exact")) text += fmt::format("    operand: {}\n", plain(c["role"]));
  if (c.contains("output_tail"))
    text += fmt::format("    last words: {}\n", printable(trim(plain(c["output_tail"])), 400));
  return text;
}

}  // namespace convict
