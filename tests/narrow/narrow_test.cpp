// SPDX-License-Identifier: Apache-2.0
//
// The narrow kernels are what they claim to be: each takes its witness and is right on it, and its twin is wrong on the
// witness of the fault.
#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <set>

#include "core/case_text.h"
#include "examine/pipeline.h"
#include "generate/generate.h"
#include "tests/narrow/kernel.h"

namespace convict {
namespace {

constexpr uint64_t kSeeds = 3, kCount = 40;

/// Those of seed 1 first, which campaigns are measured on.
const std::vector<narrow::Domain>& all_domains() {
  static const std::vector<narrow::Domain> domains = [] {
    std::vector<narrow::Domain> list;
    for (uint64_t seed = 1; seed <= kSeeds; ++seed)
      for (uint64_t number = 1; number <= kCount; ++number) list.push_back(narrow::draw_domain(seed, number));
    return list;
  }();
  return domains;
}

/// What one kernel makes of one case.
examine::Examination examined(const narrow::NarrowKernel& kernel, const Case& c) {
  static examine::LocalExaminer examiner;
  const convict_implementation& who = kernel.implementation();
  run::Subject subject = {&who, true, "1.0", who.name};
  subject.abilities = *narrow::NarrowKernel::abilities_of(&who);
  examiner.subjects = {subject};
  return examiner.examine(c);
}

TEST(NarrowKernels, AreRightOnTheirWitnesses) {
  for (const narrow::Domain& domain : all_domains()) {
    EXPECT_TRUE(domain.accepts(domain.witness)) << domain.name();
    for (const Case& c : {domain.witness, domain.fault_witness}) {
      const examine::Examination examination = examined({domain, false}, c);
      EXPECT_TRUE(examination.judged) << domain.name() << ": " << to_text(c);
      EXPECT_TRUE(examination.mismatches.empty()) << domain.name() << ": " << to_text(c);
    }
  }
}

TEST(NarrowKernels, TwinsAreWrongWhereTheirFaultIsOnly) {
  for (const narrow::Domain& domain : all_domains()) {
    EXPECT_FALSE(examined({domain, true}, domain.fault_witness).mismatches.empty())
        << domain.name() << ": " << domain.fault.text << ": " << to_text(domain.fault_witness);
    EXPECT_TRUE(examined({domain, true}, domain.witness).mismatches.empty()) << domain.name();
  }
}

TEST(NarrowKernels, AreDifferentAndAPureFunctionOfSeedAndNumber) {
  std::set<std::string> texts;
  std::map<narrow::Reasons, int> reasons;
  for (const narrow::Domain& domain : all_domains()) {
    texts.insert(domain.text());
    ++reasons[domain.reasons];
    EXPECT_GE(domain.conditions.size(), 3u) << domain.name();
    EXPECT_LE(domain.conditions.size(), 9u) << domain.name();
  }
  EXPECT_EQ(texts.size(), kSeeds * kCount);
  EXPECT_EQ(reasons[narrow::Reasons::kCondition], 60);
  EXPECT_EQ(reasons[narrow::Reasons::kConstant], 30);
  EXPECT_EQ(narrow::draw_domain(1, 7).text(), all_domains()[6].text());
}

/// What a domain says of a case is what a campaign does.
TEST(NarrowKernels, TakeWhatTheirDomainsAccept) {
  for (const narrow::Domain& domain : all_domains())
    for (uint64_t i = 0; i < 200; ++i) {
      const Case c = generate::generate(nullptr, 3, i);
      const examine::Examination examination = examined({domain, false}, c);
      EXPECT_EQ(examination.judged && !examination.illegal, domain.accepts(c)) << domain.name() << ": " << to_text(c);
    }
}

}  // namespace
}  // namespace convict
