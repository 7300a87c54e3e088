// SPDX-License-Identifier: Apache-2.0
#include "lab/bench/measurement.h"

#include <algorithm>
#include <deque>

#include "core/geometry.h"
#include "lab/bench/check.h"
#include "lab/bench/timing.h"

namespace convict::bench {
namespace {

/// A contestant with one number of threads that has computed the layer correctly so far.
struct Starter {
  const Contestant* who;
  size_t row;  // in the result
  std::unique_ptr<TimedCall> call;
  double first_seconds;
};

class Measurement {
 public:
  Measurement(const Case& c, std::span<const run::Subject> subjects, const std::set<std::string>& without,
              const MeasuringSettings& settings, LayerOperands& operands, run::FlightRecord& record)
      : subjects_(subjects), settings_(settings), operands_(operands), record_(record) {
    const convict_problem p = resolve_valid(c);
    operands.set(c, p);
    if (settings.data) settings.data->place(p, operands.tensors());
    for (const Contestant& who : contestants_of(subjects))
      if (!without.contains(subjects[who.position].implementation->name)) contestants_.push_back(who);
    for (const int threads : settings.threads) {
      problems_.push_back(p);
      problems_.back().threads = threads;
      rows_.push_back({threads, {}, {}});
    }
  }

  std::vector<Measured> run() {
    for (size_t row = 0; row < rows_.size(); ++row) {
      Check check(problems_[row], operands_.tensors());
      for (const Contestant& who : contestants_) try_out(who, row, check);
    }
    std::vector<Timed> all;
    for (const Starter& one : starters_)
      all.push_back({[&one] { return one.call->begin(); }, [&one] { return one.call->end(); },
                     [&one] { return one.call->seconds(); }, one.first_seconds});
    const std::optional<size_t> limit = add_memory(all);
    const auto timings = time_interleaved(all, settings_.seconds, settings_.repetitions);
    if (limit && timings.back()) rows_[*limit].memory = timings.back();
    for (size_t i = 0; i < starters_.size(); ++i) {
      Measured& row = rows_[starters_[i].row];
      if (timings[i])
        row.timings[starters_[i].who->name] = *timings[i];
      else
        row.refused[starters_[i].who->name] = "failed when repeated: " + starters_[i].call->error();
    }
    return std::move(rows_);
  }

 private:
  /// If anything is timed with one thread: returns that row.
  std::optional<size_t> add_memory(std::vector<Timed>& all) {
    const auto alone = std::ranges::find_if(starters_, [&](const Starter& one) { return rows_[one.row].threads == 1; });
    if (alone == starters_.end()) return std::nullopt;
    const auto works = [] { return true; };
    const auto seconds = [this] { return std::optional(operands_.seconds_to_move()); };
    all.push_back({works, works, seconds, *seconds()});
    return alone->row;
  }

  /// Lets it compute the layer once; adds a starter if the result is correct.
  void try_out(const Contestant& who, size_t row, Check& check) {
    const run::Subject& subject = subjects_[who.position];
    const convict_problem& p = problems_[row];
    if (const auto reason = refusal_of(subject, who.position, p, operands_.tensors(), record_)) {
      rows_[row].refused[who.name] = *reason;
      return;
    }
    operands_.poison_outputs();
    auto call = std::make_unique<TimedCall>(who, subject, p, operands_.tensors(), record_);
    const auto seconds = call->begin() ? call->seconds() : std::nullopt;
    if (!call->end() || !seconds) {
      rows_[row].refused[who.name] = call->error();
      return;
    }
    starters_.push_back({&who, row, std::move(call), *seconds});
    if (const auto wrong = check.compare(who.name)) {
      rows_[row].refused[wrong->who] = wrong->reason;
      std::erase_if(starters_, [&](const Starter& one) { return one.row == row && one.who->name == wrong->who; });
    }
  }

  std::span<const run::Subject> subjects_;
  const MeasuringSettings& settings_;
  LayerOperands& operands_;
  run::FlightRecord& record_;
  std::vector<Contestant> contestants_;
  std::deque<convict_problem> problems_;  // by row; calls refer to them
  std::vector<Measured> rows_;            // by number of threads
  std::vector<Starter> starters_;
};

}  // namespace

std::vector<Measured> measure(const Case& c, std::span<const run::Subject> subjects,
                              const std::set<std::string>& without, const MeasuringSettings& settings,
                              LayerOperands& operands, run::FlightRecord& record) {
  return Measurement(c, subjects, without, settings, operands, record).run();
}

}  // namespace convict::bench
