// SPDX-License-Identifier: Apache-2.0
#include "diagnose/data_condition.h"

#include <algorithm>
#include <cmath>
#include <iterator>

#include "core/geometry.h"
#include "examine/scene.h"
#include "fill/data_numbers.h"
#include "run/guarded_memory.h"

namespace convict::diagnose {
namespace {

constexpr uint64_t kSeeds = 60;
constexpr uint64_t kSeedsForBoth = 20;  // if these do not both fail and pass, the data decide nothing
constexpr int64_t kLeastOfEach = 3;  // failing and passing data, or nothing is learnt
constexpr double kMostWrong = 0.05;  // of the data

/// One case with its data: all fill::data_numbers(), and whether the case fails.
struct DataSample {
  bool fails = false;
  std::vector<int64_t> numbers;
};

struct Threshold {
  size_t number = 0;
  int64_t least = 0;
  int64_t wrong = 0;  // data for which it does not say what happened
};

class DataValues {
 public:
  DataSample of(const Case& c, bool fails) {
    DataSample data{fails, {}};
    place(c);
    for (const fill::DataNumber& number : fill::data_numbers())
      data.numbers.push_back(number.value(resolve(c).problem, memory_.ours()));
    return data;
  }

  std::string place_of(const fill::DataNumber& number, const Case& c) {
    place(c);
    return number.place ? number.place(resolve(c).problem, memory_.ours()) : "";
  }

 private:
  void place(const Case& c) { examine::Scene(c).set(memory_); }

  run::GuardedMemory memory_;
};

int64_t count_wrong(const std::vector<DataSample>& all, size_t number, int64_t least) {
  return std::ranges::count_if(all, [&](const DataSample& one) { return (one.numbers[number] >= least) != one.fails; });
}

/// The one that is wrong least often; of these, the first in the table with the smallest number.
Threshold best_threshold(const std::vector<DataSample>& all) {
  Threshold best{0, 0, static_cast<int64_t>(all.size())};
  for (size_t number = 0; number < fill::data_numbers().size(); ++number)
    for (const DataSample& one : all) {
      const int64_t least = one.numbers[number];
      if (!one.fails) continue;
      const int64_t wrong = count_wrong(all, number, least);
      if (wrong < best.wrong || (wrong == best.wrong && number == best.number && least < best.least))
        best = {number, least, wrong};
    }
  return best;
}

constexpr int kTried = 22;            // data, to see how many show the fault
constexpr int kLeastShowing = 2;      // of them, or the fill does not show it
constexpr double kOften = 0.3;        // a chance for which more images are not worth their time
constexpr double kMostMissed = 0.05;  // the chance that a neighbour with the fault shows it with none of the data
constexpr int kLeastAsked = kFewData - 1, kMostAsked = 24;  // beside its own
constexpr int64_t kMoreImages = 32;

/// So many data, each of which shows the fault with that chance.
int needed(double chance) {
  if (chance <= 0 || chance >= 1) return kLeastAsked;
  return std::clamp(static_cast<int>(std::ceil(std::log(kMostMissed) / std::log1p(-chance))), kLeastAsked, kMostAsked);
}

class Choice {
 public:
  Choice(const Case& failing, const std::function<std::optional<bool>(const Case&)>& fails,
         const std::function<bool()>& go_on)
      : failing_(failing), fails_(fails), go_on_(go_on) {}

  AskedData run() {
    AskedData asked{{own()}};
    asked.data.insert(asked.data.end(), std::begin(kTellingData), std::end(kTellingData));
    const auto shows = [&](const Data& data) { return this->shows(asked, data); };
    if (std::ranges::all_of(kTellingData, shows)) return asked;
    const bool is_told = std::ranges::any_of(kTellingData, shows);
    const Data integers = {Fill::kInt, kTellingData[1].seed + 1}, of_its_own = {failing_.fill, failing_.seed + 1};
    if (ask_more(asked, integers) || is_told) return asked;
    asked = {{own()}, true};
    if (!ask_more(asked, of_its_own)) add(asked, of_its_own, kLeastAsked);
    return asked;
  }

 private:
  Data own() const { return {failing_.fill, failing_.seed}; }

  bool shows(const AskedData& asked, const Data& data) const {
    return fails_(asked.of(failing_, data)).value_or(false);
  }

  double chance(const AskedData& asked, const Data& first) const {
    int showing = 0;
    for (uint64_t i = 0; i < kTried && go_on_(); ++i) showing += shows(asked, {first.fill, first.seed + i}) ? 1 : 0;
    return showing < kLeastShowing ? 0 : static_cast<double>(showing) / kTried;
  }

  static void add(AskedData& asked, const Data& first, int count) {
    for (int i = 0; i < count; ++i) asked.data.push_back({first.fill, first.seed + static_cast<uint64_t>(i)});
  }

  /// Adds as many data from `first` on as are needed; false if they do not show the fault.
  bool ask_more(AskedData& asked, const Data& first) const {
    double showing = chance(asked, first);
    if (showing < kOften && failing_.batch == 1) {
      AskedData wide = asked;
      wide.images = kMoreImages;
      if (const double of_many = chance(wide, first); of_many > showing) asked.images = wide.images, showing = of_many;
    }
    if (showing > 0) add(asked, first, needed(showing));
    return showing > 0;
  }

  const Case& failing_;
  const std::function<std::optional<bool>(const Case&)>& fails_;
  const std::function<bool()>& go_on_;
};

}  // namespace

Case with(Case c, const Data& data) {
  c.fill = data.fill;
  c.seed = data.seed;
  return c;
}

std::optional<store::DataEvidence> data_condition(const Case& c,
                                                  const std::function<std::optional<bool>(const Case&)>& fails,
                                                  const std::function<bool()>& go_on) {
  DataValues values;
  std::vector<DataSample> all;
  int64_t failing = 0;
  const auto ask = [&](const Data& data) {
    const Case other = with(c, data);
    const std::optional<bool> result = fails(other);
    if (!result) return;
    all.push_back(values.of(other, *result));
    failing += *result ? 1 : 0;
  };
  const auto has_both = [&] {
    return failing >= kLeastOfEach && static_cast<int64_t>(all.size()) - failing >= kLeastOfEach;
  };
  for (const Data& telling : kTellingData) ask(telling);
  for (uint64_t i = 0; i < kSeeds && go_on() && (i < kSeedsForBoth || has_both()); ++i) ask({c.fill, c.seed + i});
  if (!has_both()) return std::nullopt;
  const int64_t seen = static_cast<int64_t>(all.size());
  const Threshold best = best_threshold(all);
  if (static_cast<double>(best.wrong) > kMostWrong * static_cast<double>(seen)) return std::nullopt;
  const fill::DataNumber& number = fill::data_numbers()[best.number];
  return store::DataEvidence{std::string(number.name) + " >= " + std::to_string(best.least),
                             number.in_words(best.least), seen, best.wrong, values.place_of(number, c)};
}

Case AskedData::of(const Case& neighbour, const Data& one) const {
  Case c = with(neighbour, one);
  c.batch *= images;
  return c;
}

AskedData asked_data(const Case& failing, const std::function<std::optional<bool>(const Case&)>& fails,
                     const std::function<bool()>& go_on) {
  return Choice(failing, fails, go_on).run();
}

}  // namespace convict::diagnose
