// SPDX-License-Identifier: Apache-2.0
//
// What a target takes is found out by asking, and cases are drawn there: also those that nobody thought of, and as the
// profile has them.
#include "generate/surveyor.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <span>

#include "core/case_text.h"
#include "core/error.h"
#include "core/geometry.h"
#include "generate/generate.h"
#include "generate/place.h"
#include "tests/thorough.h"

namespace convict {
namespace {

using namespace generate;
using Accepts = std::function<bool(const Case&)>;

bool is_f32(const Case& c) {
  return c.src_type == CONVICT_F32 && c.dst_type == CONVICT_F32 && c.wei_type == CONVICT_F32;
}

bool is_first_kernel(const Case& c) {
  return c.op == CONVICT_CONV && c.pass == CONVICT_FORWARD && c.rank == 2 && c.groups == 1 && is_f32(c) &&
         c.src_layout == ActivationLayout::kChannelsFirst && c.dst_layout == ActivationLayout::kChannelsFirst;
}

bool all(const Axes& axes, int rank, int64_t value) {
  return std::all_of(axes.begin(), axes.begin() + rank, [&](int64_t one) { return one == value; });
}

/// About one case in ten thousand.
bool is_tiny_kernel(const Case& c) {
  return is_first_kernel(c) && all(c.stride, 2, 1) && all(c.dilation, 2, 1) && all(c.kernel, 2, 3) && !c.bias &&
         !c.relu && c.beta == 0 && c.threads == 1;
}

bool is_quantized_depthwise(const Case& c) {
  return c.op == CONVICT_CONV && c.rank == 2 && c.groups == c.ic && c.groups == c.oc && c.src_type == CONVICT_U8 &&
         c.dst_type == CONVICT_U8 && c.requant == Requant::kSingle && c.scale == Scale::kChannel &&
         c.src_layout == ActivationLayout::kChannelsLast && c.dst_layout == ActivationLayout::kChannelsLast &&
         all(c.dilation, 2, 1) && !c.views.src && !c.views.wei && !c.views.dst && c.threads == 1;
}

/// Two parts that differ in nearly every field.
bool is_of_two_parts(const Case& c) {
  const bool first = is_first_kernel(c) && c.ic % 4 == 0 && all(c.kernel, 2, 3);
  const bool second = c.op == CONVICT_CONV_TRANSPOSE && c.pass == CONVICT_BACKWARD_WEIGHTS && c.rank == 1 &&
                      c.groups > 1 && c.src_layout == ActivationLayout::kChannelsLast && c.stride[0] > 1;
  return first || second;
}

/// It takes both levels, and never together.
bool takes_either(const Case& c) { return is_first_kernel(c) && (c.dilation == Axes{1, 1, 1} || !c.bias); }

/// Asks as the C ABI does: with the condition that is not met first.
Ask by(const Accepts& accepts, uint64_t* asked = nullptr) {
  return [=](std::span<const Case> cases) {
    std::vector<std::optional<Refusal>> reasons;
    for (const Case& c : cases) reasons.push_back(accepts(c) ? std::nullopt : std::optional<Refusal>(Refusal{"no"}));
    if (asked) *asked += cases.size();
    return reasons;
  };
}

Survey surveyed(const Profile* profile, const Ask& ask, bool pairs = true) {
  return survey({profile, 7, pairs}, ask, [](double) { return true; });
}
Survey surveyed(const Profile* profile, const Accepts& accepts) { return surveyed(profile, by(accepts)); }

/// The cases that a campaign has for this target.
std::vector<Case> found(const Profile* profile, const Domain& domain, const Accepts& accepts, uint64_t places,
                        uint64_t step = 1) {
  const Share share = {0, 1, domain};
  const Sampling sampling = {.profile = profile, .seed = 3, .shares = {&share, 1}};
  std::vector<Case> cases;
  for (uint64_t i = 0; i < places; ++i) {
    Place place(sampling, i * step);
    while (!place.is_decided()) place.answer(accepts(place.asks()));
    cases.push_back(place.found());
  }
  return cases;
}

double share(const std::vector<Case>& cases, const Accepts& has) {
  return static_cast<double>(std::ranges::count_if(cases, has)) / static_cast<double>(cases.size());
}

TEST(Survey, NearlyAllCasesAreOnesThatANarrowTargetTakes) {
  constexpr const char* kNames[] = {"any", "grouped", "smoke", "all"};
  for (const char* name : std::span(kNames).first(test::thorough(2, 4)))
    for (const Accepts& accepts : {Accepts(is_first_kernel), Accepts(is_tiny_kernel), Accepts(is_of_two_parts)}) {
      const Profile* profile = find_profile(name);
      uint64_t asked = 0;
      const Survey survey = surveyed(profile, by(accepts, &asked));
      EXPECT_FALSE(survey.is_empty()) << name;
      EXPECT_LE(asked, 600'000u) << name;
      EXPECT_EQ(share(found(profile, survey.domain, accepts, 500), accepts), 1) << name;
    }
}

/// Independent draws meet it once in a million times, and then with one channel and one tap.
TEST(Survey, AKernelThatIsAWorldOfItsOwnGetsOrdinarySizes) {
  const Profile* profile = find_profile("any");
  const Survey survey = surveyed(profile, is_quantized_depthwise);
  ASSERT_FALSE(survey.is_empty());
  const std::vector<Case> cases = found(profile, survey.domain, is_quantized_depthwise, 4'000);
  EXPECT_EQ(share(cases, is_quantized_depthwise), 1);
  EXPECT_LE(share(cases, [](const Case& c) { return c.groups == 1; }), 0.1);
  EXPECT_LE(share(cases, [](const Case& c) { return all(c.kernel, 2, 1); }), 0.1);
  EXPECT_GE(share(cases, [](const Case& c) { return c.groups > 1 && c.kernel[1] > 1; }), 0.7);
}

using Shares = std::map<std::pair<int, int>, double>;  // by feature and level

Shares shares_of(const std::vector<Case>& cases) {
  Shares shares;
  for (const Case& c : cases) {
    const Levels levels = levels_of(c, resolve(c).problem);
    for (const Feature& feature : features())
      shares[{feature.id, levels[feature.id]}] += 1 / static_cast<double>(cases.size());
  }
  return shares;
}

/// A target that takes one case in some hundreds: cases found by walking have the levels that drawing again would give.
TEST(Survey, InsideTheDomainTheProfileHolds) {
  const auto accepts = [](const Case& c) { return is_first_kernel(c) && c.ic % 2 == 0 && all(c.stride, 2, c.stride[0]); };
  for (const char* name : {"any", "smoke"}) {
    const Profile* profile = find_profile(name);
    std::vector<Case> drawn;
    for (uint64_t i = 0; drawn.size() < 4'000; ++i)
      if (const Case c = generate::generate(profile, 77, 2 * i); accepts(c)) drawn.push_back(c);
    const Survey survey = surveyed(profile, accepts);
    Shares walked = shares_of(found(profile, survey.domain, accepts, 4'000)), rejected = shares_of(drawn);
    for (const auto& [level, expected] : rejected) {
      if (expected < 0.01) continue;
      EXPECT_GE(walked[level], expected / 2) << name << " " << features()[level.first].name << " "
                                             << features()[level.first].levels[level.second];
    }
  }
}

TEST(Survey, AllPartsOfADomainHaveTheirCases) {
  const Profile* profile = find_profile("any");
  const Survey survey = surveyed(profile, is_of_two_parts);
  const double second = share(found(profile, survey.domain, is_of_two_parts, 1'000),
                              [](const Case& c) { return c.op == CONVICT_CONV_TRANSPOSE; });
  EXPECT_GT(second, 0.05);
  EXPECT_LT(second, 0.95);
}

/// Refused and unheard of, but for the words: reasons lead to it.
TEST(Survey, ReasonsLeadIntoADomainThatNoDrawMeets) {
  const Ask ask = [](std::span<const Case> cases) {
    std::vector<std::optional<Refusal>> reasons;
    for (const Case& c : cases)
      reasons.push_back(c.op != CONVICT_CONV_TRANSPOSE                 ? std::optional<Refusal>(Refusal{"only transposed"})
                        : c.pass != CONVICT_BACKWARD_DATA              ? std::optional<Refusal>(Refusal{"only data gradients"})
                        : c.rank != 3                                  ? std::optional<Refusal>(Refusal{"only rank 3"})
                        : c.src_type != CONVICT_BF16                   ? std::optional<Refusal>(Refusal{"only bf16"})
                        : c.groups < 2 || c.groups % 2 != 0            ? std::optional<Refusal>(Refusal{"only even groups"})
                        : c.dst_layout != ActivationLayout::kChannelsLast ? std::optional<Refusal>(Refusal{"only channels last"})
                        : c.wei_layout != WeightLayout::kHwio          ? std::optional<Refusal>(Refusal{"only hwio"})
                        : !all(c.kernel, 3, c.kernel[0])               ? std::optional<Refusal>(Refusal{"only cubes"})
                        : !all(c.stride, 3, 2)                         ? std::optional<Refusal>(Refusal{"only strides of 2"})
                                                                       : std::nullopt);
    return reasons;
  };
  EXPECT_FALSE(surveyed(find_profile("any"), ask).is_empty());
}

/// Sizes that nobody draws.
bool is_one_layer(const Case& c) {
  return c.op == CONVICT_CONV && c.pass == CONVICT_FORWARD && c.rank == 2 && is_f32(c) && c.groups == 1 && c.ic == 37 &&
         c.kernel == Axes{13, 11, 1} && c.in == Axes{29, 31, 1};
}

TEST(Survey, AnExampleLeadsWhereNoDrawDoes) {
  const Profile* profile = find_profile("any");
  EXPECT_TRUE(surveyed(profile, is_one_layer).is_empty());
  const Questionnaire questionnaire = {
      .profile = profile, .seed = 7, .pairs = true, .examples = {parse_case("conv2d ic=37 oc=2 in=29x31 k=13x11")}};
  const Survey survey = generate::survey(questionnaire, by(is_one_layer), [](double) { return true; });
  EXPECT_EQ(Survey::from_json(survey.to_json()).domain, survey.domain);
  const std::vector<Case> cases = found(profile, survey.domain, is_one_layer, 300);
  EXPECT_EQ(share(cases, is_one_layer), 1);
  std::set<int64_t> channels, strides;
  for (const Case& c : cases) channels.insert(c.oc), strides.insert(c.stride[0]);
  EXPECT_GT(channels.size(), 5u);
  EXPECT_GT(strides.size(), 2u);
}

TEST(Survey, WhereNothingIsTakenTheConditionThatBlocksIsNamed) {
  const Ask ask = [](std::span<const Case> cases) {
    std::vector<std::optional<Refusal>> reasons;
    for (const Case& c : cases)
      reasons.emplace_back(Refusal{c.rank != 2         ? "only rank 2"
                                   : c.ic % 8 != 0     ? "channels in blocks of 8"
                                   : c.kernel[0] != 97 ? "only kernels of 97"
                                                       : "only in my dreams"});
    return reasons;
  };
  const Survey survey = surveyed(find_profile("smoke"), ask);
  EXPECT_TRUE(survey.is_empty());
  EXPECT_TRUE(survey.blocked_by.starts_with("only kernels of 97; or: ")) << survey.blocked_by;
}

TEST(Survey, WhatIsNeverAcceptedIsNamed) {
  const Survey survey = surveyed(find_profile("smoke"), [](const Case& c) { return c.rank != 3 && !c.bias; });
  const auto is_never = [&](FeatureId feature, uint8_t level) {
    return std::ranges::find(survey.never, generate::Level{feature, level}) != survey.never.end();
  };
  EXPECT_TRUE(is_never(feature::kRank, 2));
  EXPECT_TRUE(is_never(feature::kBias, 1));
  EXPECT_FALSE(is_never(feature::kRank, 1));
  EXPECT_FALSE(is_never(feature::kType, levels::kBf16));
  EXPECT_FALSE(survey.domain.has(feature::kRank, 2));
  EXPECT_TRUE(survey.domain.has(feature::kRank, 1));
  EXPECT_EQ(in_words(survey.never), "rank: 3; bias: yes");
}

TEST(Survey, WhoTakesAllHasNothingThatIsNeverAccepted) {
  for (const char* name : {"any", "all"}) {
    const Survey survey = surveyed(find_profile(name), [](const Case&) { return true; });
    EXPECT_TRUE(survey.is_wide() && !survey.domain.is_walked());
    EXPECT_EQ(in_words(survey.never), "") << name;
    EXPECT_GT(survey.domain.pairs(), 10'800u) << name;
  }
}

Tuple dilated_with_bias() { return {2, {feature::kDilation, feature::kBias}, {levels::kTwoEverywhere, 1}}; }

TEST(Survey, LeavesOutPairsThatAreAlwaysRefused) {
  const Domain domain = surveyed(nullptr, takes_either).domain;
  EXPECT_TRUE(domain.has(feature::kDilation, levels::kTwoEverywhere) && domain.has(feature::kBias, 1));
  EXPECT_FALSE(domain.contains(dilated_with_bias()));
}

/// Of some 9,000 pairs hardly one is left out that one of 40,000 cases shows, whatever aims at it.
TEST(Survey, LeavesOutNoPairThatIsTaken) {
  for (const Accepts& accepts : {Accepts(takes_either), Accepts(is_of_two_parts)}) {
    const Domain domain = surveyed(nullptr, accepts).domain;
    Coverage shown(Coverage::Depth::kPairs);
    for (uint64_t i = 0; i < 40'000; ++i)
      if (const Case c = generate::generate(nullptr, 17, i); accepts(c)) shown.add(levels_of(c, resolve(c).problem));
    std::vector<std::string> missing;
    for (uint32_t id = 0; id < pair_count(); ++id)
      if (shown.has_seen(id) && !domain.has_pair(id)) missing.push_back(name_of(tuple_of(id)));
    EXPECT_LE(missing.size(), 3u) << testing::PrintToString(missing);
  }
}

TEST(Survey, FewCasesShowAllPairsOfANarrowTarget) {
  const Domain domain = surveyed(nullptr, takes_either).domain;
  Domain without = domain;
  without.rare.clear();
  const auto missing = [&](const Domain& one) {
    Coverage shown(Coverage::Depth::kPairs);
    for (const Case& c : found(nullptr, one, takes_either, 1'000)) shown.add(levels_of(c, resolve(c).problem));
    return domain.pairs() - shown.seen_pairs();
  };
  EXPECT_LT(missing(domain), missing(without) * 9 / 10);
}

/// Whoever stops soon has common cases.
TEST(Survey, TheFirstCasesOfATargetHaveNoRarePairs) {
  const Domain domain = surveyed(nullptr, takes_either).domain;
  Domain common = domain;
  common.rare.clear();
  ASSERT_FALSE(domain.rare.empty());
  const std::vector<Case> cases = found(nullptr, domain, takes_either, 400),
                          others = found(nullptr, common, takes_either, 400);
  EXPECT_TRUE(std::equal(cases.begin(), cases.begin() + 200, others.begin()));
  EXPECT_FALSE(cases == others);
}

/// Few draws are taken: some tens of these are enough for a campaign of few cases, which walks would delay. The same
/// where they are so few that one is looked for near the other.
TEST(Survey, ACampaignOfFewCasesBeginsWithWhatWasFound) {
  const Accepts rare = [](const Case& c) {
    return c.op == CONVICT_CONV && c.rank == 2 && c.pass == CONVICT_FORWARD && c.fill == Fill::kSpecial;
  };
  const Accepts rarer = [](const Case& c) {
    return c.op == CONVICT_CONV && c.rank == 2 && c.pass == CONVICT_FORWARD && c.batch == 1 && c.groups == 1 &&
           c.ic == 1 && c.oc == 1 && c.src_type == CONVICT_F32 && c.calls == Calls::kOnce && !c.bias &&
           c.src_layout == ActivationLayout::kChannelsFirst && c.kernel[0] == 3;
  };
  for (const Accepts& takes : {rare, rarer}) {
    uint64_t asked = 0;
    const Survey survey = surveyed(find_profile("any"), by(takes, &asked), /*pairs=*/false);
    EXPECT_GE(survey.domain.starts.size(), 20u);
    EXPECT_LE(asked, 60'000u);
  }
}

TEST(Survey, WhatThereWasNoTimeForIsNotLeftOut) {
  for (const uint64_t patience : {0, 100, 5'000, 22'000, 40'000}) {
    uint64_t asked = 0;
    const Survey found = survey({find_profile("smoke"), 7}, by(is_tiny_kernel, &asked), [&](double) { return asked < patience; });
    EXPECT_TRUE(found.domain.is_whole() || found.domain.is_walked()) << patience;
    EXPECT_TRUE(found.never.empty() || asked < patience) << patience;
  }
}

TEST(Survey, WhoTakesNothingHasNoCases) {
  EXPECT_TRUE(surveyed(find_profile("huge-index"), [](const Case&) { return false; }).is_empty());
}

/// The rarest levels inside the domain are still drawn.
TEST(Survey, TheDomainIsNotNarrowerThanTheTarget) {
  const Profile* profile = find_profile("smoke");
  const Domain domain = surveyed(profile, is_first_kernel).domain;
  std::set<int64_t> kernels, batches;
  bool dilated = false, negative = false, viewed = false;
  for (const Case& c : found(profile, domain, is_first_kernel, 20'000)) {
    kernels.insert(c.kernel[1]);
    batches.insert(c.batch);
    dilated |= c.dilation[0] > 1;
    negative |= c.pad_begin[0] < 0;
    viewed |= c.views.src;
  }
  EXPECT_TRUE(kernels.contains(1) && kernels.contains(16) && batches.contains(0) && dilated && negative && viewed);
}

/// The supervisor makes the cases of a dead worker again, without the target.
TEST(Place, ItsAnswersSayWhichCaseItIs) {
  for (const Accepts& accepts : {Accepts(is_first_kernel), Accepts([](const Case& c) { return c.rank != 2; })}) {
    const Profile* profile = find_profile("any");
    const Share share = {0, 1, surveyed(profile, accepts).domain};
    const Sampling sampling = {.profile = profile, .seed = 3, .shares = {&share, 1}, .illegal = 0.05};
    for (uint64_t i = 0; i < 500; ++i) {
      Place place(sampling, i);
      while (!place.is_decided()) {
        ASSERT_EQ(to_text(place.asks()), to_text(generate::generate(sampling, i, place.asking())));
        place.answer(accepts(place.asks()));
      }
      ASSERT_EQ(to_text(place.found()), to_text(generate::generate(sampling, i, place.answers())));
    }
  }
}

TEST(Domain, IsReadAsItWasWritten) {
  const Survey survey = surveyed(find_profile("any"), is_tiny_kernel);
  const Survey again = Survey::from_json(survey.to_json());
  EXPECT_EQ(again.domain, survey.domain);
  EXPECT_EQ(again.never, survey.never);
  EXPECT_EQ(again.taken, survey.taken);
  EXPECT_FALSE(again.domain.rare.empty());
}

TEST(Domain, WhatIsNoneIsRefused) {
  const nlohmann::json good = surveyed(find_profile("any"), is_tiny_kernel).domain.to_json();
  for (const char* part : {"starts", "rare", "pairs", "moves"})
    for (const char* text : {"0", "xyz", "-1"}) {
      nlohmann::json damaged = good;
      damaged[part] = text;
      EXPECT_THROW(Domain::from_json(damaged), UsageError) << part << text;
    }
  nlohmann::json other_moves = good;
  const std::string no_loose_step = "0000000000000000", one_step = "0000000000000001";
  for (const std::string& text : {std::string("ffffffffffffffff"), no_loose_step + one_step + "0000"}) {
    other_moves["moves"] = text;
    EXPECT_THROW(Domain::from_json(other_moves), UsageError) << text;
  }
  other_moves.erase("moves");
  EXPECT_TRUE(Domain::from_json(other_moves).moves.tied.empty()) << "of a version that learnt none";
  EXPECT_THROW(Domain::from_json(nlohmann::json::object()), nlohmann::json::exception);
  nlohmann::json of_others = good;
  of_others["table"] = "of another program";
  EXPECT_TRUE(Domain::from_json(of_others).is_whole());
}

TEST(Sampling, WithoutSharesADrawIsTheCaseOfBefore) {
  const Profile* profile = find_profile("smoke");
  const Share whole = {0, 1, {}};
  for (uint64_t i = 0; i < 500; ++i)
    EXPECT_EQ(to_text(generate::generate(profile, 9, i)),
              to_text(generate::generate({.profile = profile, .seed = 9, .shares = {&whole, 1}}, i)));
}

TEST(Sampling, SharesTheCasesOut) {
  const Share shares[] = {{0, 3, {}}, {4, 1, {}}};
  const Sampling sampling = {.profile = find_profile("smoke"), .seed = 9, .shares = shares};
  int first = 0;
  for (uint64_t i = 0; i < 800; ++i) first += share_of(sampling, i)->target == 0;
  EXPECT_EQ(first, 600);
}

TEST(Sampling, AShareOfCasesIsIllegal) {
  const Sampling sampling = {.profile = find_profile("smoke"), .seed = 9, .illegal = 0.01};
  int illegal = 0;
  for (uint64_t i = 0; i < 10'000; ++i) illegal += resolve(generate::generate(sampling, i)).why_not ? 1 : 0;
  EXPECT_GT(illegal, 60);
  EXPECT_LT(illegal, 150);
}

}  // namespace
}  // namespace convict
