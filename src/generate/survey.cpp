// SPDX-License-Identifier: Apache-2.0
#include "generate/survey.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "core/geometry.h"
#include "generate/generate.h"

namespace convict::generate {
namespace {

constexpr uint64_t kLeastAsked = 400, kMostAsked = 20'000;  // of the whole profile
constexpr uint64_t kEnoughTaken = 64;                       // of a target that takes few
constexpr uint64_t kPlainAsked = 20'000;                    // if it takes none of those
constexpr uint64_t kAskedInside = 300;
constexpr int kDrawsOfLevel = 16 * kTriesOfLevel;  // few levels show in less than half of the cases that ask for them
constexpr int kDrawsOfPair = 4 * kTriesOfPair;
constexpr int kVainDraws = 12;        // of a pair, if none of them shows it
constexpr double kPlainShare = 0.85;  // of features that a plain case has at their level in most networks

using Weights = std::array<std::array<uint32_t, Domain::kMostLevels>, kFeatureCount>;

/// The level that most kernels support first.
struct PlainLevel {
  FeatureId feature;
  int level;
};
constexpr PlainLevel kPlain[] = {
    {feature::kOp, 0},
    {feature::kPass, 0},
    {feature::kRank, 1},
    {feature::kGrouping, levels::kDense},
    {feature::kDilation, levels::kDenseTaps},
    {feature::kStride, levels::kOnes},
    {feature::kPadding, levels::kNone},
    {feature::kOutputPadding, levels::kNoOutputPadding},
    {feature::kBias, 0},
    {feature::kBeta, levels::kNoBeta},
    {feature::kType, levels::kF32},
    {feature::kLayouts, levels::kFirst},
    {feature::kWeights, 0},
    {feature::kViews, levels::kNoView},
    {feature::kKernelAxes, levels::kOddAlike},
};

class Surveyor {
 public:
  Surveyor(const Profile* profile, uint64_t seed, const Accepts& accepts, const std::function<bool()>& go_on)
      : profile_(profile), seed_(mix(seed ^ 0x73757276)), accepts_(accepts), go_on_(go_on) {}

  Survey run(SurveyDepth depth) {
    while (go_on_() && (survey_.asked < kLeastAsked || (survey_.asked < kMostAsked && survey_.taken < kEnoughTaken))) {
      const bool taken = ask(generate(profile_, seed_, 2 * survey_.asked), &drawn_);  // even numbers have no wish
      ++survey_.asked;
      survey_.taken += taken;
    }
    if (!is_steered()) return std::move(survey_);
    for (uint64_t i = 0; taken_.empty() && i < kPlainAsked && go_on_(); ++i) ask(plain_case(i), nullptr);
    if (taken_.empty() || !learn()) return std::move(survey_);
    look_inside();
    if (depth == SurveyDepth::kPairs) try_pairs();
    return std::move(survey_);
  }

 private:
  bool is_steered() const { return !profile_ || profile_->sampler == Sampler::kSteered; }

  const Profile& some_profile(uint64_t number) const {
    return profile_ ? *profile_ : profile_of_all(static_cast<double>(mix(number) >> 11) * 0x1p-53);
  }

  /// Asks about a legal case. `drawn`: where to count its levels.
  bool ask(const Case& c, Weights* drawn) {
    const Resolved resolved = resolve(c);
    if (resolved.why_not) return false;
    const Levels levels = levels_of(c, resolved.problem);
    for (const Feature& feature : features())
      if (drawn) ++(*drawn)[feature.id][levels[feature.id]];
    asked_ = levels;
    if (!accepts_(c)) return false;
    for (const Feature& feature : features()) takes_[feature.id] |= uint32_t{1} << levels[feature.id];
    taken_.push_back(levels);
    taken_pairs_.add(levels);
    return true;
  }

  Case plain_case(uint64_t number) const {
    Random random(mix(seed_ ^ 1), number);
    Plan plan;
    plan.typical = true;
    for (const PlainLevel& one : kPlain)
      if (random.chance(kPlainShare)) plan.ask(one.feature, one.level);
    return generate_planned(some_profile(number), plan, seed_, number);
  }

  bool takes(FeatureId feature, int level) const { return (takes_[feature] >> level & 1) != 0; }

  /// Levels that are drawn, and that no taken case has.
  bool is_in_doubt(FeatureId feature, int level) const { return drawn_[feature][level] > 0 && !takes(feature, level); }
  bool is_in_doubt(FeatureId feature) const {
    const auto count = static_cast<int>(features()[feature].levels.size());
    for (int level = 0; level < count; ++level)
      if (is_in_doubt(feature, level)) return true;
    return false;
  }

  /// Puts every doubtful level to the test; what stays in doubt is left out. False if there was no time for that.
  bool learn() {
    for (const Feature& feature : features())
      for (int level = 0; level < static_cast<int>(feature.levels.size()); ++level) {
        if (!go_on_()) return false;
        if (is_in_doubt(feature.id, level)) try_level(feature.id, level);
      }
    for (const Feature& feature : features()) {
      if (!is_in_doubt(feature.id)) continue;
      auto weights = drawn_[feature.id];
      for (int level = 0; level < Domain::kMostLevels; ++level)
        if (!takes(feature.id, level)) weights[level] = 0;
      survey_.domain.restrict(feature.id, weights);
    }
    return true;
  }

  /// A case like one of those that are taken, but with this level. Every second one is like it in some doubtful
  /// features only, because levels depend on each other: a last kernel of 20 needs a largest one of as much.
  void try_level(FeatureId wanted, int level) {
    Random random(mix(seed_ ^ 2), static_cast<uint64_t>(wanted) * Domain::kMostLevels + static_cast<uint64_t>(level));
    int tries = 0;
    for (int i = 0; i < kDrawsOfLevel && tries < kTriesOfLevel; ++i) {
      const Levels& like = taken_[static_cast<size_t>(random.below(static_cast<int64_t>(taken_.size())))];
      Plan plan;
      for (const Feature& feature : features())
        if (is_in_doubt(feature.id) && (i % 2 == 0 || random.chance(0.5))) plan.ask(feature.id, like[feature.id]);
      plan.ask(wanted, level);
      if (wanted == feature::kThreads) plan.threads = levels::kThreadCounts[level].lowest;
      const uint64_t number = random.bits();
      if (ask(generate_planned(some_profile(number), plan, seed_, number), nullptr) && takes(wanted, level)) return;
      tries += asked_[wanted] == level;
    }
    // The generator cannot show the level in such cases: nothing is known of it.
    if (tries < kTriesOfLevel) takes_[wanted] |= uint32_t{1} << level;
  }

  void try_pairs() {
    for (uint32_t id = 0; id < pair_count() && go_on_(); ++id)
      if (const Tuple pair = tuple_of(id); !taken_pairs_.has_seen(id) && survey_.domain.contains(pair)) try_pair(pair);
  }

  /// Leaves a pair of levels out that is refused each time.
  void try_pair(const Tuple& pair) {
    const uint32_t id = id_of(pair);
    Random random(mix(seed_ ^ 3), id);
    int tries = 0;
    for (int i = 0; i < kDrawsOfPair && tries < kTriesOfPair && go_on_(); ++i) {
      if (i == kVainDraws && tries == 0) return;  // usually the levels exclude each other
      Plan plan = i % 2 == 0 ? Plan() : plan_like_taken(pair, i / 2 % 2, random);
      survey_.domain.confine(plan, random);
      plan.wish(pair);
      const uint64_t number = random.bits();
      ask(generate_planned(some_profile(number), plan, seed_, number), nullptr);
      if (taken_pairs_.has_seen(id)) {
        if (!survey_.is_wide()) survey_.domain.add_rare_pair(id);
        return;
      }
      const auto shows = [&](int k) { return asked_[pair.feature[k]] == pair.level[k]; };
      tries += shows(0) && shows(1) && survey_.domain.contains(asked_);
    }
    if (tries == kTriesOfPair) survey_.domain.refuse_pair(id);
  }

  /// Half of the levels of a taken case that has one level of the pair, `which`, if there is such a case. The other
  /// half is free, because it may have to be different for the other level of the pair.
  Plan plan_like_taken(const Tuple& pair, int which, Random& random) {
    Plan plan;
    const auto begin = static_cast<size_t>(random.below(static_cast<int64_t>(taken_.size())));
    for (size_t i = 0; i < taken_.size(); ++i) {
      const Levels& like = taken_[(begin + i) % taken_.size()];
      if (like[pair.feature[which]] != pair.level[which]) continue;
      for (const Feature& feature : features())
        if (random.chance(0.5)) plan.ask(feature.id, like[feature.id]);
      break;
    }
    return plan;
  }

  void look_inside() {
    const Share share = {0, 1, survey_.domain};
    const Sampling inside = {.profile = profile_, .seed = seed_, .shares = {&share, 1}};
    for (; survey_.asked_in < kAskedInside; ++survey_.asked_in)
      survey_.taken_in += ask(generate(inside, 2 * survey_.asked_in), nullptr);
    const double before = static_cast<double>(survey_.taken) / static_cast<double>(survey_.asked);
    if (static_cast<double>(survey_.taken_in) >= before * static_cast<double>(survey_.asked_in)) return;
    survey_.domain = {};
    survey_.asked_in = survey_.taken_in = 0;
  }

  const Profile* profile_;
  const uint64_t seed_;
  const Accepts& accepts_;
  const std::function<bool()>& go_on_;
  Survey survey_;
  Weights drawn_{};
  std::array<uint32_t, kFeatureCount> takes_{};  // a bit for each level
  std::vector<Levels> taken_;
  Coverage taken_pairs_{Coverage::Depth::kPairs};
  Levels asked_{};  // of the last case
};

}  // namespace

Survey survey(const Profile* profile, uint64_t seed, SurveyDepth depth, const Accepts& accepts,
              const std::function<bool()>& go_on) {
  return Surveyor(profile, seed, accepts, go_on).run(depth);
}

}  // namespace convict::generate
