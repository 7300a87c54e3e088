// SPDX-License-Identifier: Apache-2.0
#include "store/migration.h"

#include <fmt/format.h>
#include <sqlite3.h>

#include <algorithm>
#include <cctype>
#include <cstdint>
#include <set>
#include <tuple>
#include <utility>
#include <vector>

#include "core/text.h"
#include "store/old_schema.h"
#include "store/schema.h"
#include "store/trouble.h"

namespace convict::store {
namespace {

/// The end of what begins at `at`: a quoted text or name, a comment, or one character.
size_t end_of_token(std::string_view sql, size_t at) {
  const auto behind = [&](std::string_view what, size_t from) {
    const size_t end = sql.find(what, from);
    return end == std::string_view::npos ? sql.size() : end + what.size();
  };
  if (sql.substr(at, 2) == "--") return behind("\n", at);
  if (sql.substr(at, 2) == "/*") return behind("*/", at + 2);
  if (std::string_view("'\"`").find(sql[at]) != std::string_view::npos) return behind(sql.substr(at, 1), at + 1);
  return at + 1;
}

/// The statement with one blank in place of comments and blanks: tools that copy a database may change them.
std::string plain(std::string_view sql) {
  std::string text;
  bool blank = false;
  for (size_t at = 0; at < sql.size();) {
    const size_t end = end_of_token(sql, at);
    const std::string_view token = sql.substr(at, end - at);
    const bool skipped =
        token.starts_with("--") || token.starts_with("/*") || std::isspace(static_cast<unsigned char>(token[0])) != 0;
    if (!skipped && std::exchange(blank, false)) text += ' ';
    blank |= skipped;
    if (!skipped) text += token;
    at = end;
  }
  return text;
}

/// Something that a schema defines: type, name, its table, the statement that made it.
using Definition = std::tuple<std::string, std::string, std::string, std::string>;

std::multiset<Definition> definitions_in(SQLite::Database& db) {
  SQLite::Statement select(db, "SELECT type, name, tbl_name, sql FROM sqlite_schema");
  std::multiset<Definition> all;
  const auto text = [&](int column) { return select.getColumn(column).getString(); };
  while (select.executeStep()) all.emplace(text(0), text(1), text(2), plain(text(3)));
  return all;
}

std::multiset<Definition> expected_definitions(int version) {
  SQLite::Database db(":memory:", SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE);
  if (version != 0) db.exec(version == kSchemaVersion ? kSchema : kOldSchema);
  return definitions_in(db);
}

/// "a view 'v'" of the first definition that is in one and not in the other; "" if there is none.
std::string first_only_in(const std::multiset<Definition>& one, const std::multiset<Definition>& other) {
  std::vector<Definition> rest;
  std::ranges::set_difference(one, other, std::back_inserter(rest));
  if (rest.empty()) return "";
  return fmt::format("{} '{}'", printable(std::get<0>(rest[0]), 20), printable(std::get<1>(rest[0]), 60));
}

/// 0 of an empty database.
int version_of(SQLite::Database& db, const std::string& path) {
  const int version = db.execAndGet("PRAGMA user_version").getInt();
  if (version == 0 || version == kOldSchemaVersion || version == kSchemaVersion) return version;
  if (version > kSchemaVersion)
    throw bad_database(
        path, fmt::format("its schema has version {}, and this convict knows up to {}", version, kSchemaVersion),
        "use a newer convict, or another file");
  throw bad_database(
      path, fmt::format("its schema has version {}, which {}", version,
                        version < 0 ? "no convict has made" : "only convicts before the first release have made"),
      kChooseOurs);
}

/// In one transaction of the caller.
void convert(SQLite::Database& db) {
  for (const char* index : kOldIndexes) db.exec(fmt::format("DROP INDEX {}", index));
  for (const char* table : kOldTables) db.exec(fmt::format("ALTER TABLE {0} RENAME TO old_{0}", table));
  db.exec(kSchema);
  db.exec(kConversion);
  for (const char* table : kOldTables) db.exec(fmt::format("DROP TABLE old_{}", table));
}

}  // namespace

std::string fingerprint(std::string_view text) {
  uint64_t one = 0xcbf29ce484222325, other = ~one;
  for (const char byte : text) {
    one = (one ^ static_cast<unsigned char>(byte)) * 0x100000001b3;
    other = (other ^ static_cast<unsigned char>(byte)) * 0x100000001b3;
  }
  return fmt::format("{:016x}{:016x}", one, other);
}

void define_functions(SQLite::Database& db) {
  const auto call = [](sqlite3_context* context, int, sqlite3_value** arguments) {
    const auto* text = reinterpret_cast<const char*>(sqlite3_value_text(arguments[0]));
    const std::string result = fingerprint(text ? text : "");
    sqlite3_result_text(context, result.c_str(), static_cast<int>(result.size()), SQLITE_TRANSIENT);
  };
  db.createFunction("fingerprint", 1, /*aDeterministic=*/true, nullptr, call);
}

void refuse_foreign_schema(SQLite::Database& db, const std::string& path) {
  const SQLite::Transaction reading(db);  // another process may convert it between the two questions
  const auto expected = expected_definitions(version_of(db, path));
  const auto found = definitions_in(db);
  if (found == expected) return;
  if (const std::string foreign = first_only_in(found, expected); !foreign.empty())
    throw bad_database(path, fmt::format("{} of its schema is not of convict", foreign),
                       "remove it with sqlite3, or choose a database that only convict has made");
  throw bad_database(path, fmt::format("{} of its schema is missing", first_only_in(expected, found)), kChooseOurs);
}

void bring_up_to_date(SQLite::Database& db, const std::string& path) {
  define_functions(db);
  if (version_of(db, path) == kSchemaVersion) return;
  SQLite::Transaction transaction(db, SQLite::TransactionBehavior::IMMEDIATE);
  const int version = version_of(db, path);  // again: another process may have been faster
  if (version == 0) db.exec(kSchema);
  if (version == kOldSchemaVersion) convert(db);
  transaction.commit();
}

}  // namespace convict::store
