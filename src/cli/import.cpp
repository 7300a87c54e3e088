// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <nlohmann/json.hpp>

#include "cli/command.h"
#include "cli/options.h"
#include "cli/streams.h"
#include "core/case_text.h"
#include "core/error.h"
#include "core/json_text.h"
#include "core/text.h"
#include "imports/importer.h"

namespace convict::cli {
namespace {

using nlohmann::json;

struct ImportOptions {
  std::string importer;
  std::vector<std::string> paths;
  OutputOptions out;
};

const imports::Importer& importer_named(const std::string& name) {
  std::vector<std::string> names;
  for (const imports::Importer* importer : imports::all()) {
    if (importer->name == name) return *importer;
    names.emplace_back(importer->name);
  }
  throw UsageError(fmt::format("unknown format '{}'{}; valid: {}", printable(name), suggestion(name, names),
                               fmt::join(names, ", ")));
}

imports::Imported read_all(const ImportOptions& options) {
  const imports::Importer& importer = importer_named(options.importer);
  imports::Imported all;
  for (const std::string& path : options.paths) {
    imports::Imported one = importer.read(path);
    std::ranges::move(one.cases, std::back_inserter(all.cases));
    std::ranges::move(one.unexpressed, std::back_inserter(all.unexpressed));
    std::ranges::move(one.recorded, std::back_inserter(all.recorded));
    all.repeated += one.repeated;
  }
  return all;
}

constexpr size_t kMostKinds = 6;  // in a summary

/// "12 x int8, 6 x post-ops", the most frequent first.
std::string kinds(const std::vector<imports::Unexpressed>& unexpressed) {
  std::map<std::string, size_t> counts;
  for (const imports::Unexpressed& one : unexpressed) ++counts[one.reason.substr(0, one.reason.find(": "))];
  std::vector<std::pair<std::string, size_t>> sorted(counts.begin(), counts.end());
  std::ranges::stable_sort(sorted, std::greater<>(), &std::pair<std::string, size_t>::second);
  std::vector<std::string> words;
  size_t others = 0;
  for (const auto& [kind, count] : sorted) {
    if (words.size() < kMostKinds)
      words.push_back(fmt::format("{} × {}", with_commas(count), kind));
    else
      others += count;
  }
  if (others > 0) words.push_back(fmt::format("{} of {} other kinds", with_commas(others), sorted.size() - kMostKinds));
  return fmt::format("{}", fmt::join(words, ", "));
}

std::string nine_digits(double value) {
  return value == 0 || std::abs(value) >= 1e-3 ? fmt::format("{:.9g}", value) : fmt::format("{:.9e}", value);
}

std::string comparison(const imports::RecordedOutput& recorded) {
  if (recorded.agrees())
    return fmt::format("{}: recorded output agrees (worst error {:.2g} of its bound)", recorded.origin, recorded.worst);
  if (!recorded.wrong_shape.empty())
    return fmt::format("{}: recorded output differs: its shape is {}: {}", recorded.origin, recorded.wrong_shape,
                       to_text(recorded.c));
  std::string text = fmt::format("{}: recorded output differs in {} of {} elements: {}", recorded.origin,
                                 recorded.wrong, recorded.elements, to_text(recorded.c));
  for (const imports::Disagreement& one : recorded.examples)
    text += fmt::format("\n  dst[{}] is recorded as {}, exact is {}, allowed error {}", fmt::join(one.at, ","),
                        nine_digits(one.recorded), nine_digits(one.exact), nine_digits(one.bound));
  return text;
}

std::string as_corpus(const ImportOptions& options, const imports::Imported& all) {
  std::string text = fmt::format("# {} cases, imported from {}\n", all.cases.size(), options.importer);
  const std::string* last = nullptr;
  for (const CorpusEntry& entry : all.cases) {
    if (!last || *last != entry.origin) text += fmt::format("\n# {}\n", printable(entry.origin, 400));
    last = &entry.origin;
    text += to_text(entry.c) + (entry.must_be_refused ? " => refused\n" : "\n");
  }
  if (!all.unexpressed.empty()) text += "\n";
  for (const imports::Unexpressed& one : all.unexpressed)
    text += fmt::format("# {}: not expressible: {}: {}\n", printable(one.origin, 400), one.text, one.reason);
  return text;
}

std::string as_json(const imports::Imported& all) {
  json document = {{"repeated", all.repeated}};
  for (const char* key : {"cases", "not_expressible", "recorded"}) document[key] = json::array();
  for (const CorpusEntry& entry : all.cases)
    document["cases"].push_back({{"case", to_text(entry.c)}, {"origin", entry.origin}});
  for (const imports::Unexpressed& one : all.unexpressed)
    document["not_expressible"].push_back({{"origin", one.origin}, {"text", one.text}, {"reason", one.reason}});
  for (const imports::RecordedOutput& one : all.recorded) {
    json row = {{"origin", one.origin},           {"case", to_text(one.c)},
                {"elements", one.elements},       {"wrong", one.wrong},
                {"worst_error", one.worst},       {"agrees", one.agrees()},
                {"wrong_shape", one.wrong_shape}, {"examples", json::array()}};
    for (const imports::Disagreement& example : one.examples)
      row["examples"].push_back(
          {{"at", example.at}, {"recorded", example.recorded}, {"exact", example.exact}, {"bound", example.bound}});
    document["recorded"].push_back(std::move(row));
  }
  return json_document(document);
}

/// Prints a summary to stderr.
void summarize(const imports::Imported& all, const OutputOptions& out) {
  if (out.verbose)
    for (const imports::Unexpressed& one : all.unexpressed)
      say(fmt::format("{}: not expressible: {}: {}\n", printable(one.origin, 400), one.text, one.reason));
  for (const imports::RecordedOutput& one : all.recorded)
    if (out.verbose || !one.agrees()) say(comparison(one) + "\n");
  if (out.quiet) return;
  std::string text = fmt::format("{} cases", with_commas(all.cases.size()));
  if (all.repeated > 0) text += fmt::format("; {} repeated", with_commas(all.repeated));
  if (!all.unexpressed.empty())
    text += fmt::format("; {} not expressible: {}", with_commas(all.unexpressed.size()), kinds(all.unexpressed));
  if (!all.recorded.empty()) {
    double worst = 0;
    for (const imports::RecordedOutput& one : all.recorded) worst = std::max(worst, one.worst);
    const auto agree = std::ranges::count_if(all.recorded, &imports::RecordedOutput::agrees);
    text += fmt::format("; recorded outputs: {} agree (worst error {:.2g} of its bound), {} differ", agree, worst,
                        all.recorded.size() - static_cast<size_t>(agree));
  }
  say(text + "\n");
}

int import_cases(const ImportOptions& options) {
  const imports::Imported all = read_all(options);
  if (all.cases.empty() && !options.out.verbose)
    throw UsageError(fmt::format("nothing in it is expressible as a case: {}; -v lists them all",
                                 all.unexpressed.empty() ? "it is empty" : kinds(all.unexpressed)));
  if (!all.cases.empty()) options.out.write(options.out.json() ? as_json(all) : as_corpus(options, all));
  summarize(all, options.out);
  if (all.cases.empty()) return kUsage;
  return std::ranges::all_of(all.recorded, &imports::RecordedOutput::agrees) ? kClean : kMismatch;
}

}  // namespace

void add_import(Command app, int& exit_code) {
  std::string formats = "Formats:\n";
  for (const imports::Importer* importer : imports::all())
    formats += fmt::format("  {:<10} {}\n", importer->name, importer->help);
  auto [command, options] = add_command(
      app, exit_code, import_cases, "import", "Turn other tools' test inputs into a corpus file",
      formats +
          "Examples:\n"
          "  convict import benchdnn tests/benchdnn/inputs/conv/shapes_resnet_50 -o resnet.cases\n"
          "  convict import onnx /usr/share/libonnx-testdata/data -o onnx.cases -v\n"
          "  convict import json report.json\n"
          "Exit codes: 0 something was imported, 1 a recorded output differs from the exact reference, 2 usage, "
          "or nothing is expressible");
  command.option("importer", options.importer, "Format of the input").required();
  command.option("paths", options.paths, "Files, for onnx directories").required();
  options.out.add_to(command);
}

}  // namespace convict::cli
