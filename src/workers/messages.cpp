// SPDX-License-Identifier: Apache-2.0
#include "workers/messages.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <limits>

#include "core/error.h"
#include "core/json_text.h"
#include "core/strict_json.h"

namespace convict::workers {
namespace {

constexpr std::string_view kDigits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
constexpr int kBits = 5;
constexpr uint64_t kMoreFollow = 1 << kBits;

/// 0 to 63, or -1.
constexpr int value_of(char digit) {
  if (digit >= 'A' && digit <= 'Z') return digit - 'A';
  if (digit >= 'a' && digit <= 'z') return digit - 'a' + 26;
  if (digit >= '0' && digit <= '9') return digit - '0' + 52;
  return digit == '-' ? 62 : digit == '_' ? 63 : -1;
}

}  // namespace

std::string packed(std::vector<uint32_t> ids) {
  std::ranges::sort(ids);
  std::string text;
  uint32_t last = 0;
  for (const uint32_t id : ids) {
    uint32_t rest = id - last;
    for (; rest >= kMoreFollow; rest >>= kBits) text.push_back(kDigits[rest % kMoreFollow + kMoreFollow]);
    text.push_back(kDigits[rest]);
    last = id;
  }
  return text;
}

std::vector<uint32_t> unpacked(std::string_view text) {
  std::vector<uint32_t> ids;
  uint64_t last = 0, distance = 0;
  int shift = 0;
  for (const char digit : text) {
    const int value = value_of(digit);
    if (value < 0 || shift > 32) throw UsageError("a list of numbers that is none");
    distance |= (static_cast<uint64_t>(value) % kMoreFollow) << shift;
    shift += kBits;
    if (static_cast<uint64_t>(value) >= kMoreFollow) continue;
    last += distance;
    if (last > std::numeric_limits<uint32_t>::max()) throw UsageError("a list with a number that is too large");
    ids.push_back(static_cast<uint32_t>(last));
    distance = 0;
    shift = 0;
  }
  if (shift != 0) throw UsageError("a list of numbers that ends within one");
  return ids;
}

namespace {

using nlohmann::json;

// The first key of an order or a report tells which one it is.
constexpr const char *kRange = "range", *kCases = "cases", *kLayer = "layer";
constexpr const char *kRoster = "roster", *kError = "error", *kCase = "implementations", *kMismatches = "mismatches",
                     *kTimes = "times", *kDone = "done";

constexpr const char *kSurvey = "survey", *kSurveys = "surveys";

json to_json(const Work& work) { return {{kRange, {work.first, work.count, work.step, work.without}}}; }

json to_json(const GivenCases& given) {
  return {{kCases, given.cases},
          {"first", given.first},
          {"values", given.values},
          {"patient", given.patient},
          {"relations", name_of(given.relations)},
          {"history", given.is_history},
          {"without", given.without}};
}

json to_json(const Layer& layer) {
  return {{kLayer, layer.case_text},          {"index", layer.index},
          {"threads", layer.threads},         {"seconds", layer.seconds},
          {"repetitions", layer.repetitions}, {"without", layer.without}};
}

json to_json(const SurveyTargets& order) {
  return {{kSurvey, order.without}, {"pairs", order.pairs}};
}

json to_json(const Surveyed& surveyed) {
  json list = json::array();
  for (const generate::Survey& one : surveyed.surveys) list.push_back(one.to_json());
  return {{kSurveys, list}};
}

json to_json(const Loaded& loaded) {
  json roster = json::array();
  for (const RosterEntry& one : loaded.roster)
    roster.push_back({one.name, one.description, one.lineage, one.version, one.is_target, one.plugin, one.built_on});
  return {{kRoster, roster}, {"notes", loaded.notes}, {"reach", loaded.reach}};
}

json to_json(const NotLoaded& failure) { return {{kError, failure.why}, {"cannot_judge", failure.cannot_judge}}; }

json to_json(const CaseReport& report) {
  return {{kCase, to_json(report.implementations)}, {"index", report.index}, {"judged", report.judged}};
}

json to_json(const CaseMismatches& report) {
  json list = json::array();
  for (const Mismatch& mismatch : report.mismatches) list.push_back(core::to_json(mismatch));
  return {{kMismatches, list}, {"index", report.index}, {"counts", report.counts.numbers}};
}

json to_json(const LayerReport& report) {
  json rows = json::array();
  for (const LayerTimes& row : report.rows) rows.push_back({row.threads, row.seconds, row.refused, row.memory});
  return {{kTimes, rows}, {"index", report.index}, {"sides", report.sides}};
}

json to_json(const Done& done) {
  json refusals = json::array();
  for (const Refusals& one : done.refusals) refusals.push_back({one.implementation, one.reason, one.count});
  json pairs = json::array();
  for (const auto& [target, ids] : done.pairs) pairs.push_back({target, packed(ids)});
  json levels = json::array();
  for (const auto& [target, counts] : done.levels) levels.push_back({target, counts});
  return {{kDone, done.count},
          {"levels", levels},
          {"refusals", refusals},
          {"ratios", core::to_json(done.ratios)},
          {"tuples", packed(done.tuples)},
          {"pairs", pairs},
          {"covered", done.covered},
          {"cut_short", done.is_cut_short}};
}

std::vector<RosterEntry> roster_from(const json& list) {
  std::vector<RosterEntry> roster;
  for (const json& one : list)
    roster.push_back({strictly(one, 0), strictly(one, 1), strictly(one, 2), strictly(one, 3), strictly(one, 4),
                      strictly(one, 5), strictly(one, 6)});
  return roster;
}

std::vector<ImplementationSummary> summaries_from(const json& list) {
  std::vector<ImplementationSummary> summaries;
  for (const json& one : list) {
    summaries.push_back({strictly(one, "name"), strictly(one, "target"), strictly(one, "outcome"), {}});
    if (one.contains("smallest_fault")) summaries.back().smallest_fault = one.at("smallest_fault").get<double>();
  }
  return summaries;
}

std::vector<Mismatch> mismatches_from(const json& list) {
  std::vector<Mismatch> mismatches;
  for (const json& one : list) mismatches.push_back(mismatch_from_json(one));
  return mismatches;
}

std::vector<LayerTimes> times_from(const json& list) {
  std::vector<LayerTimes> rows;
  for (const json& one : list) rows.push_back({strictly(one, 0), strictly(one, 1), strictly(one, 2), strictly(one, 3)});
  return rows;
}

Done done_from(const json& j) {
  Done done{strictly(j, kDone),
            {},
            ratios_from_json(j.at("ratios")),
            unpacked(j.at("tuples").get<std::string>()),
            strictly(j, "covered")};
  for (const json& one : j.at("pairs")) done.pairs[strictly(one, 0)] = unpacked(one.at(1).get<std::string>());
  for (const json& one : j.at("levels")) read_strictly(one.at(1), done.levels[strictly(one, 0)]);
  for (const json& one : j.at("refusals"))
    done.refusals.push_back({strictly(one, 0), strictly(one, 1), strictly(one, 2)});
  done.is_cut_short = strictly(j, "cut_short");
  return done;
}

Order order_of(const json& j) {
  if (j.contains(kCases))
    return GivenCases{strictly(j, "first"),
                      strictly(j, kCases),
                      strictly(j, "values"),
                      strictly(j, "patient"),
                      examine::asked_relations_named(j.at("relations").get<std::string>()),
                      strictly(j, "history"),
                      strictly(j, "without")};
  if (j.contains(kLayer))
    return Layer{strictly(j, "index"),   strictly(j, kLayer),        strictly(j, "threads"),
                 strictly(j, "seconds"), strictly(j, "repetitions"), strictly(j, "without")};
  if (j.contains(kSurvey)) {
    const bool pairs = strictly(j, "pairs");
    return SurveyTargets{strictly(j, kSurvey), pairs};
  }
  return Work{strictly(j.at(kRange), 0), strictly(j.at(kRange), 1), strictly(j.at(kRange), 2),
                strictly(j.at(kRange), 3)};
}

Surveyed surveyed_from(const json& list) {
  Surveyed surveyed;
  for (const json& one : list) surveyed.surveys.push_back(generate::Survey::from_json(one));
  return surveyed;
}

std::vector<generate::Share> shares_from(const json& list) {
  std::vector<generate::Share> shares;
  for (const json& one : list)
    shares.push_back({strictly(one, 0), strictly(one, 1), generate::Domain::from_json(one.at(2))});
  return shares;
}

json to_json(const std::vector<generate::Share>& shares) {
  json list = json::array();
  for (const generate::Share& one : shares) list.push_back({one.target, one.parts, one.domain.to_json()});
  return list;
}

WorkerReport report_of(const json& j) {
  if (j.contains(kDone)) return done_from(j);
  if (j.contains(kMismatches))
    return CaseMismatches{strictly(j, "index"), mismatches_from(j.at(kMismatches)), {strictly(j, "counts")}};
  if (j.contains(kCase)) return CaseReport{strictly(j, "index"), summaries_from(j.at(kCase)), strictly(j, "judged")};
  if (j.contains(kTimes)) return LayerReport{strictly(j, "index"), strictly(j, "sides"), times_from(j.at(kTimes))};
  if (j.contains(kSurveys)) return surveyed_from(j.at(kSurveys));
  if (j.contains(kRoster)) return Loaded{roster_from(j.at(kRoster)), strictly(j, "notes"), strictly(j, "reach")};
  return NotLoaded{strictly(j, kError), strictly(j, "cannot_judge")};
}

WorkerSettings settings_of(const json& j) {
  return {{strictly(j, "targets"), strictly(j, "oracles"), strictly(j, "plugins")},
          strictly(j, "profile"),
          strictly(j, "seed"),
          strictly(j, "memory"),
          strictly(j, "patience_ms"),
          strictly(j, "yardstick"),
          strictly(j, "spared"),
          strictly(j, "until_mismatch"),
          strictly(j, "coverage"),
          {strictly(j, "seen"), strictly(j, "seen_pairs")},
          strictly(j, "focus"),
          shares_from(j.at("shares")),
          strictly(j, "illegal"),
          strictly(j, "where"),
          strictly(j, "examples"),
          strictly(j, "gives_way"),
          strictly(j, "forks"),
          strictly(j, "keeps_sampling"),
          strictly(j, "corpus"),
          strictly(j, "environment"),
          strictly(j, "fills_memory"),
          strictly(j, "data")};
}

/// Parses one line and returns read(json).
template <class Read>
auto message_from(const std::string& line, const Read& read) try {
  return read(json::parse(line));
} catch (const json::exception& error) {
  throw NotAMessage(error.what());
} catch (const UsageError& error) {  // a case, a verdict or ratios that are none
  throw NotAMessage(error.what());
}

}  // namespace

json to_json(const std::vector<ImplementationSummary>& implementations) {
  json list = json::array();
  for (const ImplementationSummary& one : implementations) {
    list.push_back({{"name", one.name}, {"target", one.is_target}, {"outcome", one.outcome}});
    if (one.smallest_fault) list.back()["smallest_fault"] = *one.smallest_fault;
  }
  return list;
}

std::string to_line(const WorkerSettings& s) {
  return json_line({{"targets", s.roster.targets},
                    {"oracles", s.roster.oracles},
                    {"plugins", s.roster.plugins},
                    {"profile", s.profile},
                    {"seed", s.seed},
                    {"memory", s.memory},
                    {"patience_ms", s.patience_ms},
                    {"yardstick", s.yardstick},
                    {"spared", s.spared},
                    {"until_mismatch", s.until_mismatch},
                    {"coverage", s.coverage},
                    {"seen", s.seen.tuples},
                    {"seen_pairs", s.seen.pairs},
                    {"focus", s.focus},
                    {"shares", to_json(s.shares)},
                    {"illegal", s.illegal},
                    {"where", s.where},
                    {"examples", s.examples},
                    {"gives_way", s.gives_way},
                    {"forks", s.forks},
                    {"keeps_sampling", s.keeps_sampling},
                    {"corpus", s.corpus},
                    {"environment", s.environment},
                    {"fills_memory", s.fills_memory},
                    {"data", s.data}});
}

std::string to_line(const Order& order) {
  return std::visit([](const auto& one) { return json_line(to_json(one)); }, order);
}

std::string to_line(const WorkerReport& report) {
  return std::visit([](const auto& one) { return json_line(to_json(one)); }, report);
}

WorkerSettings settings_from(const std::string& line) { return message_from(line, settings_of); }
Order order_from(const std::string& line) { return message_from(line, order_of); }
WorkerReport report_from(const std::string& line) { return message_from(line, report_of); }

std::optional<WorkerReport> report_in(const std::string& line) try {
  return report_from(line);
} catch (const NotAMessage&) {
  return std::nullopt;
}

}  // namespace convict::workers
