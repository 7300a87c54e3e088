// SPDX-License-Identifier: Apache-2.0
//
// A broken relation leads to the call that is wrong: the case of the mismatch is one whose repetition shows the fault.
#include <gtest/gtest.h>

#include <cmath>

#include "abi/element.h"
#include "certificate/check.h"
#include "examine/pipeline.h"
#include "tests/relations/relation_bench.h"

namespace convict {
namespace {

using Spoil = void (*)(const convict_problem&, const convict_tensors&);

/// The direct kernel, with what is done to its results.
struct Spoilt : convict_implementation {
  Spoilt(Spoil spoil, convict_summation summation = CONVICT_FIXED_ORDER)
      : convict_implementation(kernel_named("direct")), spoil_(spoil) {
    name = lineage = "spoilt";
    contract.summation = summation;
    run = [](const convict_implementation* self, const convict_problem* p, const convict_tensors* t, char* error,
             size_t size) {
      const convict_implementation& direct = kernel_named("direct");
      const convict_status status = direct.run(&direct, p, t, error, size);
      static_cast<const Spoilt*>(self)->spoil_(*p, *t);
      return status;
    };
  }
  Spoil spoil_;
};

/// With all relations, as `repro` does.
std::vector<Mismatch> found_on(const convict_implementation& who, const Case& c, bool relations = true) {
  examine::LocalExaminer examiner{{{&who, true, ""}, {&kernel_named("im2col"), false, ""}}};
  examiner.settings.relations = relations ? examine::AskedRelations::kAll : examine::AskedRelations::kNone;
  return examiner.examine(c).mismatches;
}
Mismatch the_one_on(const convict_implementation& who, const std::string& line) {
  const std::vector<Mismatch> all = found_on(who, parse_case(line));
  EXPECT_EQ(all.size(), 1u) << line;
  return all.empty() ? Mismatch{} : all.front();
}

bool says(const Mismatch& mismatch, const std::string& part) {
  return mismatch.certificate.text.value_or("").find(part) != std::string::npos;
}

void spoil_gradient(const convict_problem& p, const convict_tensors& t) {
  if (p.pass == CONVICT_BACKWARD_DATA) *static_cast<float*>(t.diff_src.data) += 1;
}

TEST(WrongCall, IsTheHeadlineIfItsCaseShowsTheFault) {
  const Spoilt guilty(spoil_gradient);
  const Mismatch found = the_one_on(guilty, "conv2d in=4 k=2");  // the adjoint relation; forward is right
  EXPECT_EQ(found.verdict, Verdict::kWrongExact);
  EXPECT_EQ(found.problem_case, parse_case("conv2d.backward_data in=4 k=2"));
  EXPECT_EQ(signature(found), "spoilt|wrong-exact|conv2d.backward_data");
  EXPECT_TRUE(says(found, "adjoint")) << found.certificate.text.value_or("");
  EXPECT_TRUE(says(found, "on conv2d in=4x4 k=2x2, ")) << found.certificate.text.value_or("");
  EXPECT_TRUE(says(found, "shows on conv2d.backward_data in=4x4 k=2x2")) << found.certificate.text.value_or("");
  const std::vector<Mismatch> alone = found_on(guilty, found.problem_case, /*relations=*/false);
  ASSERT_EQ(alone.size(), 1u) << "its line shows the fault without any relation";
  EXPECT_TRUE(certificate::check_certificate(found.problem_case, found.verdict, found.certificate).confirmed());
}

TEST(WrongCall, OfMutantsIsACaseThatFailsByItself) {
  int moved = 0;
  for (const char* name : {"P08", "P09", "P17", "P29", "P34"})
    for (const char* line : {"conv1d g=2 ic=2 oc=2 in=7 k=3 s=2 n=2", "conv1d.backward_data in=5 k=1 s=2",
                             "conv1d.backward_weights in=6 k=3 s=2 p=1", "conv_transpose1d in=5 k=3 s=2 n=2"})
      for (const Mismatch& one : found_on(mutant_named("mutants_p", name), parse_case(line))) {
        EXPECT_FALSE(
            found_on(mutant_named("mutants_p", name), one.problem_case, one.verdict == Verdict::kWrongRelation).empty())
            << name << " on " << to_text(one.problem_case);
        moved += one.problem_case != parse_case(line);
      }
  EXPECT_GT(moved, 0);
}

/// A limit that only scaled data reach: the data of that call follow from no case line.
void limit(const convict_problem& p, const convict_tensors& t) {
  if (p.pass != CONVICT_FORWARD) return;
  for_each_element<float>(t.dst, [](float& element, const int64_t*) { element = std::min(element, 1e4f); });
}

TEST(WrongCall, IsSaidWhereNoCaseShowsIt) {
  const std::string line = "conv2d in=5 k=3 seed=2";
  for (const convict_summation summation : {CONVICT_FIXED_ORDER, CONVICT_ANY_ORDER}) {
    const Mismatch found = the_one_on(Spoilt(limit, summation), line);
    EXPECT_EQ(found.verdict, Verdict::kWrongRelation);
    EXPECT_EQ(found.problem_case, parse_case(line));
    EXPECT_EQ(found.certificate.relation.name, "scaling");
    EXPECT_TRUE(says(found, "; wrong is conv2d in=5x5 k=3x3, where dst[")) << *found.certificate.text;
    EXPECT_TRUE(says(found, "is 10000 and ")) << *found.certificate.text;
    EXPECT_TRUE(certificate::check_certificate(found.problem_case, found.verdict, found.certificate).confirmed());
  }
}

/// Adds up in another order where the first element is negative: every result is right.
void reorder(const convict_problem& p, const convict_tensors& t) {
  if (p.pass != CONVICT_FORWARD || !(*static_cast<const float*>(t.src.data) < 0)) return;
  for_each_element<float>(t.dst, [](float& element, const int64_t*) { element = std::nextafter(element, 1e9f); });
}

TEST(WrongCall, MayNotExist) {
  const std::string line = "conv2d ic=4 in=9 k=3 fill=normal seed=3";
  const Mismatch found = the_one_on(Spoilt(reorder), line);
  EXPECT_EQ(found.verdict, Verdict::kWrongRelation);
  EXPECT_EQ(found.certificate.relation.name, "sign-flip");
  EXPECT_TRUE(says(found, "; the result of each call is right by itself")) << *found.certificate.text;
  EXPECT_TRUE(found_on(Spoilt(reorder, CONVICT_ANY_ORDER), parse_case(line)).empty()) << "it never said otherwise";
}

}  // namespace
}  // namespace convict
