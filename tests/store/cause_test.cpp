// SPDX-License-Identifier: Apache-2.0
//
// Rows and their causes: what is known takes its hits, and what seems to be one bug is joined.
#include "core/cause.h"

#include "store/store.h"
#include "tests/store/store_fixture.h"

namespace convict::test {
namespace {

class CauseTest : public StoreTest {
 protected:
  store::Store open(const std::string& name = "c.db") const { return store::Store::open(path(name)); }

  static int64_t begin(store::Store& store, const std::string& version = "1.0", uint64_t seed = 1) {
    return store.begin_campaign({.seed = seed, .profile = "smoke", .libraries = {{"acme", version}, {"other", "1.0"}}});
  }

  static Mismatch failing(const std::string& line, Verdict verdict = Verdict::kWrongExact, const std::string& text = "",
                          const std::string& suspect = "acme") {
    Mismatch mismatch{parse_case(line), suspect, verdict, Blame::kOracle, {}};
    mismatch.certificate.alone.runs = mismatch.certificate.alone.failed = 1;
    if (!text.empty()) mismatch.certificate.text = text;
    return mismatch;
  }

  static std::vector<Cause> known(const std::string& when = "k >= 5") {
    return parse_causes(
        "cause wide\ntitle Wide kernels are wrong\nsuspect acme\nversions 1\nverdicts wrong-exact\nwhen " + when +
            "\ncase conv1d in=9 k=9\n",
        "test");
  }

  /// Explains a row as a diagnosis does.
  static void explain(store::Store& store, int64_t id, const std::string& predicate,
                      const std::optional<store::PredicateEvidence>& evidence = std::nullopt) {
    const std::string line = store.mismatch(id)->case_text;
    store.explain(id, {.case_text = line,
                       .shrunk_text = line,
                       .shrunk_certificate = certificate_in(store.mismatch(id)->certificate),
                       .predicate = predicate,
                       .explanation = {.reproduced = true, .evidence = evidence}});
  }

  static std::map<std::string, std::string> causes_by_case(const store::Store& store) {
    std::map<std::string, std::string> list;
    const auto causes = store.causes();
    for (const store::MismatchRow& row : store.mismatches())
      for (const store::CauseRow& cause : causes)
        if (row.cause == cause.id) list[row.case_text] = cause.name.empty() ? std::to_string(cause.id) : cause.name;
    return list;
  }
};

TEST_F(CauseTest, AKnownCauseTakesTheHitsThatItCoversAndNoOthers) {
  store::Store store = open();
  const int64_t campaign = begin(store);
  store.know(known());
  const store::Recorded covered = store.record(campaign, failing("conv1d in=9 k=7"));
  EXPECT_TRUE(covered.explained);
  EXPECT_EQ(covered.status, "known");
  EXPECT_EQ(store.record(campaign, failing("conv1d in=9 k=6")).id, covered.id);
  for (const Mismatch& other : {failing("conv1d in=9 k=4"), failing("conv1d in=9 k=7", Verdict::kCrash),
                                failing("conv1d in=9 k=7", Verdict::kWrongExact, "", "other")}) {
    const store::Recorded recorded = store.record(campaign, other);
    EXPECT_NE(recorded.id, covered.id);
    EXPECT_EQ(recorded.status, "new");
  }
  const int64_t newer = begin(store, "2.0", 2);
  EXPECT_EQ(store.record(newer, failing("conv1d in=9 k=7")).status, "new");
  EXPECT_EQ(store.mismatch(covered.id)->known_cause, "wide");
  EXPECT_EQ(store.mismatch(covered.id)->hits, 2);
}

/// They separate when they are explained; those that an explanation covers belong to it before.
TEST_F(CauseTest, WhatIsNotExplainedYetIsOneLine) {
  store::Store store = open();
  const int64_t campaign = begin(store);
  const int64_t first = store.record(campaign, failing("conv1d in=9 k=3")).id;
  const int64_t second = store.record(campaign, failing("conv2d in=9 k=5")).id;
  const int64_t third = store.record(campaign, failing("conv3d in=9 s=2")).id;
  const int64_t crash = store.record(campaign, failing("conv1d in=9", Verdict::kCrash)).id;
  store.join_causes();
  const auto cause = [&](int64_t id) { return store.mismatch(id)->cause; };
  EXPECT_EQ(cause(first), cause(second));
  EXPECT_EQ(cause(first), cause(third));
  EXPECT_NE(cause(first), cause(crash));
  explain(store, first, "k >= 3");
  EXPECT_EQ(cause(first), cause(second));
  EXPECT_NE(cause(first), cause(third));
}

/// A kernel with wrong sums and wrong rounding has two causes: a condition of its rounding takes no wrong sum, and the
/// rows of its rounding, which depends on the data, are one.
TEST_F(CauseTest, WrongRoundingIsACauseOfItsOwn) {
  store::Store store = open();
  const int64_t campaign = begin(store);
  const auto hit = [&](const std::string& line, Verdict verdict) {
    return store.record(campaign, failing(line, verdict)).id;
  };
  const int64_t rounding = hit("conv1d in=9", Verdict::kWrongRounding);
  explain(store, rounding, "in >= 9");
  const int64_t sum = hit("conv1d in=9 p=1", Verdict::kWrongExact);
  EXPECT_NE(sum, rounding);
  explain(store, sum, "p.total >= 1");
  EXPECT_EQ(hit("conv1d in=5 p=1", Verdict::kWrongRounding), sum) << "a wrong sum may be as near";
  EXPECT_EQ(hit("conv1d in=12", Verdict::kWrongRounding), rounding);
  const int64_t another = hit("conv2d in=5", Verdict::kWrongRounding);
  store.join_causes();
  EXPECT_EQ(store.mismatch(another)->cause, store.mismatch(rounding)->cause);
  EXPECT_NE(store.mismatch(sum)->cause, store.mismatch(rounding)->cause);
}

/// What a relation says names the problem, so that no two texts are alike.
TEST_F(CauseTest, FailedRelationsOfNoConditionAreOneLine) {
  store::Store store = open();
  const int64_t campaign = begin(store);
  const auto failed = [&](const std::string& line) {
    return store
        .record(campaign,
                failing(line, Verdict::kWrongRelation, "the result of inputs times 2, halved; wrong is " + line))
        .id;
  };
  const int64_t first = failed("conv1d in=9 k=3"), second = failed("conv2d in=9 lay=nhwc:oihw:nhwc");
  const int64_t direct = store.record(campaign, failing("conv3d in=9 s=2")).id;
  store.join_causes();
  const auto cause = [&](int64_t id) { return store.mismatch(id)->cause; };
  EXPECT_EQ(cause(first), cause(second));
  EXPECT_EQ(cause(first), cause(direct));
  explain(store, first, "k >= 3");
  EXPECT_NE(cause(first), cause(second));
}

/// Where special values lie depends on the data: conditions on the case do not tell their faults apart.
TEST_F(CauseTest, SpecialValuesAreToldApartByTheirSymptom) {
  store::Store store = open();
  const int64_t campaign = begin(store);
  const auto special = [&](const std::string& line, double got, double exact, int64_t wrong) {
    Mismatch mismatch = failing(line, Verdict::kSpecialValues);
    mismatch.certificate.element.got = Decimal{got};
    mismatch.certificate.element.exact = Decimal{exact};
    mismatch.certificate.errors.wrong = wrong;
    return store.record(campaign, mismatch).id;
  };
  const double nan = std::nan("");
  const int64_t lost = special("conv1d in=11", 1, nan, 2), lost_too = special("conv2d in=12", 0, nan, 1);
  const int64_t made = special("conv3d in=13", nan, 1, 1);
  const int64_t sign = special("conv1d.backward_data in=14", -0.0, 0, 0);
  const int64_t sign_too = special("conv2d.backward_data in=15", -0.0, 0, 0);
  explain(store, lost, "in = 11");
  explain(store, lost_too, "in = 12");
  explain(store, made, "in = 13");
  explain(store, sign, "in = 14");
  store.join_causes();
  const auto cause = [&](int64_t id) { return store.mismatch(id)->cause; };
  EXPECT_EQ(cause(lost), cause(lost_too));
  EXPECT_EQ(cause(sign), cause(sign_too));
  EXPECT_NE(cause(lost), cause(made));
  EXPECT_NE(cause(lost), cause(sign));
  EXPECT_NE(cause(made), cause(sign));
}

TEST_F(CauseTest, ARowThatIsShrunkToAKnownCauseJoinsIt) {
  store::Store store = open();
  const int64_t campaign = begin(store);
  const int64_t id = store.record(campaign, failing("conv1d in=9 k=7")).id;
  EXPECT_EQ(store.mismatch(id)->effective_status, "new");
  explain(store, id, "k >= 7");
  store.know(known());
  EXPECT_EQ(store.mismatch(id)->effective_status, "known");
  EXPECT_EQ(store.mismatch(id)->known_cause, "wide");
}

TEST_F(CauseTest, RowsThatSeemToBeOneBugShareACandidate) {
  store::Store store = open();
  const int64_t campaign = begin(store);
  for (const char* line : {"conv1d in=9 k=9", "conv2d in=9 k=9", "conv3d in=2 s=2", "conv3d.backward_data in=4 k=3"})
    store.record(campaign, failing(line));
  store.record(campaign, failing("conv1d n=0 in=1", Verdict::kRefusesValid, "bad extent 1x0x1"));
  store.record(campaign, failing("conv2d n=0 in=1", Verdict::kRefusesValid, "bad extent 1x0x1x1"));
  store.record(campaign, failing("conv3d n=0 in=1", Verdict::kRefusesValid, "bad stride"));
  explain(store, 1, "k >= 9");
  explain(store, 2, "k >= 9");
  explain(store, 3, "s >= 2");
  store.join_causes();
  const auto causes = causes_by_case(store);
  ASSERT_EQ(causes.size(), 7u);
  EXPECT_EQ(causes.at("conv1d in=9 k=9"), causes.at("conv2d in=9x9 k=9x9"));
  EXPECT_EQ(causes.at("conv1d n=0 in=1"), causes.at("conv2d n=0 in=1x1"));
  std::set<std::string> different;
  for (const auto& [line, cause] : causes) different.insert(cause);
  EXPECT_EQ(different.size(), 5u);
}

/// What always fails if a condition holds may end in several ways.
TEST_F(CauseTest, OneFaultMayEndInSeveralWays) {
  store::Store store = open();
  const int64_t campaign = begin(store);
  const int64_t shape = store.record(campaign, failing("conv2d in=5 p=0x1", Verdict::kShape)).id;
  const int64_t values = store.record(campaign, failing("conv2d in=5 p=1x2")).id;
  const int64_t error = store.record(campaign, failing("conv2d in=2 p=0x1", Verdict::kRefusesValid, "small")).id;
  const int64_t elsewhere = store.record(campaign, failing("conv3d in=5 p=1", Verdict::kRefusesValid, "rank")).id;
  const int64_t death = store.record(campaign, failing("conv2d in=5 p=0x1", Verdict::kCrash)).id;
  explain(store, shape, "p.begin[0] != p.begin[1]", store::PredicateEvidence{.samples = 400});
  store.join_causes();
  const auto cause = [&](int64_t row) { return store.mismatch(row)->cause; };
  EXPECT_EQ(cause(shape), cause(values));
  EXPECT_EQ(cause(shape), cause(error));
  EXPECT_NE(cause(shape), cause(elsewhere)) << "the condition does not hold for its case";
  EXPECT_NE(cause(shape), cause(death)) << "a death is another matter";
}

TEST_F(CauseTest, AConditionWithExceptionsSaysNothingOfOtherKinds) {
  store::Store store = open();
  const int64_t campaign = begin(store);
  const int64_t shape = store.record(campaign, failing("conv2d in=5 p=0x1", Verdict::kShape)).id;
  const int64_t values = store.record(campaign, failing("conv2d in=5 p=1x2")).id;
  explain(store, shape, "p.begin[0] != p.begin[1]", store::PredicateEvidence{.samples = 400, .unexplained = 1});
  store.join_causes();
  EXPECT_NE(store.mismatch(shape)->cause, store.mismatch(values)->cause);
}

TEST_F(CauseTest, TriageOfACauseHoldsForItsRowsAndThoseToCome) {
  store::Store store = open();
  const int64_t campaign = begin(store);
  store.record(campaign, failing("conv1d n=0 in=1", Verdict::kRefusesValid, "bad extent 1"));
  store.join_causes();
  const int64_t cause = store.mismatch(1)->cause.value();
  store.triage_causes({{cause, {.status = "reported", .link = "https://example.org/1"}}});
  store.record(campaign, failing("conv2d n=0 in=1", Verdict::kRefusesValid, "bad extent 2"));
  store.join_causes();
  EXPECT_EQ(store.mismatch(2)->effective_status, "reported");
  store.triage({{2, {.status = "fixed"}}});
  EXPECT_EQ(store.mismatch(1)->effective_status, "reported");
  EXPECT_EQ(store.mismatch(2)->effective_status, "fixed");
  EXPECT_THROW(store.triage_causes({{cause, {.status = "known"}}, {99, {.status = "known"}}}), UsageError);
  EXPECT_EQ(store.mismatch(1)->effective_status, "reported");
  store.know(known());  // which does not touch it
  EXPECT_EQ(store.mismatch(1)->effective_status, "reported");
}

TEST_F(CauseTest, WhatPeopleSaidOfAKnownCauseStays) {
  store::Store store = open();
  begin(store);
  store.know(known());
  store.triage_causes({{1, {.status = "wontfix", .note = "nobody does that"}}});
  store.know(known("k >= 4"));
  const store::CauseRow row = store.causes().at(0);
  EXPECT_EQ(row.status, "wontfix");
  EXPECT_EQ(row.note, "nobody does that");
  EXPECT_NE(row.block.find("k >= 4"), std::string::npos);
}

TEST_F(CauseTest, MergingKeepsCausesAndJoinsTheirRowsInAnyOrder) {
  for (const char* name : {"a.db", "b.db"}) {
    store::Store store = open(name);
    const bool is_a = std::string(name) == "a.db";
    const int64_t campaign = begin(store, "1.0", is_a ? 1 : 2);
    store.know(known());
    store.record(campaign, failing(is_a ? "conv1d in=9 k=7" : "conv2d in=9 k=7"));
    store.record(campaign, failing(is_a ? "conv1d n=0 in=1" : "conv2d n=0 in=1", Verdict::kRefusesValid, "bad 1"));
    store.join_causes();
    if (is_a) store.triage_causes({{1, {.status = "reported"}}, {2, {.status = "wontfix"}}});
  }
  const auto statuses = [&](const std::string& name) {
    std::map<std::string, std::string> list;
    for (const store::MismatchRow& row : open(name).mismatches())
      list[row.case_text] = row.effective_status + " " + row.known_cause;
    EXPECT_EQ(open(name).causes().size(), 2u);
    return list;
  };
  store::merge_databases(path("ab.db"), {path("a.db"), path("b.db")});
  store::merge_databases(path("ba.db"), {path("b.db"), path("a.db")});
  const std::map<std::string, std::string> expected = {{"conv1d in=9 k=7", "reported wide"},
                                                       {"conv2d in=9x9 k=7x7", "reported wide"},
                                                       {"conv1d n=0 in=1", "wontfix "},
                                                       {"conv2d n=0 in=1x1", "wontfix "}};
  EXPECT_EQ(statuses("ab.db"), expected);
  EXPECT_EQ(statuses("ba.db"), expected);
  store::merge_databases(path("ab.db"), {path("a.db")});
  EXPECT_EQ(statuses("ab.db"), expected);
}

}  // namespace
}  // namespace convict::test
