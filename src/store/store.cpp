// SPDX-License-Identifier: Apache-2.0
#include "store/store.h"

#include <SQLiteCpp/SQLiteCpp.h>
#include <fmt/chrono.h>
#include <fmt/format.h>

#include <cmath>
#include <ctime>
#include <limits>
#include <utility>

#include "core/case_text.h"
#include "core/geometry.h"
#include "store/database.h"

namespace convict {
namespace {

using nlohmann::json;
using SQLite::TransactionBehavior;

std::string utc_now() { return fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(std::time(nullptr))); }

/// A crashed process may have printed anything: what is not UTF-8 is replaced instead of refused.
std::string to_json_text(const json& value) { return value.dump(-1, ' ', false, json::error_handler_t::replace); }

/// SQLite has no NaN: of an illegal problem whose cost is not a number, every other case is simpler.
double cost_of(const Case& c) {
  const double cost = multiply_adds(resolve(c).problem);
  return std::isfinite(cost) ? cost : std::numeric_limits<double>::max();
}

std::optional<Recorded> find(SQLite::Database& db, const std::string& signature) {
  SQLite::Statement select(db, "SELECT id, status FROM mismatches WHERE signature = ?");
  select.bind(1, signature);
  if (!select.executeStep()) return std::nullopt;
  return Recorded{select.getColumn(0).getInt64(), false, select.getColumn(1).getString()};
}

/// What two hits of one signature may differ in.
void bind_evidence(SQLite::Statement& statement, const Mismatch& mismatch) {
  statement.bind(":blame", std::string(name_of(mismatch.blame)));
  statement.bind(":case_text", to_text(mismatch.problem_case));
  statement.bind(":cost", cost_of(mismatch.problem_case));
  statement.bind(":certificate", to_json_text(mismatch.certificate));
}

void insert(SQLite::Database& db, int64_t campaign, const std::string& key, const Mismatch& mismatch) {
  SQLite::Statement statement(db, R"sql(
    INSERT INTO mismatches (signature, verdict, suspect, blame, case_text, cost, certificate,
                            first_seen, last_seen, first_campaign, last_campaign)
    VALUES (:signature, :verdict, :suspect, :blame, :case_text, :cost, :certificate, :now, :now, :campaign, :campaign)
  )sql");
  statement.bind(":signature", key);
  statement.bind(":verdict", std::string(name_of(mismatch.verdict)));
  statement.bind(":suspect", mismatch.suspect);
  bind_evidence(statement, mismatch);
  statement.bind(":now", utc_now());
  statement.bind(":campaign", campaign);
  statement.exec();
}

void count_hit(SQLite::Database& db, int64_t campaign, int64_t id) {
  SQLite::Statement statement(db, R"sql(
    UPDATE mismatches SET hits = hits + 1, last_seen = max(last_seen, :now), last_campaign = :campaign WHERE id = :id
  )sql");
  statement.bind(":now", utc_now());
  statement.bind(":campaign", campaign);
  statement.bind(":id", id);
  statement.exec();
}

/// Certificate and blame are compared last, so that the order is total even if the same case is caught twice and does
/// not fail in the same way.
void keep_simplest(SQLite::Database& db, int64_t id, const Mismatch& mismatch) {
  SQLite::Statement statement(db, R"sql(
    UPDATE mismatches SET case_text = :case_text, cost = :cost, certificate = :certificate, blame = :blame
    WHERE id = :id AND (:cost, length(:case_text), :case_text, :certificate, :blame)
                     < (cost, length(case_text), case_text, certificate, blame)
  )sql");
  bind_evidence(statement, mismatch);
  statement.bind(":id", id);
  statement.exec();
}

MismatchRow row_of(const SQLite::Statement& at, const std::string& path) {
  const auto text = [&at](const char* column) { return at.getColumn(column).getString(); };
  const auto number = [&at](const char* column) { return at.getColumn(column).getInt64(); };
  MismatchRow row;
  row.id = number("id");
  row.signature = text("signature");
  row.verdict = text("verdict");
  row.suspect = text("suspect");
  row.blame = text("blame");
  row.case_text = text("case_text");
  row.cost = at.getColumn("cost").getDouble();
  if (!at.getColumn("shrunk_text").isNull()) row.shrunk_text = text("shrunk_text");
  row.certificate = json::parse(text("certificate"), nullptr, /*allow_exceptions=*/false);
  if (row.certificate.is_discarded())
    throw store::bad_database(path, fmt::format("the certificate of mismatch {} is not JSON", row.id), "correct it");
  row.first_seen = text("first_seen");
  row.last_seen = text("last_seen");
  row.hits = number("hits");
  row.status = text("status");
  row.link = text("link");
  row.note = text("note");
  row.first_campaign = number("first_campaign");
  row.last_campaign = number("last_campaign");
  return row;
}

StoredCoverage read_coverage(SQLite::Database& db, const std::string& profile) {
  SQLite::Statement select(db, "SELECT feature_table, tuples FROM coverage WHERE profile = ?");
  select.bind(1, profile);
  StoredCoverage stored;
  if (!select.executeStep()) return stored;
  if (select.getColumn(0).getString() != feature_table()) {
    stored.replaced = fmt::format("coverage of profile {} was of another feature table: counted anew", profile);
    return stored;
  }
  const SQLite::Column blob = select.getColumn(1);
  try {
    stored.coverage = Coverage::parse({static_cast<const char*>(blob.getBlob()), static_cast<size_t>(blob.size())});
  } catch (const UsageError& error) {
    stored.replaced = fmt::format("coverage of profile {} counted anew: {}", profile, error.what());
  }
  return stored;
}

void write_coverage(SQLite::Database& db, const std::string& profile, const Coverage& coverage) {
  SQLite::Statement statement(db, R"sql(
    INSERT OR REPLACE INTO coverage (profile, feature_table, cases, tuples, updated)
    VALUES (:profile, :feature_table, :cases, :tuples, :now)
  )sql");
  const std::string tuples = coverage.serialise();
  statement.bind(":profile", profile);
  statement.bind(":feature_table", feature_table());
  statement.bind(":cases", static_cast<int64_t>(coverage.cases()));
  statement.bind(":tuples", tuples.data(), static_cast<int>(tuples.size()));
  statement.bind(":now", utc_now());
  statement.exec();
}

}  // namespace

Store::Store(std::string path, std::unique_ptr<SQLite::Database> db) : path_(std::move(path)), db_(std::move(db)) {}
Store::Store(Store&&) noexcept = default;
Store& Store::operator=(Store&&) noexcept = default;
Store::~Store() = default;

Store Store::open(const std::string& path, std::chrono::milliseconds busy_timeout) {
  return {path, store::open_database(path, busy_timeout)};
}

template <class Body>
auto Store::guarded(const Body& body) const {
  try {
    return body(*db_);
  } catch (const SQLite::Exception& error) {
    throw store::bad_database(path_, error);
  }
}

int64_t Store::begin_campaign(const CampaignInfo& info) {
  return guarded([&](SQLite::Database& db) {
    SQLite::Statement statement(db, R"sql(
      INSERT INTO campaigns (seed, profile, flags, libraries, isa, convict_version, focus, started, updated)
      VALUES (:seed, :profile, :flags, :libraries, :isa, :version, :focus, :now, :now)
    )sql");
    statement.bind(":seed", std::to_string(info.seed));
    statement.bind(":profile", info.profile);
    statement.bind(":flags", to_json_text(info.flags));
    statement.bind(":libraries", to_json_text(info.libraries));
    statement.bind(":isa", info.isa);
    statement.bind(":version", info.version);
    statement.bind(":focus", info.focus.empty() ? "" : to_json_text(info.focus));
    statement.bind(":now", utc_now());
    statement.exec();
    return db.getLastInsertRowid();
  });
}

void Store::update_campaign(int64_t id, const json& counts, std::string_view state) {
  const int rows = guarded([&](SQLite::Database& db) {
    SQLite::Statement statement(db, R"sql(
      UPDATE campaigns SET counts = :counts, state = :state, updated = :now,
                           ended = CASE :state WHEN 'running' THEN NULL ELSE :now END
      WHERE id = :id
    )sql");
    statement.bind(":counts", to_json_text(counts));
    statement.bind(":state", std::string(state));
    statement.bind(":now", utc_now());
    statement.bind(":id", id);
    return statement.exec();
  });
  if (rows == 0) throw store::bad_database(path_, fmt::format("campaign {} is gone", id), "start another one");
}

std::vector<CampaignRow> Store::campaigns() const {
  return guarded([&](SQLite::Database& db) {
    SQLite::Statement select(db, "SELECT id, profile, state, counts FROM campaigns ORDER BY id");
    std::vector<CampaignRow> rows;
    while (select.executeStep()) {
      CampaignRow& row = rows.emplace_back();
      row.id = select.getColumn(0).getInt64();
      row.profile = select.getColumn(1).getString();
      row.state = select.getColumn(2).getString();
      row.counts = json::parse(select.getColumn(3).getString());  // the schema admits nothing else
    }
    return rows;
  });
}

StoredCoverage Store::coverage(const std::string& profile) const {
  return guarded([&](SQLite::Database& db) { return read_coverage(db, profile); });
}

StoredCoverage Store::add_coverage(const std::string& profile, const Coverage& more) {
  return guarded([&](SQLite::Database& db) {
    SQLite::Transaction transaction(db, TransactionBehavior::IMMEDIATE);  // nobody writes between reading and writing
    StoredCoverage sum = read_coverage(db, profile);
    sum.coverage.merge(more);
    write_coverage(db, profile, sum.coverage);
    transaction.commit();
    return sum;
  });
}

std::vector<std::string> Store::covered_profiles() const {
  return guarded([&](SQLite::Database& db) {
    SQLite::Statement select(db, "SELECT profile FROM coverage ORDER BY profile");
    std::vector<std::string> names;
    while (select.executeStep()) names.push_back(select.getColumn(0).getString());
    return names;
  });
}

Recorded Store::record(int64_t campaign, const Mismatch& mismatch) {
  const std::string key = signature(mismatch);
  return guarded([&](SQLite::Database& db) {
    // IMMEDIATE: two processes that both read first and write then could not both go on.
    SQLite::Transaction transaction(db, TransactionBehavior::IMMEDIATE);
    std::optional<Recorded> known = find(db, key);
    if (known) {
      count_hit(db, campaign, known->id);
      keep_simplest(db, known->id, mismatch);
    } else {
      insert(db, campaign, key, mismatch);
      known = find(db, key);
      known->first_ever = true;
    }
    transaction.commit();
    return *known;
  });
}

std::vector<MismatchRow> Store::mismatches(const MismatchFilter& filter) const {
  return guarded([&](SQLite::Database& db) {
    SQLite::Statement select(db, R"sql(
      SELECT * FROM mismatches
      WHERE :status IN ('', status) AND :suspect IN ('', suspect)
      ORDER BY id
    )sql");
    select.bind(":status", filter.status);
    select.bind(":suspect", filter.suspect);
    std::vector<MismatchRow> rows;
    while (select.executeStep()) rows.push_back(row_of(select, path_));
    return rows;
  });
}

std::optional<MismatchRow> Store::mismatch(int64_t id) const {
  return guarded([&](SQLite::Database& db) -> std::optional<MismatchRow> {
    SQLite::Statement select(db, "SELECT * FROM mismatches WHERE id = ?");
    select.bind(1, id);
    if (!select.executeStep()) return std::nullopt;
    return row_of(select, path_);
  });
}

}  // namespace convict
