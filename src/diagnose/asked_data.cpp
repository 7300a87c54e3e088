// SPDX-License-Identifier: Apache-2.0
#include "diagnose/asked_data.h"

#include <algorithm>
#include <cmath>
#include <iterator>

namespace convict::diagnose {
namespace {

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
