// SPDX-License-Identifier: Apache-2.0
#include "workers/messages.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <concepts>
#include <limits>
#include <utility>

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

// The fields of each struct are listed once. A FieldWriter or a FieldReader, which an `archive` is, goes over the list.

namespace {

using nlohmann::json;

/// Writes fields as members of an object. One that is empty is left out.
struct FieldWriter {
  json& to;

  void operator()() {}
  template <class T>
  void operator()(const char* key, const T& value, auto&&... more) {
    to[key] = value;
    (*this)(more...);
  }
  template <class T>
  void operator()(const char* key, const std::optional<T>& value, auto&&... more) {
    if (value) to[key] = *value;
    (*this)(more...);
  }
};

/// Reads what FieldWriter has written, strictly.
struct FieldReader {
  const json& from;

  void operator()() {}
  template <class T>
  void operator()(const char* key, T& value, auto&&... more) {
    read_strictly(from.at(key), value);
    (*this)(more...);
  }
  template <class T>
  void operator()(const char* key, std::optional<T>& value, auto&&... more) {
    if (from.contains(key)) read_strictly(from.at(key), value.emplace());
    (*this)(more...);
  }
};

template <class T, class Struct>
concept Is = std::same_as<std::remove_const_t<T>, Struct>;  // to write it, or to read it

void fields(auto& archive, Is<WorkerSettings> auto& s) {
  archive("targets", s.roster.targets, "oracles", s.roster.oracles, "plugins", s.roster.plugins, "profile", s.profile,
          "seed", s.seed, "memory", s.memory, "patience_ms", s.patience_ms, "yardstick", s.yardstick, "spared",
          s.spared, "until_mismatch", s.until_mismatch, "coverage", s.coverage, "seen", s.seen.tuples, "seen_pairs",
          s.seen.pairs, "focus", s.focus, "shares", s.shares, "illegal", s.illegal, "where", s.where, "examples",
          s.examples, "gives_way", s.gives_way, "forks", s.forks, "keeps_sampling", s.keeps_sampling, "corpus",
          s.corpus, "environment", s.environment, "fills_memory", s.fills_memory, "data", s.data);
}

void fields(auto& archive, Is<generate::Share> auto& share) {
  archive("target", share.target, "parts", share.parts, "domain", share.domain);
}

void fields(auto& archive, Is<Work> auto& work) {
  archive("first", work.first, "count", work.count, "step", work.step, "without", work.without);
}

void fields(auto& archive, Is<GivenCases> auto& given) {
  archive("first", given.first, "cases", given.cases, "values", given.values, "patient", given.patient, "relations",
          given.relations, "history", given.is_history, "without", given.without);
}

void fields(auto& archive, Is<Layer> auto& layer) {
  archive("index", layer.index, "case", layer.case_text, "threads", layer.threads, "seconds", layer.seconds,
          "repetitions", layer.repetitions, "without", layer.without);
}

void fields(auto& archive, Is<SurveyTargets> auto& survey) {
  archive("without", survey.without, "pairs", survey.pairs);
}

void fields(auto& archive, Is<RosterEntry> auto& entry) {
  archive("name", entry.name, "description", entry.description, "lineage", entry.lineage, "version", entry.version,
          "target", entry.is_target, "plugin", entry.plugin, "built_on", entry.built_on);
}

void fields(auto& archive, Is<Loaded> auto& loaded) {
  archive("roster", loaded.roster, "notes", loaded.notes, "reach", loaded.reach);
}

void fields(auto& archive, Is<NotLoaded> auto& failure) {
  archive("why", failure.why, "cannot_judge", failure.cannot_judge);
}

void fields(auto& archive, Is<Surveyed> auto& surveyed) { archive("surveys", surveyed.surveys); }

void fields(auto& archive, Is<ImplementationSummary> auto& one) {
  archive("name", one.name, "target", one.is_target, "outcome", one.outcome, "smallest_fault", one.smallest_fault);
}

void fields(auto& archive, Is<CaseReport> auto& report) {
  archive("index", report.index, "implementations", report.implementations, "judged", report.judged);
}

void fields(auto& archive, Is<CaseMismatches> auto& found) {
  archive("index", found.index, "mismatches", found.mismatches, "counts", found.counts.numbers);
}

void fields(auto& archive, Is<LayerTimes> auto& times) {
  archive("threads", times.threads, "seconds", times.seconds, "refused", times.refused, "memory", times.memory);
}

void fields(auto& archive, Is<LayerReport> auto& report) {
  archive("index", report.index, "sides", report.sides, "rows", report.rows);
}

void fields(auto& archive, Is<Refusals> auto& one) {
  archive("implementation", one.implementation, "reason", one.reason, "count", one.count);
}

void fields(auto& archive, Is<Done> auto& done) {
  archive("count", done.count, "refusals", done.refusals, "ratios", done.ratios, "tuples", done.tuples, "covered",
          done.covered, "pairs", done.pairs, "levels", done.levels, "cut_short", done.is_cut_short);
}

template <class T>
concept HasFields = requires(FieldReader& reader, T& value) { fields(reader, value); };

template <class T>
concept HasJson = requires(const T& value, const json& from) {
  { value.to_json() } -> std::same_as<json>;
  { T::from_json(from) } -> std::same_as<T>;
};

}  // namespace
}  // namespace convict::workers

// What the library calls for each type.
namespace nlohmann {

template <convict::workers::HasFields T>
struct adl_serializer<T> {
  static void to_json(json& to, const T& value) {
    to = json::object();
    convict::workers::FieldWriter writer{to};
    fields(writer, value);
  }
  static void from_json(const json& from, T& value) {
    convict::workers::FieldReader reader{from};
    fields(reader, value);
  }
};

template <convict::workers::HasJson T>
struct adl_serializer<T> {
  static void to_json(json& to, const T& value) { to = value.to_json(); }
  static T from_json(const json& from) { return T::from_json(from); }
};

template <>
struct adl_serializer<convict::Mismatch> {
  static void to_json(json& to, const convict::Mismatch& mismatch) { to = convict::core::to_json(mismatch); }
  static convict::Mismatch from_json(const json& from) { return convict::mismatch_from_json(from); }
};

template <>
struct adl_serializer<convict::RatioHistogram> {
  static void to_json(json& to, const convict::RatioHistogram& ratios) { to = ratios.counts; }
  static void from_json(const json& from, convict::RatioHistogram& ratios) {
    convict::read_strictly(from, ratios.counts);
  }
};

template <>
struct adl_serializer<convict::workers::IdList> {
  static void to_json(json& to, const convict::workers::IdList& list) { to = convict::workers::packed(list.ids); }
  static convict::workers::IdList from_json(const json& from) {
    return {convict::workers::unpacked(from.get<std::string>())};
  }
};

}  // namespace nlohmann

namespace convict::workers {
namespace {

// A message is an object with one member: its name, by its place in the variant, and its fields.
constexpr const char* kOrders[] = {"work", "cases", "layer", "survey"};
constexpr const char* kReports[] = {"loaded", "not_loaded", "surveyed", "case", "mismatches", "layer", "done"};

template <class Message, size_t kCount>
std::string line_of(const Message& message, const char* const (&names)[kCount]) {
  static_assert(kCount == std::variant_size_v<Message>);
  return std::visit([&](const auto& one) { return json_line({{names[message.index()], one}}); }, message);
}

template <class Message, size_t... kIndex>
Message message_in(const json& from, const char* const* names, std::index_sequence<kIndex...>) {
  Message message;
  const auto read = [&](const char* name, auto& to) { read_strictly(from.at(name), to); };
  const bool is_one =
      ((from.contains(names[kIndex]) && (read(names[kIndex], message.template emplace<kIndex>()), true)) || ...);
  if (!is_one) throw NotAMessage("none of the messages");
  return message;
}

template <class Message, size_t kCount>
Message message_in(const json& from, const char* const (&names)[kCount]) {
  return message_in<Message>(from, names, std::make_index_sequence<kCount>());
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

json to_json(const std::vector<ImplementationSummary>& implementations) { return implementations; }

std::string to_line(const WorkerSettings& settings) { return json_line(settings); }
std::string to_line(const Order& order) { return line_of(order, kOrders); }
std::string to_line(const WorkerReport& report) { return line_of(report, kReports); }

WorkerSettings settings_from(const std::string& line) {
  return message_from(line, [](const json& from) { return from.get<WorkerSettings>(); });
}

Order order_from(const std::string& line) {
  return message_from(line, [](const json& from) { return message_in<Order>(from, kOrders); });
}

WorkerReport report_from(const std::string& line) {
  return message_from(line, [](const json& from) { return message_in<WorkerReport>(from, kReports); });
}

std::optional<WorkerReport> report_in(const std::string& line) try {
  return report_from(line);
} catch (const NotAMessage&) {
  return std::nullopt;
}

}  // namespace convict::workers
