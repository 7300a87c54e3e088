// SPDX-License-Identifier: Apache-2.0
#include "generate/surveyor.h"

#include <algorithm>
#include <array>
#include <utility>

#include "core/coverage.h"
#include "core/geometry.h"
#include "generate/draw.h"
#include "generate/moves.h"

namespace convict::generate {

namespace {

constexpr uint64_t kLeastAsked = 400, kMostAsked = 20'000;  // of the whole profile
constexpr uint64_t kMostForAStart = 160;  // draws; chains take longer than that
constexpr size_t kEnoughTaken = 64, kFewTaken = 8;  // independent of each other; if they are hard to find
constexpr size_t kEnoughForFew = 24;                // for a campaign of few cases, which chains would delay by seconds
constexpr uint64_t kMostSearched = 600'000, kLongSearch = 100'000;  // questions for the first accepted cases
constexpr size_t kMostRare = 768, kMostTaken = 4096;
constexpr int kVainDraws = 32, kDrawsForATry = 2;  // of a pair: if none of them shows it; most of them

// Parts of the time, of which most targets need little; one that answers slowly should not miss any of them.
constexpr double kDraws = 0.25, kFirst = 0.5, kStartsFound = 0.75, kLevels = 0.9, kAll = 1;

/// A case that was accepted.
struct Taken {
  Recipe recipe;
  Levels levels;
};

struct Aim {
  uint32_t pair;  // that is aimed at
  int drawn = 0, shown = 0;
};

class Surveyor {
 public:
  Surveyor(const Questionnaire& q, const Ask& ask, const HasTime& has_time)
      : profile_(q.profile),
        thorough_(q.pairs),
        random_(mix(q.seed ^ 0x73757276), 0),
        ask_(ask),
        has_time_(has_time),
        accepted_(pair_count()) {
    survey_.domain.examples = q.examples;
  }

  Survey run() {
    draw_independently();
    const bool walks = !survey_.is_wide();
    const bool is_exact = taken_.size() >= (thorough_ ? kEnoughTaken : kEnoughForFew);
    if (!walks) survey_.domain.examples.clear();
    ask_examples();
    if (walks && !is_exact) look_for_first();
    if (taken_.empty()) {
      survey_.blocked_by = niches_.deepest();
      return std::move(survey_);
    }
    if (walks) find_starts(is_exact);
    if (is_steered(profile_)) search_levels();
    if (is_steered(profile_) && thorough_) search_pairs();
    finish(walks);
    return std::move(survey_);
  }

 private:
  Recipe fresh() { return fresh_recipe(random_); }
  Recipe near(const Recipe& recipe) {
    return neighbour(recipe, random_, survey_.domain.moves, survey_.domain.examples.size());
  }

  /// Asks about the examples as they are, whatever they cost. What is accepted is a place to begin.
  void ask_examples() {
    const std::vector<Case>& examples = survey_.domain.examples;
    std::vector<Recipe> recipes;
    for (uint32_t i = 0; i < examples.size(); ++i) {
      recipes.push_back(fresh());
      recipes.back().kept = (uint64_t{1} << kStepCount) - 1;
      recipes.back().example = i;
    }
    if (!recipes.empty()) ask(recipes, examples, false);
  }

  size_t below(size_t count) { return static_cast<size_t>(random_.below(static_cast<int64_t>(count))); }
  const Recipe& some_taken() { return taken_[below(taken_.size())].recipe; }

  /// Whether each recipe was accepted. `drawn`: they aim at nothing, so that their levels and reasons count.
  std::vector<bool> ask(std::span<const Recipe> recipes, std::span<const Case> cases, bool drawn) {
    const std::vector<std::optional<Refusal>> answers = ask_(cases);
    std::vector<bool> accepted(recipes.size());
    for (size_t i = 0; i < recipes.size(); ++i) {
      const Resolved resolved = resolve(cases[i]);
      if (resolved.why_not) continue;
      accepted[i] = !answers[i];
      if (accepted[i])
        keep({recipes[i], levels_of(cases[i], resolved.problem)});
      else
        niches_.add(*answers[i], recipes[i], drawn, random_);
    }
    return accepted;
  }

  std::vector<bool> ask(std::span<const Recipe> recipes, bool drawn) {
    std::vector<Case> cases;
    std::vector<Recipe> asked;
    std::vector<size_t> places;
    for (size_t i = 0; i < recipes.size(); ++i)
      if (const Case c = made(profile_, recipes[i], survey_.domain.examples); is_worth_asking(c, recipes[i])) {
        cases.push_back(c);
        asked.push_back(recipes[i]);
        places.push_back(i);
      }
    const std::vector<bool> answers = ask(asked, cases, drawn);
    std::vector<bool> accepted(recipes.size());
    for (size_t i = 0; i < places.size(); ++i) accepted[places[i]] = answers[i];
    return accepted;
  }

  /// Whether a chain may go to each recipe. To learn from the answers takes as long as the questions: where there are
  /// `many` rounds, each fourth one is enough.
  std::vector<bool> may_go(std::span<const Recipe> recipes, bool many) {
    std::vector<Case> cases;
    for (const Recipe& one : recipes) cases.push_back(made(profile_, one, survey_.domain.examples));
    std::vector<bool> accepted(recipes.size());
    if (!many || ++walked_ % 4 == 0) {
      accepted = ask(recipes, cases, false);
    } else {
      const std::vector<std::optional<Refusal>> answers = ask_(cases);
      for (size_t i = 0; i < cases.size(); ++i) accepted[i] = !answers[i] && !resolve(cases[i]).why_not;
    }
    for (size_t i = 0; i < cases.size(); ++i)
      accepted[i] = accepted[i] && is_worth_asking(cases[i], recipes[i]) &&
                    !is_one_too_many(profile_, cases[i], recipes[i]);
    return accepted;
  }

  void keep(const Taken& one) {
    const uint32_t before = shown_.seen();
    shown_.add(one.levels);
    for (const uint32_t pair : shown_.take_news()) accepted_[pair] = true;
    if (shown_.seen() > before) novel_.push_back(one);
    if (taken_.size() < kMostTaken)
      taken_.push_back(one);
    else
      taken_[below(kMostTaken)] = one;
  }

  void draw_independently() {
    // Where it does not take much longer, all starts are found so.
    const auto wants_more = [&] {
      const uint64_t taken = taken_.size(), asked = survey_.asked;
      if (asked < kLeastAsked) return true;
      if (survey_.is_wide()) return false;
      if (taken < kEnoughTaken) return asked < kMostAsked;
      return thorough_ && taken < kStarts && taken * kMostForAStart >= asked;
    };
    while (has_time_(kDraws) && wants_more()) {
      std::vector<Recipe> recipes(kQuestionsAtOnce);
      for (Recipe& one : recipes) one = fresh();
      const std::vector<bool> accepted = ask(recipes, true);
      survey_.asked += recipes.size();
      survey_.taken += static_cast<uint64_t>(std::ranges::count(accepted, true));
    }
  }

  /// Walks from accepted cases, from cases with rare reasons, and begins anew with plain layers, which most kernels are
  /// written for.
  void look_for_first() {
    const auto is_over = [&](uint64_t asked) {
      const size_t enough = asked < kLongSearch ? kEnoughTaken : kFewTaken;
      return asked >= most_searched() || taken_.size() >= enough || !has_time_(kFirst);
    };
    const auto are_reasons_telling = [&] {
      return niches_.are_telling() || !survey_.domain.examples.empty();
    };
    for (uint64_t asked = 0; !is_over(asked); asked += kQuestionsAtOnce) {
      std::vector<Recipe> recipes;
      while (recipes.size() < kQuestionsAtOnce) {
        const double at = random_.uniform();
        if (at < 0.4 && !taken_.empty())
          recipes.push_back(near(some_taken()));
        else if (at < 0.8 && are_reasons_telling())
          recipes.push_back(near(niches_.empty() ? fresh() : niches_.rare(random_)));
        else
          recipes.push_back(at < 0.9 ? fresh() : layer());
      }
      ask(recipes, false);
    }
  }

  /// How many cases are drawn in search of one that the target takes. Fewer for a profile that the user chose to narrow
  /// the campaign down: it may well have nothing for the target.
  uint64_t most_searched() const {
    return profile_ && profile_->sampler == Sampler::kMixed ? kMostSearched : kLongSearch;
  }

  /// Of the profile `layers`, where the profile mixes others; else any.
  Recipe layer() {
    Recipe recipe = fresh();
    if (!profile_ || profile_->sampler != Sampler::kMixed) return recipe;
    for (int i = 0; i < 100; ++i) {
      Random pick = recipe.choices.at(Step::kProfile), numbers = recipe.choices.at(Step::kIntegers);
      if (drawn_profile(profile_, pick, numbers).name == "layers") break;
      recipe.choices[Step::kProfile] = static_cast<uint32_t>(random_.bits() >> 32);
    }
    return recipe;
  }

  /// Where walks begin: at what was drawn independently, or where chains lead to.
  void find_starts(bool is_exact) {
    std::vector<Recipe> accepted;
    for (const Taken& one : taken_)
      if (!is_one_too_many(profile_, made(profile_, one.recipe, survey_.domain.examples), one.recipe))
        accepted.push_back(one.recipe);
    if (accepted.empty()) accepted.push_back(taken_.front().recipe);
    if (!thorough_ && (is_exact || accepted.size() >= kEnoughForFew)) {  // enough for a short campaign
      survey_.domain.starts = std::move(accepted);
      return;
    }
    const std::vector<Case>& examples = survey_.domain.examples;
    const Inside inside = {[&](std::span<const Recipe> recipes) { return may_go(recipes, !is_exact); },
                           [&](const Recipe& one) { return made(profile_, one, examples); },
                           [&] { return has_time_(kStartsFound); }, examples.size()};
    Mixed mixed = mix_chains(accepted, is_exact, random_, inside);
    survey_.domain.moves = std::move(mixed.moves);
    survey_.domain.starts = std::move(mixed.starts);
    ask(survey_.domain.starts, false);
  }

  bool takes(FeatureId feature, uint8_t level) const {
    const bool is_op = feature == feature::kOp;
    for (uint8_t beside = 0; beside < (is_op ? 3 : 2); ++beside)
      if (accepted_[beside_op(feature, level, beside)]) return true;
    return false;
  }

  /// The pair of a level and an operation; or of an operation and a pass.
  static uint32_t beside_op(FeatureId feature, uint8_t level, uint8_t beside) {
    return feature == feature::kOp ? id_of({2, {feature::kOp, feature::kPass}, {level, beside}})
                                   : id_of({2, {feature::kOp, feature}, {beside, level}});
  }

  /// Aims at each level that no accepted case has, with each operation.
  void search_levels() {
    std::vector<Aim> aims;
    for (const Feature& feature : features())
      for (uint8_t level = 0; level < feature.levels.size(); ++level) {
        if (takes(feature.id, level)) continue;
        for (uint8_t beside = 0; beside < (feature.id == feature::kOp ? 3 : 2); ++beside)
          aims.push_back({beside_op(feature.id, level, beside)});
      }
    const std::vector<Aim> shown = search(std::move(aims), kTriesOfLevel, kLevels);
    for (const Feature& feature : features())
      for (uint8_t level = 0; level < feature.levels.size(); ++level) {
        const auto is_of = [&](const Aim& aim) {
          const Tuple pair = tuple_of(aim.pair);
          const int i = pair.feature[0] == feature.id ? 0 : 1;
          return pair.feature[i] == feature.id && pair.level[i] == level;
        };
        if (!takes(feature.id, level) && std::ranges::any_of(shown, is_of))
          survey_.never.push_back({feature.id, level});
      }
  }

  /// Aims at each pair of accepted levels that no accepted case has.
  void search_pairs() {
    std::array<uint32_t, kFeatureCount> takes_level = {};
    for (const Feature& feature : features())
      for (uint8_t level = 0; level < feature.levels.size(); ++level)
        takes_level[feature.id] |= uint32_t{takes(feature.id, level)} << level;
    std::vector<Aim> aims;
    for (uint32_t id = 0; id < pair_count(); ++id) {
      const Tuple pair = tuple_of(id);
      const auto is_taken = [&](int i) { return (takes_level[pair.feature[i]] >> pair.level[i] & 1) != 0; };
      if (!accepted_[id] && is_taken(0) && is_taken(1)) aims.push_back({id});
    }
    search(std::move(aims), kTriesOfPair, kAll);
  }

  /// Until each pair was accepted, or refused `tries` times, or cannot be shown. Returns those that were refused. What
  /// there was no time for counts as accepted.
  std::vector<Aim> search(std::vector<Aim> aims, int tries, double until) {
    std::vector<Aim> refused;
    while (!aims.empty() && has_time_(until)) {
      std::vector<Recipe> recipes;
      std::vector<Case> cases;
      for (size_t i = 0; i < aims.size() && recipes.size() < kQuestionsAtOnce; ++i) {
        Aim& aim = aims[i];
        const Recipe recipe = towards(aim);
        const Case c = made(profile_, recipe, survey_.domain.examples);
        ++aim.drawn;
        if (!is_worth_asking(c, recipe)) continue;
        ++aim.shown;
        recipes.push_back(recipe);
        cases.push_back(c);
      }
      ask(recipes, cases, false);
      const auto is_done = [&](const Aim& aim) {
        if (accepted_[aim.pair]) return true;
        if (aim.shown >= tries) return refused.push_back(aim), true;
        return (aim.shown == 0 && aim.drawn >= kVainDraws) || aim.drawn >= kDrawsForATry * tries;
      };
      std::erase_if(aims, is_done);
      const size_t asked_about = std::min(kQuestionsAtOnce, aims.size());
      std::rotate(aims.begin(), aims.begin() + static_cast<std::ptrdiff_t>(asked_about), aims.end());
    }
    for (const Aim& aim : aims) accepted_[aim.pair] = true;  // it is not known which
    refuses_ |= !refused.empty();
    return refused;
  }

  /// A recipe that aims at the pair, from an accepted one: mostly from one that has a level of it.
  Recipe towards(const Aim& aim) {
    const Tuple pair = tuple_of(aim.pair);
    const Taken* from = &taken_[below(taken_.size())];
    for (int i = 0; i < 6; ++i) {
      const int which = aim.drawn % 2;
      if (from->levels[pair.feature[which]] == pair.level[which]) break;
      from = &taken_[below(taken_.size())];
    }
    const bool is_shown_by_none = aim.shown == 0;  // as two extents that differ, by a kernel that takes one
    Recipe recipe = (survey_.is_wide() || is_shown_by_none) && aim.drawn % 2 == 0 ? fresh() : from->recipe;
    for (int i = 0; i < aim.drawn % 3; ++i) recipe = near(recipe);
    recipe.wish = aim.pair;
    return recipe;
  }

  void finish(bool walks) {
    Domain domain(accepted_);
    if (!thorough_) domain = with_all_pairs(domain);
    domain.moves = std::move(survey_.domain.moves);
    domain.starts = std::move(survey_.domain.starts);
    if (walks) domain.rare = rare_ones(domain.starts);
    domain.takes_all = !walks && !refuses_;
    domain.examples = std::move(survey_.domain.examples);
    survey_.domain = std::move(domain);
  }

  static Domain with_all_pairs(const Domain& domain) {
    std::vector<bool> pairs(pair_count());
    for (uint32_t id = 0; id < pairs.size(); ++id) {
      const Tuple pair = tuple_of(id);
      pairs[id] = domain.has(pair.feature[0], pair.level[0]) && domain.has(pair.feature[1], pair.level[1]);
    }
    return Domain(std::move(pairs));
  }

  /// Accepted cases that together show what `starts` do not.
  std::vector<Recipe> rare_ones(std::span<const Recipe> starts) const {
    Coverage shown(Coverage::Depth::kPairs);
    for (const Recipe& one : starts) {
      const Case c = made(profile_, one, survey_.domain.examples);
      shown.add(levels_of(c, resolve(c).problem));
    }
    shown.take_news();
    std::vector<Recipe> rare;
    for (const Taken& one : novel_) {
      const uint32_t before = shown.seen();
      shown.add(one.levels);
      if (shown.seen() > before && rare.size() < kMostRare) rare.push_back(one.recipe);
    }
    return rare;
  }

  const Profile* profile_;
  const bool thorough_;
  Random random_;
  const Ask& ask_;
  const HasTime& has_time_;
  Survey survey_;
  uint64_t walked_ = 0;  // rounds of chains
  bool refuses_ = false;  // something that was aimed at
  std::vector<Taken> taken_, novel_;  // novel_: those that were the first with a pair
  std::vector<bool> accepted_;        // pairs
  Coverage shown_{Coverage::Depth::kPairs};
  Niches niches_;
};

}  // namespace

Survey survey(const Questionnaire& questionnaire, const Ask& ask, const HasTime& has_time) {
  return Surveyor(questionnaire, ask, has_time).run();
}

}  // namespace convict::generate
