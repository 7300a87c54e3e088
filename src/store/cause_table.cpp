// SPDX-License-Identifier: Apache-2.0
#include "store/cause_table.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "core/error.h"
#include "core/text.h"
#include "store/database.h"

namespace convict::store {

KnownCauses::KnownCauses(Statements& sql, const std::string& path) {
  const auto select = sql("SELECT id, name, block FROM causes WHERE name IS NOT NULL ORDER BY id");
  while (select->executeStep()) {
    const std::string name = select->getColumn(1).getString();
    std::vector<Cause> block;
    try {
      block = parse_causes(select->getColumn(2).getString(), "its block");
    } catch (const UsageError&) {  // of another version, which knows more conditions
      continue;
    }
    if (block.size() != 1 || block[0].name != name)
      throw bad_database(path, fmt::format("cause '{}' has a block of another one", printable(name)), "remove it");
    causes_.push_back(std::move(block[0]));
    ids_.push_back(select->getColumn(0).getInt64());
  }
}

std::optional<KnownCauses::Match> KnownCauses::match(const Mismatch& mismatch, const std::string& version) const {
  const Cause* cause = cause_of(causes_, mismatch, version);
  if (!cause) return std::nullopt;
  return Match{ids_[static_cast<size_t>(cause - causes_.data())], cause};
}

std::optional<KnownCauses::Match> KnownCauses::match(Statements& sql, int64_t campaign, const Mismatch& mismatch) {
  if (causes_.empty()) return std::nullopt;
  const std::string who = who_was_seen(mismatch);
  const auto [version, is_new] = versions_.try_emplace({campaign, who});
  if (is_new) {
    const auto select =
        sql("SELECT ran.value FROM campaigns c, json_each(c.libraries) ran WHERE c.id = ? AND ran.key = ?");
    select->bind(1, campaign);
    select->bind(2, who);
    if (select->executeStep()) version->second = select->getColumn(0).getString();
  }
  return match(mismatch, version->second);
}

void write_known(Statements& sql, const std::vector<Cause>& causes) {
  for (const Cause& cause : causes) {
    const auto statement = sql(R"sql(
      INSERT INTO causes (name, title, block, status, link, note) VALUES (:name, :title, :block, :status, :link, :note)
      ON CONFLICT (name) DO UPDATE SET
        title = excluded.title, block = excluded.block,
        status = CASE triaged WHEN '' THEN excluded.status ELSE status END,
        link = CASE triaged WHEN '' THEN excluded.link ELSE link END,
        note = CASE triaged WHEN '' THEN excluded.note ELSE note END
    )sql");
    bind_all(*statement, ":name", cause.name, ":title", cause.title, ":block", cause.text(), ":status", cause.status,
             ":link", cause.link, ":note", cause.about.note);
    statement->exec();
  }
}

std::string signature_of_known(const std::string& coarse, const Cause& cause) {
  return fmt::format("{}|known|{}", coarse, cause.name);
}

std::vector<CauseRow> select_causes(Statements& sql, const std::string& path) {
  const auto select = sql("SELECT * FROM causes ORDER BY id");
  std::vector<CauseRow> rows;
  const auto text = [&](const char* column) { return select->getColumn(column).getString(); };
  while (select->executeStep()) {
    CauseRow& row = rows.emplace_back();
    row.id = select->getColumn("id").getInt64();
    row.name = select->getColumn("name").isNull() ? "" : text("name");
    row.title = text("title");
    row.block = text("block");
    row.status = text("status");
    row.link = text("link");
    row.note = text("note");
    row.triaged = text("triaged");
    row.versions = from_json_text(text("versions"), fmt::format("the versions of cause {}", row.id), path);
  }
  return rows;
}

}  // namespace convict::store
