// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <nlohmann/json.hpp>

#include "certificate/check.h"
#include "cli/command.h"
#include "cli/options.h"
#include "core/case_text.h"
#include "core/error.h"
#include "core/json_text.h"
#include "core/text.h"
#include "store/store.h"

namespace convict::cli {
namespace {

using nlohmann::json;

struct CheckOptions {
  OutputOptions out;
  std::string what;
  std::string database = "convict.db";
};

/// A mismatch as it was given, and what came of its certificate.
struct Checked {
  std::string case_text, suspect, verdict;
  certificate::CertificateCheck check;

  const char* diagnosis() const {
    if (check.refuted()) return "refuted";
    return check.wholly_confirmed() ? "confirmed"
           : check.confirmed()      ? "confirmed in part"
                                    : "nothing numeric to check";
  }
};

Verdict verdict_called(const std::string& name) {
  for (size_t i = 0; i < kVerdictNames.size(); ++i)
    if (kVerdictNames[i] == name) return static_cast<Verdict>(i);
  throw UsageError(
      fmt::format("key 'verdict': unknown verdict '{}'; valid: {}", printable(name), fmt::join(kVerdictNames, ", ")));
}

std::string required_text(const json& mismatch, const char* key) {
  if (!mismatch.contains(key) || !mismatch[key].is_string())
    throw UsageError(fmt::format("key '{}': missing or not a text", key));
  return mismatch[key];
}

Checked check(const json& mismatch) {
  if (!mismatch.is_object()) throw UsageError("not a JSON object");
  Checked result{required_text(mismatch, "case"),
                 mismatch.contains("suspect") ? required_text(mismatch, "suspect") : "unnamed",
                 required_text(mismatch, "verdict"),
                 {}};
  const Verdict verdict = verdict_called(result.verdict);
  if (!mismatch.contains("certificate") || !mismatch["certificate"].is_object())
    throw UsageError("key 'certificate': missing or not an object");
  result.check = certificate::check_certificate(parse_case(result.case_text), verdict,
                                                certificate_from_json(mismatch["certificate"]));
  for (const char* key : {"suspect", "blame"})
    if (mismatch.contains(key)) result.check.leave_unchecked(key, "no implementation is run (`convict repro`)");
  return result;
}

/// The mismatch of the database with this number, in the form of a report.
json from_database(const CheckOptions& options, int64_t id) {
  if (!std::filesystem::exists(options.database))
    throw UsageError(
        fmt::format("database '{}' does not exist, so mismatch {} cannot be looked up", options.database, id));
  const auto row = store::Store::open_to_read(options.database).mismatch(id);
  if (!row) throw UsageError(fmt::format("database '{}' has no mismatch {}", options.database, id));
  return {{"case", row->best_text()},
          {"suspect", row->suspect},
          {"verdict", row->verdict},
          {"certificate", row->best_certificate()}};
}

json from_file(const std::string& path) {
  const auto name = fmt::format("'{}'", printable(path, 300));
  std::string text;
  if (path == "-") {
    text.assign(std::istreambuf_iterator<char>(std::cin), {});
  } else {
    if (!std::filesystem::exists(path))
      throw UsageError(name + " does not exist; valid: a file, - for stdin, or the number of a mismatch");
    if (std::filesystem::is_directory(path)) throw UsageError(name + " is a directory");
    std::ifstream file(path, std::ios::binary);
    text.assign(std::istreambuf_iterator<char>(file), {});
    if (!file) throw UsageError(name + " cannot be read");
  }
  try {
    return json::parse(text);
  } catch (const json::exception& error) {  // a number that fits no double is no parse_error
    throw UsageError(fmt::format("{} is not JSON: {}", name, printable(error.what(), 200)));
  }
}

/// What to check, one by one, and how to call each of them in an error message.
std::vector<std::pair<std::string, json>> mismatches_of(const CheckOptions& options) {
  if (const auto id = parse_integer(options.what))
    return {{fmt::format("mismatch {}", *id), from_database(options, *id)}};
  const json document = from_file(options.what);
  const auto name = fmt::format("'{}'", printable(options.what, 300));
  if (!document.is_object() || !document.contains("mismatches")) return {{name, document}};
  if (!document["mismatches"].is_array()) throw UsageError(name + ": key 'mismatches': not an array");
  std::vector<std::pair<std::string, json>> list;
  for (const json& one : document["mismatches"])
    list.emplace_back(fmt::format("{}, mismatch {}", name, list.size() + 1), one);
  return list;
}

std::string as_text(const std::vector<Checked>& all, const OutputOptions& out) {
  std::string text;
  for (const Checked& one : all) {
    text += fmt::format("{}\n  {}: {}: {}\n", one.case_text, one.suspect, one.verdict,
                        out.colored(one.check.confirmed() ? "1;32"
                                    : one.check.refuted() ? "1;31"
                                                          : "1;33",
                                    one.diagnosis()));
    for (const std::string& line : one.check.lines) text += "    " + line + "\n";
  }
  return text;
}

std::string as_json(const std::vector<Checked>& all) {
  json list = json::array();
  for (const Checked& one : all)
    list.push_back({{"case", one.case_text},
                    {"suspect", one.suspect},
                    {"verdict", one.verdict},
                    {"finding", one.diagnosis()},
                    {"lines", one.check.lines}});
  return json_document(json{{"certificates", list}});
}

int check_all(const CheckOptions& options) {
  std::vector<Checked> all;
  int confirmed = 0, wholly = 0, refuted = 0;
  for (const auto& [name, mismatch] : mismatches_of(options)) {
    try {
      all.push_back(check(mismatch));
    } catch (const UsageError& error) {
      throw UsageError(fmt::format("{}: {}", name, error.what()));
    }
    confirmed += all.back().check.confirmed();
    wholly += all.back().check.wholly_confirmed();
    refuted += all.back().check.refuted();
  }
  std::string text = options.out.json() ? as_json(all) : as_text(all, options.out);
  if (!options.out.json())
    text += fmt::format("certificates: {} confirmed, {} in part, {} refuted, {} with nothing numeric to check\n",
                        wholly, confirmed - wholly, refuted, static_cast<int>(all.size()) - confirmed - refuted);
  options.out.write(text);
  return refuted > 0 ? kMismatch : confirmed > wholly ? kInPart : wholly > 0 ? kClean : kCannotJudge;
}

}  // namespace

void add_check_certificate(Command app, int& exit_code) {
  auto [command, options] = add_command(
      app, exit_code, check_all, "check-certificate", "Verify the evidence of a mismatch from its case line alone",
      "Examples:\n"
      "  convict repro 3 --format json | convict check-certificate -\n"
      "  convict check-certificate found.json            a mismatch, or all of a document of fuzz or repro\n"
      "  convict check-certificate 3 --db convict.db     the mismatch of a database with this number\n"
      "Exit codes: 0 confirmed, 1 any refuted, 2 usage or bad input, 3 the numbers are confirmed, and more is said "
      "than a\n"
      "            case line tells (suspect, blame, contract, counts), 125 nothing numeric to check");
  command.option("what", options.what, "A JSON file, - for stdin, or the number of a mismatch").required();
  command.option("--db", options.database, "Where a mismatch number is looked up").shows_default();
  options.out.add_to(command);
}

}  // namespace convict::cli
