// SPDX-License-Identifier: Apache-2.0
//
// Reads JSON that convict itself prints: an object with a "case", or with "cases" or "mismatches" that hold such
// objects; a list of such objects, or of case lines; or one of these on every line.
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "core/case_text.h"
#include "core/error.h"
#include "core/json_text.h"
#include "core/text.h"
#include "imports/importer.h"
#include "imports/shared/collector.h"

namespace convict::imports {
namespace {

using nlohmann::json;

constexpr uintmax_t kLargestDocument = uintmax_t{16} << 20;  // bytes; parsed, a hostile one takes twenty times as many
constexpr int kDeepestJson = 64;

void add_line(const std::string& line, const std::string& origin, Collector& to) {
  try {
    to.add(parse_case(line), origin, line);
  } catch (const UsageError& error) {
    to.refuse(origin, line, fmt::format("not a case: {}", error.what()));
  }
}

std::string shown(const json& value) {
  if (value.is_structured()) return fmt::format("{} of {}", value.type_name(), value.size());
  return json_line(value);
}

void add(const json& value, const std::string& origin, Collector& to);

void add_list(const json& list, const std::string& origin, Collector& to) {
  size_t i = 0;
  for (const json& one : list) add(one, fmt::format("{}[{}]", origin, i++), to);
}

void add_object(const json& object, const std::string& origin, Collector& to) {
  bool any = false;
  if (const auto line = object.find("case"); line != object.end()) {
    any = true;
    if (line->is_string())
      add_line(line->get<std::string>(), origin, to);
    else
      to.refuse(origin, shown(*line), "\"case\" is no case line");
  }
  for (const char* key : {"cases", "mismatches"}) {
    const auto list = object.find(key);
    if (list == object.end()) continue;
    any = true;
    if (list->is_array())
      add_list(*list, fmt::format("{}.{}", origin, key), to);
    else
      to.refuse(origin, shown(*list), fmt::format("\"{}\" is no list", key));
  }
  if (!any) to.refuse(origin, shown(object), "no case in it");
}

void add(const json& value, const std::string& origin, Collector& to) {
  if (value.is_object()) return add_object(value, origin, to);
  if (value.is_array()) return add_list(value, origin, to);
  if (value.is_string()) return add_line(value.get<std::string>(), origin, to);
  to.refuse(origin, shown(value), "no case in it");
}

json parse_document(std::string_view text) {
  return json::parse(text, [](int depth, json::parse_event_t, json&) {
    if (depth > kDeepestJson) throw UsageError(fmt::format("JSON nested more than {} deep", kDeepestJson));
    return true;
  });
}

/// Reads one document per line. Returns false if no line is a document.
bool add_lines(std::string_view text, const std::string& path, Collector& to) {
  bool any = false;
  for_each_line(text, [&](std::string_view untrimmed, int number) {
    const std::string_view line = trim(untrimmed);
    const std::string origin = fmt::format("{}:{}", path, number);
    if (line.empty()) return;
    try {
      add(parse_document(line), origin, to);
      any = true;
    } catch (const json::exception&) {  // a number that fits no double is no parse_error
      to.refuse(origin, std::string(line), "not JSON");
    }
  });
  return any;
}

Imported read_json(const std::string& path) {
  const std::string text = read_input(path, kLargestDocument);
  Collector found;
  try {
    add(parse_document(text), path, found);
  } catch (const json::exception& error) {
    if (!add_lines(text, path, found))
      throw UsageError(fmt::format("'{}' is not JSON: {}", printable(path, 300), printable(error.what(), 200)));
  }
  return found.take();
}

}  // namespace

extern const Importer importer_json = {"json", "what convict prints with --format json; JSON lines too", read_json};

}  // namespace convict::imports
