// SPDX-License-Identifier: Apache-2.0
#include "lab/bench/writers.h"

#include <fmt/format.h>

#include <array>
#include <nlohmann/json.hpp>

#include "core/error.h"
#include "lab/bench/summary.h"

namespace convict::bench {
namespace {

using nlohmann::json;

constexpr std::array<const char*, 3> kSideNames = {"target", "library", "library in its own layouts"};  // by Side

json row_to_json(const BenchRow& row) {
  json gflops = json::object(), seconds = json::object();
  for (const auto& [name, timing] : row.timings) {
    gflops[name] = *row.gflops(name);
    seconds[name] = {timing.best, timing.mean};
  }
  return {{"case", row.case_text},
          {"set", row.set},
          {"label", row.label},
          {"pass", row.pass},
          {"threads", row.threads},
          {"flops", row.flops},
          {"gflops", gflops},
          {"seconds", seconds},
          {"refused", row.refused},
          {"bytes", row.bytes},
          {"memory_seconds", row.memory ? json{row.memory->best, row.memory->mean} : json()}};
}

BenchRow row_from_json(const json& j) {
  BenchRow row{j.at("case"), j.at("set"), j.at("label"), j.at("pass"), j.at("threads"), j.at("flops")};
  for (const auto& [name, seconds] : j.at("seconds").items()) row.timings[name] = {seconds.at(0), seconds.at(1)};
  for (const auto& [name, timing] : row.timings)
    if (!(timing.best > 0)) throw UsageError(fmt::format("'{}' took {} s", name, timing.best));
  row.refused = j.at("refused").get<std::map<std::string, std::string>>();
  row.bytes = j.value("bytes", 0.0);  // earlier versions did not say these
  if (const json memory = j.value("memory_seconds", json()); !memory.is_null())
    row.memory = {memory.at(0), memory.at(1)};
  return row;
}

Side side_named(const std::string& name) {
  for (size_t i = 0; i < kSideNames.size(); ++i)
    if (name == kSideNames[i]) return static_cast<Side>(i);
  throw UsageError(fmt::format("unknown side '{}'; valid: {}", name, fmt::join(kSideNames, ", ")));
}

json to_json(const Means& one) {
  json means = {{"set", one.set},  {"pass", one.pass}, {"threads", one.threads}, {"layers", one.layers()},
                {"ratio", json()}, {"least", json()},  {"least_case", json()},   {"own_layouts", json()}};
  if (!one.ratios.empty())
    means.update(
        {{"ratio", geometric_mean(one.ratios)}, {"least", one.least()}, {"least_case", one.least_row->case_text}});
  if (!one.own_ratios.empty()) means["own_layouts"] = geometric_mean(one.own_ratios);
  return means;
}

}  // namespace

json to_json(const BenchResult& result) {
  json document = {{"date", result.date},   {"version", result.version},        {"cpu", result.cpu},
                   {"isa", result.isa},     {"libraries", result.libraries},    {"subject", result.subject},
                   {"notes", result.notes}, {"interrupted", result.interrupted}};
  document["contestants"] = json::object();
  for (const auto& [name, side] : result.sides) document["contestants"][name] = kSideNames[static_cast<size_t>(side)];
  document["layers"] = json::array();
  for (const BenchRow& row : result.rows) document["layers"].push_back(row_to_json(row));
  document["geomeans"] = json::array();
  for (const Means& one : means_of(result)) document["geomeans"].push_back(to_json(one));
  return document;
}

BenchResult bench_result_from_json(const json& j) try {
  BenchResult result{j.at("date"), j.at("version"), j.at("cpu"),   j.at("isa"), j.at("libraries"),
                     {},           j.at("subject"), j.at("notes"), {},          j.at("interrupted")};
  for (const auto& [name, side] : j.at("contestants").items()) result.sides[name] = side_named(side);
  for (const json& row : j.at("layers")) result.rows.push_back(row_from_json(row));
  return result;
} catch (const json::exception& error) {
  throw UsageError(fmt::format("not a result of `convict bench --format json`: {}", error.what()));
}

}  // namespace convict::bench
