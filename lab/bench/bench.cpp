// SPDX-License-Identifier: Apache-2.0
#include "lab/bench/bench.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "core/case_text.h"
#include "core/processor.h"
#include "core/text.h"
#include "workers/pool.h"

namespace convict::bench {
namespace {

using nlohmann::json;

constexpr std::string_view kUsualSubject = "auto";

class Bench {
 public:
  Bench(std::span<const BenchLayer> layers, const MeasuringSettings& measuring,
        const workers::SupervisionSettings& supervisor, const std::function<void(size_t)>& progress)
      : layers_(layers), measuring_(measuring), timeout_(supervisor.timeout), progress_(progress) {
    deaths_.resize(layers.size());
    rows_.resize(layers.size());
  }

  BenchResult result() {
    for (const std::vector<BenchRow>& rows : rows_) result_.rows.insert(result_.rows.end(), rows.begin(), rows.end());
    result_.date = utc_now();
    result_.version = CONVICT_VERSION;
    result_.cpu = processor_model();
    result_.isa = best_isa();
    choose_subject();
    return std::move(result_);
  }

  Task<void> run(workers::Workers workers) {
    for (uint64_t i = 0; i < layers_.size(); ++i) put(i, workers);
    while (const auto answer = co_await workers.next()) {
      if (const auto* began = std::get_if<workers::Began>(&*answer)) begin(*began);
      if (const auto* report = std::get_if<workers::LayerReport>(&*answer)) add(*report);
      if (const auto* death = std::get_if<workers::WorkerDeath>(&*answer); death && lose(*death))
        put(death->index, workers);
      progress_(done_);
    }
  }

 private:
  void begin(const workers::Began& began) {
    roster_ = began.roster;
    result_.notes = began.notes;
    for (const workers::RosterEntry& entry : roster_) result_.libraries[entry.name] = entry.version;
  }

  void put(uint64_t index, workers::Workers& workers) {
    workers::Layer layer{index,              to_text(layers_[index].c), measuring_.threads,
                         measuring_.seconds, measuring_.repetitions,    {}};
    for (const auto& [name, reason] : deaths_[index]) layer.without.push_back(name);
    workers.put({index, 1, 1}, std::move(layer));
  }

  void add(const workers::LayerReport& report) {
    for (const auto& [name, side] : report.sides) result_.sides[name] = static_cast<Side>(side);
    rows_[report.index].clear();
    for (const workers::LayerTimes& measured : report.rows) {
      BenchRow row = empty_row(report.index, measured.threads);
      for (const auto& [name, seconds] : measured.seconds) row.timings[name] = {seconds[0], seconds[1]};
      row.refused.insert(measured.refused.begin(), measured.refused.end());
      if (measured.memory[0] > 0) row.memory = {measured.memory[0], measured.memory[1]};
      rows_[report.index].push_back(std::move(row));
    }
    ++done_;
  }

  /// Whether to measure the layer again, without those who died of it.
  bool lose(const workers::WorkerDeath& death) {
    if (!rows_[death.index].empty()) return false;  // it died afterwards
    const std::string reason = reason_of(death);
    auto& deaths = deaths_[death.index];
    if (death.position != run::FlightRecord::kOwnCode) {
      deaths[roster_[static_cast<size_t>(death.position)].name] = reason;
      return true;
    }
    for (const workers::RosterEntry& entry : roster_)
      deaths.try_emplace(entry.name, "not measured: the worker " + reason);
    for (const int threads : measuring_.threads) rows_[death.index].push_back(empty_row(death.index, threads));
    ++done_;
    return false;
  }

  BenchRow empty_row(uint64_t index, int threads) const {
    const BenchLayer& layer = layers_[index];
    return {to_text(layer.c), layer.set,         layer.label, std::string(pass_name(layer.c.pass)),
            threads,          flops_of(layer.c), {},          deaths_[index],
            bytes_of(layer.c)};
  }

  std::string reason_of(const workers::WorkerDeath& death) const {
    const std::string signal = death.certificate.death.signal.value_or("");
    if (death.verdict == Verdict::kHang)
      return fmt::format("hang: a call took longer than {} s", static_cast<double>(timeout_.count()) / 1000);
    return fmt::format("{}{}", name_of(death.verdict), signal.empty() ? "" : ": " + signal);
  }

  /// `auto`, or else the first target; from user to user, if it has steps.
  void choose_subject() {
    const auto is_usual = [](const workers::RosterEntry& entry) {
      return entry.is_target && entry.name == kUsualSubject;
    };
    const bool usual = std::ranges::any_of(roster_, is_usual);
    const std::string name = usual ? std::string(kUsualSubject) : roster_.empty() ? "" : roster_.front().name;
    for (const std::string& way : {name + "+reorders", name + ":plain", name})
      if (result_.sides.contains(way) && result_.sides[way] == Side::kTarget) {
        result_.subject = way;
        return;
      }
    result_.subject = name;
  }

  std::span<const BenchLayer> layers_;
  const MeasuringSettings& measuring_;
  std::chrono::milliseconds timeout_;
  const std::function<void(size_t)>& progress_;
  std::vector<std::map<std::string, std::string>> deaths_;  // by layer: implementations left out, and why
  std::vector<std::vector<BenchRow>> rows_;                 // by layer
  std::vector<workers::RosterEntry> roster_;
  size_t done_ = 0;
  BenchResult result_;
};

}  // namespace

BenchResult run_bench(std::span<const BenchLayer> layers, const MeasuringSettings& measuring,
                      workers::SupervisionSettings supervisor, const std::function<void(size_t)>& progress) {
  supervisor.command = kBenchWorker;
  supervisor.jobs = 1;
  Bench bench(layers, measuring, supervisor, progress);
  workers::Pool pool;
  pool.finish(bench.run(workers::Workers(pool, supervisor)));
  BenchResult result = bench.result();
  result.interrupted = supervisor.is_interrupted();
  return result;
}

}  // namespace convict::bench
