// SPDX-License-Identifier: Apache-2.0
#include "store/campaign_table.h"

#include <SQLiteCpp/VariadicBind.h>
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "core/error.h"
#include "core/text.h"
#include "store/database.h"
#include "store/mismatch_table.h"

namespace convict::store {

using nlohmann::json;

namespace {

std::vector<Moment> select_moments(Statements& sql, int64_t campaign) {
  const auto select = sql("SELECT seconds, cases, pairs, triples FROM moments WHERE campaign = ? ORDER BY seconds");
  select->bind(1, campaign);
  std::vector<Moment> moments;
  while (select->executeStep()) moments.push_back(moment_at(*select, 0));
  return moments;
}

}  // namespace

std::optional<StoredCampaign> select_campaign(Statements& sql, int64_t id, const std::string& path) {
  const auto select = sql("SELECT * FROM campaigns WHERE id = ?");
  select->bind(1, id);
  if (!select->executeStep()) return std::nullopt;
  const auto text = [&select](const char* column) { return select->getColumn(column).getString(); };
  try {
    StoredCampaign row;
    row.id = id;
    const auto seed = parse_unsigned(text("seed"));
    if (!seed) throw UsageError("the seed is not a number");
    std::vector<uint32_t> focus;
    if (!text("focus").empty()) json::parse(text("focus")).get_to(focus);
    const json flags = json::parse(text("flags")), libraries = json::parse(text("libraries"));
    row.info = {*seed,       text("profile"),         flags, libraries,
                text("isa"), text("convict_version"), focus, json::parse(text("surveys"))};
    row.state = text("state");
    row.counts = json::parse(text("counts"));
    row.started = text("started");
    row.ended = text("ended");  // NULL reads as no text
    row.done = DoneCases::from_json(json::parse(text("done")));
    row.moments = select_moments(sql, id);
    row.ratios = ratios_from_json(json::parse(text("ratios")));
    row.judged = json::parse(text("judged"));
    if (!row.info.flags.is_object() || !row.info.libraries.is_object() || !row.counts.is_object())
      throw UsageError("flags, libraries and counts are not all objects");
    return row;
  } catch (const json::exception& error) {
    throw bad_database(path, fmt::format("campaign {} is damaged ({})", id, printable(error.what(), 200)),
                       "start another one");
  } catch (const UsageError& error) {
    throw bad_database(path, fmt::format("campaign {} is damaged ({})", id, error.what()), "start another one");
  }
}

std::optional<int64_t> last_unfinished(SQLite::Database& db) {
  SQLite::Statement select(db, "SELECT id FROM campaigns WHERE state <> 'finished' ORDER BY id DESC LIMIT 1");
  if (!select.executeStep()) return std::nullopt;
  return select.getColumn(0).getInt64();
}

int64_t insert_campaign(Statements& sql, const CampaignInfo& info) {
  const auto statement = sql(R"sql(
    INSERT INTO campaigns (uuid, seed, profile, flags, libraries, isa, convict_version, focus, surveys,
                           started, updated)
    VALUES (lower(hex(randomblob(16))), :seed, :profile, :flags, :libraries, :isa, :version, :focus, :surveys,
            :now, :now)
  )sql");
  statement->bind(":seed", std::to_string(info.seed));
  statement->bind(":profile", info.profile);
  statement->bind(":flags", to_json_text(info.flags));
  statement->bind(":libraries", to_json_text(info.libraries));
  statement->bind(":isa", info.isa);
  statement->bind(":version", info.version);
  statement->bind(":focus", info.focus.empty() ? "" : to_json_text(info.focus));
  statement->bind(":surveys", to_json_text(info.surveys));
  statement->bind(":now", utc_now());
  statement->exec();
  return sql.database().getLastInsertRowid();
}

void write_state(Statements& sql, int64_t id, const json& counts, CampaignState state, const std::string& path) {
  const auto statement = sql(R"sql(
    UPDATE campaigns SET counts = :counts, state = :state, updated = max(updated, :now),
                         ended = CASE WHEN :runs THEN NULL ELSE max(updated, :now) END
    WHERE id = :id
  )sql");
  statement->bind(":counts", to_json_text(counts));
  statement->bind(":state", std::string(name_of(state)));
  statement->bind(":runs", state == CampaignState::kRunning ? 1 : 0);
  statement->bind(":now", utc_now());
  statement->bind(":id", id);
  if (statement->exec() == 0) throw bad_database(path, fmt::format("campaign {} is gone", id), "start another one");
}

void write_done(SQLite::Database& db, int64_t id, const json& done) {
  SQLite::Statement statement(db, "UPDATE campaigns SET done = :done WHERE id = :id");
  bind_all(statement, ":done", to_json_text(done), ":id", id);
  statement.exec();
}

void write_ratios(Statements& sql, int64_t id, const Ratios& ratios) {
  const auto statement = sql("UPDATE campaigns SET ratios = :ratios WHERE id = :id");
  bind_all(*statement, ":ratios", to_json_text(to_json(ratios)), ":id", id);
  statement->exec();
}

void write_judged(Statements& sql, int64_t id, const json& judged) {
  const auto statement = sql("UPDATE campaigns SET judged = :judged WHERE id = :id");
  bind_all(*statement, ":judged", to_json_text(judged), ":id", id);
  statement->exec();
}

void write_moments(Statements& sql, int64_t id, std::span<const Moment> moments) {
  {
    const auto clear = sql("DELETE FROM moments WHERE campaign = ?");
    clear->bind(1, id);
    clear->exec();
  }
  for (const Moment& moment : moments) {
    const auto insert = sql("INSERT INTO moments (campaign, seconds, cases, pairs, triples) VALUES (?, ?, ?, ?, ?)");
    SQLite::bind(*insert, id, moment.seconds, static_cast<int64_t>(moment.cases), moment.pairs, moment.triples);
    insert->exec();
  }
}

Moment moment_at(const SQLite::Statement& at, int column) {
  return {at.getColumn(column).getDouble(), static_cast<uint64_t>(at.getColumn(column + 1).getInt64()),
          at.getColumn(column + 2).getUInt(), at.getColumn(column + 3).getUInt()};
}

std::vector<std::pair<MismatchRow, int64_t>> select_seen_by(Statements& sql, int64_t campaign,
                                                            const std::string& path) {
  SQLite::Statement select(sql.database(), "SELECT mismatch, hits FROM sightings WHERE campaign = ? ORDER BY mismatch");
  select.bind(1, campaign);
  std::vector<std::pair<MismatchRow, int64_t>> list;
  while (select.executeStep())
    if (auto row = select_mismatch(sql, select.getColumn(0).getInt64(), path))
      list.emplace_back(std::move(*row), select.getColumn(1).getInt64());
  return list;
}

}  // namespace convict::store
