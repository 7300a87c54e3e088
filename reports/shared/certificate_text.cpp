// SPDX-License-Identifier: Apache-2.0
#include "reports/shared/certificate_text.h"

#include <fmt/format.h>

#include "core/text.h"

namespace convict::reports {
namespace {

/// A JSON number or word as text.
std::string plain(const nlohmann::json& value) {
  return printable(value.is_string() ? value.get<std::string>()
                                     : value.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace),
                   1000);
}

/// What the certificate says about `key`.
std::string at(const nlohmann::json& c, const char* key) { return c.contains(key) ? plain(c[key]) : "?"; }

std::string describe_element(const nlohmann::json& c) {
  std::string text = fmt::format("    {}{} is {} ({}), exact is {} ({}){}\n", at(c, "role"), at(c, "at"), at(c, "got"),
                                 at(c, "got_hex"), at(c, "exact"), at(c, "exact_hex"),
                                 c.contains("right") ? ", right is " + at(c, "right") : "");
  text += fmt::format("    n = {} terms, S = {}, allowed error {} ({})\n", at(c, "terms"), at(c, "magnitude"),
                      at(c, "bound"), at(c, "bound_name"));
  return text + fmt::format("    {} wrong and {} unwritten of {} elements\n", at(c, "wrong_elements"),
                            at(c, "unwritten_elements"), at(c, "elements"));
}

}  // namespace

std::string describe_certificate(const nlohmann::json& c) {
  std::string text;
  if (c.contains("exact")) text += describe_element(c);
  if (c.contains("relation"))
    text += fmt::format("    relation {}: {} is {}, expected {}\n", at(c, "relation"), at(c, "at"), at(c, "got"),
                        at(c, "expected"));
  for (const char* key :
       {"geography", "explained_by", "read", "text", "overrun", "signal", "exit_code", "address_class", "evidence"})
    if (c.contains(key)) text += fmt::format("    {}: {}\n", key, plain(c[key]));
  if (c.contains("role") && !c.contains("exact")) text += fmt::format("    operand: {}\n", plain(c["role"]));
  if (c.contains("output_tail") && c["output_tail"].is_string())
    text += fmt::format("    last words: {}\n", printable(trim(c["output_tail"].get<std::string>()), 400));
  return text;
}

}  // namespace convict::reports
