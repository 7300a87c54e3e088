// SPDX-License-Identifier: Apache-2.0
#include "store/score_table.h"

#include "store/database.h"

namespace convict::store {

using nlohmann::json;

void insert_score(Statements& sql, const StoredScore& score) {
  const auto statement = sql(R"sql(
    INSERT INTO scores (uuid, written, convict_version, settings, result)
    VALUES (lower(hex(randomblob(16))), :written, :version, :settings, :result)
  )sql");
  statement->bind(":written", score.written);
  statement->bind(":version", score.version);
  statement->bind(":settings", to_json_text(score.settings));
  statement->bind(":result", to_json_text(score.result));
  statement->exec();
}

/// For scores written in the same second, the uuid decides.
std::optional<StoredScore> select_last_score(Statements& sql, const std::string& path) {
  const auto select =
      sql("SELECT written, convict_version, settings, result FROM scores ORDER BY written DESC, uuid DESC LIMIT 1");
  if (!select->executeStep()) return std::nullopt;
  const auto text = [&](int column) { return select->getColumn(column).getString(); };
  const auto parsed = [&](int column) { return json::parse(text(column), nullptr, /*allow_exceptions=*/false); };
  StoredScore score{text(0), text(1), parsed(2), parsed(3)};
  if (!score.settings.is_object() || !score.result.is_object())
    throw bad_database(path, "settings and result of the last score are not both JSON objects", "remove it");
  return score;
}

}  // namespace convict::store
