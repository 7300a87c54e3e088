// SPDX-License-Identifier: Apache-2.0
//
// bytes -> a database that somebody else wrote -> everything that reads one: listings, reports, exports, merging, going
// on with a campaign.
#include <SQLiteCpp/SQLiteCpp.h>

#include <cstddef>
#include <cstdint>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "certificate/check.h"
#include "core/case_text.h"
#include "core/predicate.h"
#include "exports/exporter.h"
#include "generate/repair.h"
#include "report/report.h"
#include "reports/writer.h"
#include "store/database.h"
#include "store/store.h"
#include "tests/fuzz/parsers/border.h"
#include "tests/fuzz/parsers/database_input.h"
#include "tests/fuzz/parsers/scratch.h"

namespace convict::fuzz {
namespace {

/// Whether anything may be computed for the case here.
bool is_cheap(const Case& c) {
  Case repaired = c;
  generate::repair(repaired);
  return repaired == c;
}

void export_row(const store::MismatchRow& row, const Case& c) {
  const exports::ExportRequest request = {c, false,
                                          exports::Evidence{row.suspect, row.verdict, row.best_certificate()}};
  for (const exports::Exporter* exporter : exports::all())
    if (exporter->unsuited(request).empty()) exporter->write(request);
}

void read_row(const store::Store& store, const store::MismatchRow& row) {
  row.status_text();
  accepted([&] { store.sightings(row.id); });
  accepted([&] {
    const Case c = parse_case(row.best_text());
    accepted([&] { Predicate::parse(row.predicate).holds(c); });
    if (!is_cheap(c)) return;
    accepted([&] {
      certificate::check_certificate(c, Verdict::kWrongExact, certificate_from_json(row.best_certificate()));
    });
    accepted([&] { export_row(row, c); });
  });
}

void read_rows(const store::Store& store) {
  accepted([&] {
    for (const store::MismatchRow& row : store.mismatches()) read_row(store, row);
  });
  accepted(
      [&] { store.mismatches({.status = "new", .suspect = "mine", .operation = "conv1d", .since = "2", .limit = 1}); });
}

void read_campaigns(const store::Store& store) {
  accepted([&] {
    for (const store::CampaignRow& row : store.campaigns()) {
      accepted([&] { store.campaign(row.id); });
      accepted([&] { store.seen_by(row.id); });
    }
  });
  accepted([&] { store.last_unfinished_campaign(); });
  accepted([&] { store.versions(); });
  accepted([&] {
    for (const std::string& profile : store.covered_profiles()) store.coverage(profile);
  });
}

/// Another hit, and an explanation: both read the rows that are there.
void write(store::Store& store) {
  const Case c = parse_case("conv1d in=5 k=2");
  accepted([&] { store.record(1, {c, "mine", Verdict::kWrongExact, Blame::kTarget, {}}); });
  accepted([&] {
    store.explain(2, {.case_text = "conv2d in=4x4 k=3 p=1",
                      .geography = "g",
                      .predicate = "k >= 3",
                      .explanation = {.text = "k >= 3"}});
  });
}

void write_reports(const std::string& path) {
  const report::Report report = report::make_report({.database = path}, [](const std::string&) {});
  for (const reports::ReportWriter* writer : reports::all()) writer->write(report);
}

/// For readers that may not write it: a copy in memory.
void read_copy(const std::string& path) { store::open_copy(path, std::chrono::milliseconds(0)); }

/// Coverage is left out, because working out what a profile can reach takes seconds.
void forget_coverage(const std::string& path) {
  try {
    SQLite::Database(path, SQLite::OPEN_READWRITE).exec("DELETE FROM coverage");
  } catch (const SQLite::Exception&) {  // a damaged file: whoever opens it next has to say so
  }
}

void read_database(const Scratch& scratch, const std::string& path) {
  const std::string merged = scratch.path("merged.db");
  accepted([&] {
    const store::Store store = store::Store::open(path);
    read_rows(store);
    read_campaigns(store);
  });
  accepted([&] { read_copy(path); });
  accepted([&] { store::merge_databases(merged, {path}); });
  accepted([&] {
    store::Store store = store::Store::open(path);
    write(store);
  });
  forget_coverage(path);
  accepted([&] { write_reports(path); });
}

std::string sound_database(const Scratch& scratch, bool with_coverage) {
  const std::string path = scratch.path("sound.db");
  write_sound_database(path, with_coverage);
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

}  // namespace
}  // namespace convict::fuzz

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace convict::fuzz;
  using namespace convict;
  static const Scratch scratch;
  static const std::string sound = sound_database(scratch, false), covered = sound_database(scratch, true);
  if (size == 0) return 0;
  const std::string_view rest(reinterpret_cast<const char*>(data) + 1, size - 1);
  const std::string path = scratch.path("fuzzed.db");
  scratch.clear();
  scratch.write("fuzzed.db", data[0] == kRawFile ? rest : data[0] == kEditsWithCoverage ? covered : sound);
  switch (data[0]) {
    case kRawFile: break;
    case kHeader: edit_header(path, rest); break;
    case kSchema: edit_schema(path, rest); break;
    default: edit_database(path, rest);
  }
  read_database(scratch, path);
  return 0;
}
