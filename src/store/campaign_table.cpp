// SPDX-License-Identifier: Apache-2.0
//
// The tables `campaigns`, `moments`, `coverage` and `scores`.
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "core/error.h"
#include "core/json_text.h"
#include "core/text.h"
#include "store/database.h"
#include "store/tables.h"

namespace convict::store {

using nlohmann::json;

namespace {

std::vector<Moment> select_moments(Statements& sql, int64_t campaign) {
  const auto select = sql("SELECT seconds, cases, pairs, triples FROM moments WHERE campaign = :id ORDER BY seconds",
                          ":id", campaign);
  std::vector<Moment> moments;
  while (select->executeStep()) moments.push_back(moment_at(*select, 0));
  return moments;
}

std::optional<StoredCampaign> select_campaign(Statements& sql, int64_t id, const std::string& path) {
  const auto select = sql("SELECT * FROM campaigns WHERE id = :id", ":id", id);
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

StoredCoverage read_coverage(Statements& sql, const std::string& profile) {
  const auto select =
      sql("SELECT feature_table, tuples FROM coverage WHERE profile = :profile", ":profile", profile);
  StoredCoverage stored;
  if (!select->executeStep()) return stored;
  if (select->getColumn(0).getString() != feature_table()) {
    stored.replaced = fmt::format("coverage of profile {} was of another feature table: counted anew", profile);
    return stored;
  }
  const SQLite::Column blob = select->getColumn(1);
  try {
    stored.coverage = Coverage::parse({static_cast<const char*>(blob.getBlob()), static_cast<size_t>(blob.size())});
  } catch (const UsageError& error) {
    stored.replaced = fmt::format("coverage of profile {} counted anew: {}", profile, error.what());
  }
  return stored;
}

}  // namespace

void write_state(Statements& sql, int64_t id, const json& counts, CampaignState state, const std::string& path) {
  const int changed = sql(R"sql(
    UPDATE campaigns SET counts = :counts, state = :state, updated = max(updated, :now),
                         ended = CASE WHEN :runs THEN NULL ELSE max(updated, :now) END
    WHERE id = :id
  )sql",
                          ":counts", json_line(counts), ":state", std::string(name_of(state)), ":runs",
                          state == CampaignState::kRunning ? 1 : 0, ":now", utc_now(), ":id", id)
                          ->exec();
  if (changed == 0) throw bad_database(path, fmt::format("campaign {} is gone", id), "start another one");
}

void write_done(Statements& sql, int64_t id, const DoneCases& done) {
  sql("UPDATE campaigns SET done = :done WHERE id = :id", ":done", json_line(done.to_json()), ":id", id)->exec();
}

void write_moments(Statements& sql, int64_t id, std::span<const Moment> moments) {
  sql("DELETE FROM moments WHERE campaign = :id", ":id", id)->exec();
  for (const Moment& moment : moments)
    sql("INSERT INTO moments (campaign, seconds, cases, pairs, triples) "
        "VALUES (:id, :seconds, :cases, :pairs, :triples)",
        ":id", id, ":seconds", moment.seconds, ":cases", static_cast<int64_t>(moment.cases), ":pairs", moment.pairs,
        ":triples", moment.triples)
        ->exec();
}

void write_coverage(Statements& sql, const std::string& profile, const CoverageRow& row) {
  const auto statement = sql(R"sql(
    INSERT OR REPLACE INTO coverage (profile, feature_table, cases, tuples, updated)
    VALUES (:profile, :table, :cases, :tuples, :updated)
  )sql",
                             ":profile", profile, ":table", row.table, ":cases", static_cast<int64_t>(row.cases),
                             ":updated", row.updated);
  statement->bind(":tuples", row.tuples.data(), static_cast<int>(row.tuples.size()));
  statement->exec();
}

Moment moment_at(const SQLite::Statement& at, int column) {
  return {at.getColumn(column).getDouble(), static_cast<uint64_t>(at.getColumn(column + 1).getInt64()),
          at.getColumn(column + 2).getUInt(), at.getColumn(column + 3).getUInt()};
}

int64_t Store::begin_campaign(const CampaignInfo& info) {
  return written([&](Statements& sql) {
    sql(R"sql(
      INSERT INTO campaigns (uuid, seed, profile, flags, libraries, isa, convict_version, focus, surveys,
                             started, updated)
      VALUES (lower(hex(randomblob(16))), :seed, :profile, :flags, :libraries, :isa, :version, :focus, :surveys,
              :now, :now)
    )sql",
        ":seed", std::to_string(info.seed), ":profile", info.profile, ":flags", json_line(info.flags), ":libraries",
        json_line(info.libraries), ":isa", info.isa, ":version", info.version, ":focus",
        info.focus.empty() ? "" : json_line(info.focus), ":surveys", json_line(info.surveys), ":now", utc_now())
        ->exec();
    return sql.database().getLastInsertRowid();
  });
}

void Store::update_campaign(int64_t id, const json& counts, CampaignState state) {
  written([&](Statements& sql) { write_state(sql, id, counts, state, path_); });
}

void Store::update_campaign(int64_t id, const json& counts, CampaignState state, const Examined& examined) {
  written([&](Statements& sql) {
    write_state(sql, id, counts, state, path_);
    write_done(sql, id, examined.done);
    sql("UPDATE campaigns SET ratios = :ratios, judged = :judged WHERE id = :id", ":ratios",
        json_line(to_json(examined.ratios)), ":judged", json_line(examined.judged), ":id", id)
        ->exec();
    write_moments(sql, id, examined.timeline.moments());
  });
}

std::vector<CampaignRow> Store::campaigns() const {
  return guarded([&](Statements& sql) {
    const auto select = sql("SELECT id, profile, state, counts FROM campaigns ORDER BY id");
    std::vector<CampaignRow> rows;
    while (select->executeStep()) {
      CampaignRow& row = rows.emplace_back();
      row.id = select->getColumn(0).getInt64();
      row.profile = select->getColumn(1).getString();
      row.state = select->getColumn(2).getString();
      const std::string what = fmt::format("the counts of campaign {}", row.id);
      row.counts = from_json_text(select->getColumn(3).getString(), what, path_);
      if (!row.counts.is_object()) throw bad_database(path_, what + " are not an object", "correct them");
    }
    return rows;
  });
}

std::optional<StoredCampaign> Store::campaign(int64_t id) const {
  return guarded([&](Statements& sql) { return select_campaign(sql, id, path_); });
}

std::optional<int64_t> Store::last_unfinished_campaign() const {
  return guarded([](Statements& sql) {
    return sql.number("SELECT id FROM campaigns WHERE state <> 'finished' ORDER BY id DESC LIMIT 1");
  });
}

std::vector<std::pair<MismatchRow, int64_t>> Store::seen_by(int64_t campaign) const {
  return guarded([&](Statements& sql) {
    const auto select =
        sql("SELECT mismatch, hits FROM sightings WHERE campaign = :id ORDER BY mismatch", ":id", campaign);
    std::vector<std::pair<MismatchRow, int64_t>> list;
    while (select->executeStep())
      if (auto row = select_mismatch(sql, select->getColumn(0).getInt64(), path_))
        list.emplace_back(std::move(*row), select->getColumn(1).getInt64());
    return list;
  });
}

std::map<std::string, std::set<std::string>> Store::versions() const {
  return guarded([&](Statements& sql) {
    const auto select = sql("SELECT DISTINCT key, value FROM campaigns, json_each(libraries)");
    std::map<std::string, std::set<std::string>> versions;
    while (select->executeStep()) versions[select->getColumn(0).getString()].insert(select->getColumn(1).getString());
    return versions;
  });
}

StoredCoverage Store::coverage(const std::string& profile) const {
  return guarded([&](Statements& sql) { return read_coverage(sql, profile); });
}

StoredCoverage Store::add_coverage(const std::string& profile, const Coverage& more) {
  return written([&](Statements& sql) {
    StoredCoverage sum = read_coverage(sql, profile);
    sum.coverage.merge(more);
    write_coverage(sql, profile, {feature_table(), sum.coverage.serialise(), utc_now(), sum.coverage.cases()});
    return sum;
  });
}

std::vector<std::string> Store::covered_profiles() const {
  return guarded([&](Statements& sql) {
    const auto select = sql("SELECT profile FROM coverage ORDER BY profile");
    std::vector<std::string> names;
    while (select->executeStep()) names.push_back(select->getColumn(0).getString());
    return names;
  });
}

void Store::add_score(const StoredScore& score) {
  written([&](Statements& sql) {
    sql(R"sql(
      INSERT INTO scores (uuid, written, convict_version, settings, result)
      VALUES (lower(hex(randomblob(16))), :written, :version, :settings, :result)
    )sql",
        ":written", score.written, ":version", score.version, ":settings", json_line(score.settings), ":result",
        json_line(score.result))
        ->exec();
  });
}

/// Of scores written in the same second, the uuid decides.
std::optional<StoredScore> Store::last_score() const {
  return guarded([&](Statements& sql) -> std::optional<StoredScore> {
    const auto select =
        sql("SELECT written, convict_version, settings, result FROM scores ORDER BY written DESC, uuid DESC LIMIT 1");
    if (!select->executeStep()) return std::nullopt;
    const auto text = [&](int column) { return select->getColumn(column).getString(); };
    const auto parsed = [&](int column) { return json::parse(text(column), nullptr, /*allow_exceptions=*/false); };
    StoredScore score{text(0), text(1), parsed(2), parsed(3)};
    if (!score.settings.is_object() || !score.result.is_object())
      throw bad_database(path_, "settings and result of the last score are not both JSON objects", "remove it");
    return score;
  });
}

}  // namespace convict::store
