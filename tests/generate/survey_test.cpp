// SPDX-License-Identifier: Apache-2.0
//
// What a target takes is found out by asking, and cases are drawn there: also those that nobody thought of.
#include "generate/survey.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <set>

#include "core/case_text.h"
#include "core/error.h"
#include "core/geometry.h"
#include "generate/generate.h"
#include "generate/reach.h"

namespace convict {
namespace {

using namespace generate;

bool is_first_kernel(const Case& c) {
  return c.op == CONVICT_CONV && c.pass == CONVICT_FORWARD && c.rank == 2 && c.groups == 1 &&
         c.src_type == CONVICT_F32 && c.dst_type == CONVICT_F32 && c.wei_type == CONVICT_F32 &&
         c.src_layout == ActivationLayout::kChannelsFirst && c.dst_layout == ActivationLayout::kChannelsFirst;
}

/// About one case in ten thousand.
bool is_tiny_kernel(const Case& c) {
  const auto all = [](const Axes& axes, int64_t value) { return axes[0] == value && axes[1] == value; };
  return is_first_kernel(c) && all(c.stride, 1) && all(c.dilation, 1) && all(c.kernel, 3) && !c.bias && !c.relu &&
         c.beta == 0 && c.ic % 4 == 0 && c.threads == 1;
}

Accepts counting(const Accepts& accepts, uint64_t& asked) {
  return [&accepts, &asked](const Case& c) {
    ++asked;
    return accepts(c);
  };
}

Accepts counting_tiny(int& asked) {
  return [&asked](const Case& c) {
    ++asked;
    return is_tiny_kernel(c);
  };
}

Survey surveyed(const Profile* profile, const Accepts& accepts) {
  return survey(profile, 7, SurveyDepth::kPairs, accepts, [] { return true; });
}

/// The share of places for which a case is found that the target takes.
double share_taken(const Profile* profile, const Domain& domain, const Accepts& accepts, int places, uint32_t draws) {
  const Share share = {0, 1, domain};
  const Sampling sampling = {.profile = profile, .seed = 3, .shares = {&share, 1}};
  int taken = 0;
  for (int i = 0; i < places; ++i)
    for (uint32_t draw = 0; draw < draws; ++draw)
      if (accepts(generate::generate(sampling, static_cast<uint64_t>(i), draw))) {
        ++taken;
        break;
      }
  return static_cast<double>(taken) / places;
}

TEST(Survey, DrawsNearlyAllCasesWhereANarrowTargetTakesThem) {
  for (const char* name : {"smoke", "all", "grouped"}) {
    const Profile* profile = find_profile(name);
    for (const Accepts& accepts : {Accepts(is_first_kernel), Accepts(is_tiny_kernel)}) {
      uint64_t asked = 0;
      const Survey found = surveyed(profile, counting(accepts, asked));
      EXPECT_FALSE(found.is_empty()) << name;
      EXPECT_LE(asked, 60'000u) << name;
      EXPECT_GE(share_taken(profile, found.domain, accepts, 500, 500), 0.95) << name;
      EXPECT_LT(share_taken(profile, {}, accepts, 500, 1), 0.05) << name << ": without a domain it would be hopeless";
    }
  }
}

TEST(Survey, LeavesOutNothingThatIsTaken) {
  const Survey found = surveyed(find_profile("smoke"), is_first_kernel);
  const Share share = {0, 1, found.domain};
  for (uint64_t i = 0; i < 20'000; ++i) {
    const Case c = generate::generate(find_profile("smoke"), 11, i);
    const Resolved resolved = resolve(c);
    if (is_first_kernel(c) && !resolved.why_not) {
      EXPECT_TRUE(found.domain.contains(levels_of(c, resolved.problem))) << to_text(c);
    }
  }
  EXPECT_FALSE(found.domain.is_whole());
  EXPECT_EQ(share.domain, Domain::from_json(found.domain.to_json()));
}

/// Output padding from the stride on is shown by few cases that are otherwise like those that this target takes.
TEST(Survey, LeavesOutWhatFewCasesShow) {
  const auto takes = [](const Case& c) {
    return is_first_kernel(c) || (c.op == CONVICT_CONV_TRANSPOSE && c.pass == CONVICT_FORWARD && c.rank == 1 &&
                                  c.groups == 1 && c.output_padding[0] == 0);
  };
  EXPECT_FALSE(surveyed(find_profile("all"), takes).domain.has(feature::kOutputPadding, levels::kFromStride));
}

TEST(Survey, WhoTakesMostHasAllButTheLevelsThatItNeverTakes) {
  const Survey found = surveyed(find_profile("smoke"), [](const Case& c) { return c.rank != 3; });
  EXPECT_TRUE(found.is_wide());
  EXPECT_FALSE(found.domain.has(feature::kRank, 2));
  EXPECT_TRUE(found.domain.has(feature::kRank, 1));
  EXPECT_FALSE(found.domain.is_restricted(feature::kType));
}

/// It takes both levels, and never together.
bool takes_either(const Case& c) { return is_first_kernel(c) && (c.dilation == Axes{1, 1, 1} || !c.bias); }

Tuple dilated_with_bias() { return {2, {feature::kDilation, feature::kBias}, {levels::kTwoEverywhere, 1}}; }

TEST(Survey, LeavesOutPairsThatAreAlwaysRefused) {
  const Domain domain = surveyed(find_profile("all"), takes_either).domain;
  EXPECT_TRUE(domain.has(feature::kDilation, levels::kTwoEverywhere) && domain.has(feature::kBias, 1));
  EXPECT_FALSE(domain.contains(dilated_with_bias()));
  EXPECT_EQ(domain, Domain::from_json(domain.to_json()));
  EXPECT_LT(reachable_pairs(nullptr, domain).seen_pairs(), pair_count());
  EXPECT_FALSE(reachable_pairs(nullptr, domain).has_seen(id_of(dilated_with_bias())));
}

/// No pair is left out that one of many cases shows.
TEST(Survey, LeavesOutNoPairThatIsTaken) {
  const Domain domain = surveyed(find_profile("all"), takes_either).domain;
  const Share share = {0, 1, domain};
  const Sampling sampling = {.seed = 17, .shares = {&share, 1}};
  int refused = 0;
  for (uint64_t i = 0; i < 20'000; ++i) {
    const Case c = generate::generate(sampling, i);
    const Resolved resolved = resolve(c);
    refused += !resolved.why_not && takes_either(c) && !domain.contains(levels_of(c, resolved.problem));
  }
  EXPECT_EQ(refused, 0);
}

/// The rare pairs are the wishes after the first ones.
TEST(Survey, FewerCasesShowAllPairsOfANarrowTarget) {
  const auto missing = [](const Domain& domain) {
    const Share share = {0, 1, domain};
    const Sampling sampling = {.seed = 23, .shares = {&share, 1}};
    Coverage shown(Coverage::Depth::kPairs), possible = reachable_pairs(nullptr, domain);
    for (uint64_t i = 0; i < 1'000; ++i)
      for (uint32_t draw = 0; draw < 100; ++draw) {
        const Case c = generate::generate(sampling, i, draw);
        if (!takes_either(c)) continue;
        shown.add(levels_of(c, resolve(c).problem));
        break;
      }
    possible.unite(shown);
    return 100.0 * (possible.seen_pairs() - shown.seen_pairs()) / possible.seen_pairs();
  };
  const Domain domain = surveyed(nullptr, takes_either).domain;
  nlohmann::json without = domain.to_json();
  without.at("pairs").at(2).clear();
  EXPECT_LT(missing(domain), 0.6 * missing(Domain::from_json(without)));
}

/// Whoever stops soon has common cases.
TEST(Survey, TheFirstCasesOfATargetHaveNoRarePairs) {
  Domain common = surveyed(nullptr, takes_either).domain, domain = common;
  ASSERT_FALSE(domain.rare_pairs().empty());
  nlohmann::json without = domain.to_json();
  without.at("pairs").at(2).clear();
  common = Domain::from_json(without);
  const Share share = {0, 1, domain}, of_common = {0, 1, common};
  const Sampling sampling = {.seed = 23, .shares = {&share, 1}}, others = {.seed = 23, .shares = {&of_common, 1}};
  int different = 0;
  for (uint64_t i = 0; i < 400; ++i) {
    const bool same = generate::generate(sampling, i) == generate::generate(others, i);
    EXPECT_TRUE(same || i >= 200) << i;
    different += !same;
  }
  EXPECT_GT(different, 50);
}

TEST(Survey, WhoTakesAllHasTheWholeProfile) {
  EXPECT_TRUE(surveyed(find_profile("all"), [](const Case&) { return true; }).domain.is_whole());
}

/// What was not tried is not left out.
TEST(Survey, OutOfTimeItLeavesNothingOut) {
  for (const int patience : {0, 100, 5'000, 22'000}) {
    int asked = 0;
    const Survey found =
        survey(find_profile("smoke"), 7, SurveyDepth::kPairs, counting_tiny(asked), [&] { return asked < patience; });
    EXPECT_TRUE(found.domain.is_whole() || asked < patience) << patience;
  }
}

TEST(Survey, WhoTakesNothingHasNoCases) {
  EXPECT_TRUE(surveyed(find_profile("smoke"), [](const Case&) { return false; }).is_empty());
}

/// The rarest levels inside the domain are still drawn.
TEST(Survey, TheDomainIsNotNarrowerThanTheTarget) {
  const Profile* profile = find_profile("smoke");
  const Share share = {0, 1, surveyed(profile, is_first_kernel).domain};
  const Sampling sampling = {.profile = profile, .seed = 5, .shares = {&share, 1}};
  std::set<int64_t> kernels, batches;
  bool dilated = false, negative = false, viewed = false;
  for (uint64_t i = 0; i < 20'000; ++i) {
    const Case c = generate::generate(sampling, i);
    kernels.insert(c.kernel[1]);
    batches.insert(c.batch);
    dilated |= c.dilation[0] > 1;
    negative |= c.pad_begin[0] < 0;
    viewed |= c.views.src;
  }
  EXPECT_TRUE(kernels.contains(1) && kernels.contains(16) && batches.contains(0) && dilated && negative && viewed);
}

TEST(Domain, AWeightThatIsNoneIsRefused) {
  for (const char* text :
       {R"({"pass": {"forward": 4000000000}})", R"({"pass": {"forward": -1}})", R"({"pass": {"forward": "many"}})"})
    EXPECT_THROW(Domain::from_json(nlohmann::json::parse(text)), UsageError) << text;
  EXPECT_THROW(Domain::from_json(nlohmann::json::parse(R"({"pass": 7})")), nlohmann::json::exception);
  EXPECT_THROW(Domain::from_json({{"pairs", {feature_table(), {pair_count()}, nlohmann::json::array()}}}), UsageError);
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
