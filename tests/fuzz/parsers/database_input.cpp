// SPDX-License-Identifier: Apache-2.0
#include "tests/fuzz/parsers/database_input.h"

#include <SQLiteCpp/SQLiteCpp.h>
#include <fmt/format.h>

#include <array>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>

#include "core/case_text.h"
#include "core/features.h"
#include "core/geometry.h"
#include "core/text.h"
#include "store/store.h"

namespace convict::fuzz {
namespace {

Mismatch wrong(const char* line, const char* suspect) {
  Certificate certificate;
  certificate.element.role = "dst";
  certificate.element.at = std::vector<int64_t>{0, 0, 0};
  certificate.element.terms = 1;
  certificate.witnesses.emplace().emplace("onednn", "agrees");
  return {parse_case(line), suspect, Verdict::kWrongExact, Blame::kTarget, certificate};
}

void fill(store::Store& store) {
  const int64_t first =
      store.begin_campaign({.seed = 7, .profile = "smoke", .libraries = {{"mine", "1.0"}}, .focus = {3}});
  const Mismatch one = wrong("conv1d in=5 k=2", "mine"), other = wrong("conv2d in=4x4 k=3 p=1", "mine");
  Intervals done;
  done.add(0, 100);
  Timeline timeline;
  timeline.add({.seconds = 1, .cases = 100, .pairs = 9, .triples = 3});
  Ratios ratios;
  ratios["mine"].add(0.25);
  store.record(first, std::vector<Mismatch>{one, one, other}, {done}, {{"cases", 100}});
  store.update_campaign(first, {{"cases", 100}, {"judged", 99}}, store::CampaignState::kFinished,
                        {.done = {done}, .timeline = timeline, .ratios = ratios});
  store.explain(1, {.case_text = "conv1d in=5 k=2",
                    .shrunk_text = "conv1d in=2 k=2",
                    .shrunk_certificate = one.certificate,
                    .geography = "everywhere",
                    .predicate = "k >= 2",
                    .explanation = {.text = "k >= 2"}});
  const int64_t second = store.begin_campaign({.seed = 8, .profile = "all", .libraries = {{"mine", "1.1"}}});
  store.record(second, wrong("conv_transpose1d in=5 k=2 s=2", "theirs"));
  store.triage({{1, {.status = "known", .link = "L", .note = "N", .versions = {{"mine", "1.0"}}}}});
}

void cover(store::Store& store) {
  const Case c = parse_case("conv1d in=5 k=2");
  Coverage coverage;
  coverage.add(levels_of(c, resolve(c).problem));
  store.add_coverage("smoke", coverage);
}

void bind(SQLite::Statement& statement, EditAs as, const std::string& value) {
  switch (as) {
    case EditAs::kText: return statement.bind(1, value);
    case EditAs::kBlob: return statement.bind(1, value.data(), static_cast<int>(value.size()));
    case EditAs::kNumber:
      if (const auto integer = parse_integer(value)) return statement.bind(1, *integer);
      return statement.bind(1, std::strtod(value.c_str(), nullptr));
    case EditAs::kNull: return statement.bind(1);
  }
}

void edit(SQLite::Database& db, const std::string& column, unsigned char how, const std::string& value) {
  const size_t dot = column.find('.');
  const std::string table = column.substr(0, dot), name = column.substr(dot + 1);
  const std::string key = table == "coverage"                             ? "profile"
                          : table == "campaigns" || table == "mismatches" ? "id"
                                                                          : "mismatch";
  const bool first_only = how & 4;
  try {
    SQLite::Statement statement(
        db, fmt::format("UPDATE OR IGNORE {0} SET {1} = ?{2}", table, name,
                        first_only ? fmt::format(" WHERE {0} = (SELECT min({0}) FROM {1})", key, table) : ""));
    bind(statement, static_cast<EditAs>(how & 3), value);
    statement.exec();
  } catch (const SQLite::Exception&) {  // not a value for this column
  }
}

/// Where a number of the header is (https://sqlite.org/fileformat.html, section 1.3).
struct HeaderField {
  int offset, bytes;
};

constexpr std::array<HeaderField, kHeaderFields> kFields = {{
    {60, 4},  // user_version, the version of our schema
    {68, 4},  // application_id
    {16, 2},  // page size
    {18, 1},  // write version: 2 has a log
    {19, 1},  // read version
    {20, 1},  // bytes that are reserved on each page
    {24, 4},  // change counter
    {28, 4},  // pages of the file
    {32, 4},  // first free page
    {36, 4},  // free pages
    {40, 4},  // schema cookie
    {44, 4},  // format of the schema
    {48, 4},  // size of the cache
    {52, 4},  // largest root page
    {56, 4},  // text encoding
    {64, 4},  // incremental vacuum
    {92, 4},  // the change counter that the next number is of
    {96, 4},  // version of SQLite
}};

}  // namespace

std::vector<std::string> database_columns(const std::string& path) {
  SQLite::Database db(path);
  SQLite::Statement select(db, R"sql(
    SELECT t.name || '.' || c.name FROM sqlite_schema t JOIN pragma_table_info(t.name) c
    WHERE t.type = 'table' AND t.name NOT LIKE 'sqlite%' ORDER BY t.rowid, c.cid
  )sql");
  std::vector<std::string> columns;
  while (select.executeStep()) columns.push_back(select.getColumn(0).getString());
  return columns;
}

void write_sound_database(const std::string& path, bool with_coverage) {
  for (const char* more : {"", "-wal", "-shm"}) std::filesystem::remove(path + more);
  store::Store store = store::Store::open(path);
  fill(store);
  if (with_coverage) cover(store);
}

void edit_header(const std::string& path, std::string_view edits) {
  std::fstream file(path, std::ios::in | std::ios::out | std::ios::binary);
  for (; edits.size() >= kHeaderEdit; edits.remove_prefix(kHeaderEdit)) {
    const HeaderField& field = kFields[static_cast<unsigned char>(edits[0]) % kHeaderFields];
    const auto value = static_cast<uint32_t>(static_cast<signed char>(edits[1])) << 8 * (edits[2] & 3);
    file.seekp(field.offset);
    for (int byte = field.bytes - 1; byte >= 0; --byte) file.put(static_cast<char>(value >> 8 * byte));
  }
}

void edit_schema(const std::string& path, std::string_view definitions) {
  constexpr const char* kTypes[] = {"view", "trigger", "table", "index"};
  SQLite::Database db(path, SQLite::OPEN_READWRITE);
  db.exec("PRAGMA synchronous = OFF; PRAGMA writable_schema = ON; BEGIN");
  int number = 0;
  for (const std::string_view one : split(definitions, kEditSeparator)) {
    if (one.empty()) continue;
    SQLite::Statement insert(db, "INSERT INTO sqlite_schema VALUES (?1, 'x' || ?2, 'mismatches', 0, ?3)");
    insert.bind(1, kTypes[static_cast<unsigned char>(one[0]) % std::size(kTypes)]);
    insert.bind(2, ++number);
    insert.bind(3, std::string(one.substr(1)));
    insert.exec();
  }
  db.exec("COMMIT");
}

void edit_database(const std::string& path, std::string_view edits) {
  static const std::vector<std::string> columns = database_columns(path);
  SQLite::Database db(path, SQLite::OPEN_READWRITE);
  db.exec("PRAGMA synchronous = OFF; PRAGMA foreign_keys = OFF; BEGIN");
  for (const std::string_view one : split(edits, kEditSeparator)) {
    if (one.size() < 2) continue;
    const auto number = static_cast<unsigned char>(one[0]), how = static_cast<unsigned char>(one[1]);
    edit(db, columns[number % columns.size()], how, std::string(one.substr(2)));
  }
  db.exec("COMMIT");
}

}  // namespace convict::fuzz
