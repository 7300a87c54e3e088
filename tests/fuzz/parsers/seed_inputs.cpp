// SPDX-License-Identifier: Apache-2.0
#include "tests/fuzz/parsers/seed_inputs.h"

#include <algorithm>
#include <fstream>
#include <iterator>
#include <span>

#include "core/case_text.h"
#include "exports/exporter.h"
#include "imports/importer.h"
#include "tests/fuzz/parsers/database_input.h"
#include "tests/fuzz/parsers/importer_input.h"
#include "tests/fuzz/parsers/scratch.h"
#include "workers/messages.h"

namespace convict::fuzz {
namespace {

/// Cases that together use every feature of the formats.
constexpr const char* kLines[] = {"conv1d in=5 k=3",
                                  "conv2d n=2 ic=2 oc=3 in=4x5 k=2x3 s=2x1 p=1 bias",
                                  "conv3d g=2 ic=2 oc=2 in=3 k=2 d=1x2x1 dt=bf16",
                                  "conv_transpose2d ic=2 oc=1 in=2x3 k=2 s=2x1 p=1x1 op=1x0",
                                  "conv_transpose1d in=3 k=3 s=2 p=same_upper",
                                  "conv2d.backward_data ic=2 oc=2 in=4 k=3 p=1:0x0:1 lay=nhwc:hwio:nhwc",
                                  "conv2d.backward_weights in=4 k=2 bias fill=normal"};

char number_of(std::string_view importer) {
  const auto all = imports::all();
  return static_cast<char>(std::ranges::find(all, importer, &imports::Importer::name) - all.begin());
}

/// The files in the order of kTestFiles; a missing file is empty.
std::string joined(std::span<const exports::ExportFile> files) {
  std::string bytes;
  for (const std::string_view name : kTestFiles) {
    if (name != kTestFiles.front()) bytes += kFileSeparator;
    const auto file =
        std::ranges::find_if(files, [&](const exports::ExportFile& one) { return one.name.ends_with(name); });
    if (file != files.end()) bytes += file->bytes;
  }
  return bytes;
}

void add_exports(const exports::ExportRequest& request, std::vector<std::string>& to) {
  for (const exports::Exporter* exporter : exports::all()) {
    const bool read_again =
        std::ranges::find(imports::all(), exporter->name, &imports::Importer::name) != imports::all().end();
    if (!read_again || !exporter->unsuited(request).empty()) continue;
    const std::vector<exports::ExportFile> files = exporter->write(request);
    const bool several = exporter->form == exports::ExportForm::kDirectory;
    to.push_back(number_of(exporter->name) + (several ? joined(files) : files.front().bytes));
  }
}

/// "column how value": edits of a sound database by the names of its columns.
std::string edit_of(const std::vector<std::string>& columns, std::string_view column, EditAs as,
                    std::string_view value) {
  const auto number = std::ranges::find(columns, column) - columns.begin();
  return std::string{static_cast<char>(number), static_cast<char>(as)}.append(value);
}

void append_number(std::string& to, uint32_t value) {
  for (int shift = 0; shift < 32; shift += 8) to += static_cast<char>(value >> shift);
}

void append_text(std::string& to, std::string_view text) {
  to += '\0';  // not NULL, not huge
  to += static_cast<char>(text.size());
  to += text;
}

struct PluginSeed {
  std::string_view name = "mine";
  uint32_t status = 0, algorithm = 1;
  char writing = '\x3f';
  uint32_t other_algorithm = 0;  // what contract_for says; 0: there is none
};

/// As HostilePlugin reads it.
std::string plugin_input(const PluginSeed& seed) {
  std::string bytes(1, '\0');
  append_text(bytes, "1.0");
  append_number(bytes, 1);  // ABI version
  append_number(bytes, 1);  // implementations
  constexpr char kOtherContract = 16;
  bytes += seed.other_algorithm != 0 ? kOtherContract : '\0';  // all functions
  for (const std::string_view text : {seed.name, std::string_view("a kernel"), std::string_view("mine")})
    append_text(bytes, text);
  bytes += '\1';  // refuses nothing
  append_text(bytes, "scalar tile=1");
  bytes += '\5';
  bytes += "error";
  append_number(bytes, seed.status);
  bytes += seed.writing;
  for (const uint32_t algorithm : {seed.algorithm, seed.other_algorithm})
    if (algorithm != 0)
      for (const uint32_t number : {algorithm, 1u, 2u, 3u, 0u, 1u, 0u, 0u, 1u}) append_number(bytes, number);
  return bytes;
}

}  // namespace

std::vector<std::string> importer_inputs() {
  std::vector<std::string> inputs;
  for (const char* line : kLines) add_exports({parse_case(line)}, inputs);
  const char json = number_of("json"), benchdnn = number_of("benchdnn");
  inputs.push_back(json + std::string(R"(["conv1d in=5 k=3", {"case": "conv1d in=6"}])"));
  inputs.push_back(json +
                   std::string("{\"case\": \"conv1d in=5\"}\n{\"mismatches\": [{\"case\": \"conv1d in=7\"}]}\n"));
  inputs.push_back(benchdnn +
                   std::string("--reset --dt=f32,bf16 --dir=FWD_B,BWD_D \\\n--mb=2 g2ic4ih5oc6oh3kh3n\"a name\" # why\n"
                               "--cfg=u8s8f32 ic1iw4oc1ow4kw1pw0 --batch=other\n"));
  return inputs;
}

std::vector<std::string> database_inputs() {
  const Scratch scratch;
  const std::string path = scratch.path("sound.db");
  write_sound_database(path);
  std::ifstream file(path, std::ios::binary);
  std::vector<std::string> inputs = {kRawFile + std::string(std::istreambuf_iterator<char>(file), {})};
  const std::vector<std::string> columns = database_columns(path);
  const auto edit = [&](std::string_view column, EditAs as, std::string_view value) {
    return edit_of(columns, column, as, value);
  };
  inputs.push_back(kEdits + edit("mismatches.certificate", EditAs::kText, R"({"role":"dst","at":[0,0,0]})") +
                   kEditSeparator + edit("mismatches.predicate", EditAs::kText, "s >= 2 and op >= 1"));
  inputs.push_back(kEdits + edit("mismatches.case_text", EditAs::kText, "conv2d in=3 k=2") + kEditSeparator +
                   edit("mismatches.shrunk_text", EditAs::kNull, ""));
  inputs.push_back(kEdits + edit("campaigns.counts", EditAs::kText, R"({"cases":7})") + kEditSeparator +
                   edit("campaigns.done", EditAs::kText, "[[0,5]]"));
  for (const std::string& column : columns) {
    const char kind = column.starts_with("coverage") ? kEditsWithCoverage : kEdits;
    inputs.push_back(kind + edit(column, EditAs::kText, "[]"));
    inputs.push_back(kind + edit(column, EditAs::kNumber, "7"));
  }
  inputs.push_back(kEditsWithCoverage + edit("coverage.tuples", EditAs::kBlob, "tuples"));
  for (size_t field = 0; field < kHeaderFields; ++field)
    for (const char value : {'\0', '\1', '\x7f', '\xff'})
      for (const char shift : {'\0', '\3'}) inputs.push_back({kHeader, static_cast<char>(field), value, shift});
  inputs.push_back(kSchema + std::string("\0CREATE VIEW x1 AS SELECT * FROM campaigns", 42) + kEditSeparator +
                   "\1CREATE TRIGGER x2 AFTER INSERT ON mismatches BEGIN SELECT 1; END");
  return inputs;
}

std::vector<std::string> message_inputs() {
  Mismatch mismatch{parse_case(kLines[0]), "mine", Verdict::kWrongExact, Blame::kTarget, {}};
  Certificate::Element& element = mismatch.certificate.element;
  element.role = "dst";
  element.at = {0, 0, 1};
  element.got = Decimal{1};
  element.exact = Decimal{2};
  mismatch.certificate.alone = {10, 7, {{kLines[1]}}, 3, 16, 5, {}};
  using namespace workers;
  return {to_line(WorkerSettings{}),
          to_line(Order(Work{0, 100, 2})),
          to_line(Order(GivenCases{1, {kLines[0], kLines[1]}, true, true})),
          to_line(Order(Layer{0, kLines[1], {1, 2}, 0.5, 3, {"direct"}})),
          to_line(WorkerReport(Loaded{{{"mine", "a kernel", "mine", "1.0", true, "./mine.so"}}, {"a note"}})),
          to_line(WorkerReport(NotLoaded{"no such file", true})),
          to_line(WorkerReport(CaseReport{7, {{"mine", true, "agrees", 0.5}}, true})),
          to_line(WorkerReport(CaseMismatches{7, {mismatch}})),
          to_line(Order(SurveyTargets{1})),
          to_line(WorkerReport(Surveyed{{{}, {}}})),
          to_line(WorkerReport(LayerReport{0, {{"mine", 1}}, {{1, {{"mine", {0.5, 0.75}}}, {{"other", "no"}}}}})),
          to_line(WorkerReport(Done{100, {{"mine", "too large", 3}}, {{"mine", {}}}, {{1, 2, 3}}, 100}))};
}

std::vector<std::string> plugin_inputs() {
  std::vector<std::string> inputs;
  for (const uint32_t status : {0u, 1u, 2u, 3u, 4u, 77u}) inputs.push_back(plugin_input({.status = status}));
  for (const uint32_t algorithm : {2u, 3u, 9u}) inputs.push_back(plugin_input({.algorithm = algorithm}));
  for (const uint32_t algorithm : {1u, 2u, 9u}) inputs.push_back(plugin_input({.other_algorithm = algorithm}));
  inputs.push_back(plugin_input({.name = "two words"}));
  inputs.push_back(plugin_input({.writing = '\0'}));
  return inputs;
}

}  // namespace convict::fuzz
