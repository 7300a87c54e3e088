// SPDX-License-Identifier: Apache-2.0
//
// An implementation whose contract depends on the problem is held to the one that holds.
#include "examine/pipeline.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <string>
#include <vector>

#include "abi/element.h"
#include "abi/native_kernel.h"
#include "core/case_text.h"
#include "core/geometry.h"
#include "core/layout.h"
#include "examine/relation_check.h"
#include "tests/examine/direct_kernel.h"

namespace convict {
namespace {

/// Right but for the last bit of every result, which it says of kernels of 3 only, as if it computed those by F(4, 3).
struct Chooser : convict_implementation {
  Chooser() : convict_implementation(direct()), transformed(direct().contract) {
    name = "chooser";
    transformed.algorithm = CONVICT_WINOGRAD;
    transformed.winograd_m = 4;
    transformed.winograd_r = 3;
    given = &transformed;
    contract_for = [](const convict_implementation* self, const convict_problem* p, const convict_tensors* t) {
      const auto* chooser = static_cast<const Chooser*>(self);
      EXPECT_EQ(self->unsupported(self, p, t), nullptr) << "asked about a problem that it does not take";
      return p->kernel[0] == 3 ? chooser->given : &self->contract;
    };
    run = [](const convict_implementation* self, const convict_problem* p, const convict_tensors* t, char* error,
             size_t size) {
      const convict_status status = direct().run(self, p, t, error, size);
      for_each_element<float>(t->dst, [&](float& element, const int64_t*) { element = std::nextafter(element, 1e9f); });
      return status;
    };
  }
  convict_contract transformed;
  const convict_contract* given;  // for kernels of 3
};

examine::Examination examined_alone(const convict_implementation& target, const std::string& line) {
  return examine::LocalExaminer{{{&target, true, ""}}}.examine(parse_case(line));
}

std::string refusal(const convict_implementation& target, const std::string& line) {
  const examine::Examination examination = examined_alone(target, line);
  return examination.judged ? "" : examination.results.front().outcome.text;
}

constexpr const char *kTransformed = "conv2d ic=8 oc=3 in=9 k=3", *kDirect = "conv2d ic=8 oc=3 in=9 k=2";

TEST(ContractForAProblem, IsTheOneThatResultsAreHeldTo) {
  const Chooser chooser;
  EXPECT_TRUE(examined_alone(chooser, kTransformed).mismatches.empty());
  ASSERT_EQ(examined_alone(chooser, kDirect).mismatches.size(), 1u);
  EXPECT_EQ(examined_alone(chooser, kDirect).mismatches.front().verdict, Verdict::kWrongExact);
  Chooser without;
  without.contract_for = nullptr;
  EXPECT_EQ(examined_alone(without, kTransformed).mismatches.size(), 1u);
}

TEST(ContractForAProblem, DecidesWhichDataItGets) {
  Chooser chooser;
  EXPECT_NE(refusal(chooser, std::string(kTransformed) + " fill=special").find("direct sums only"), std::string::npos);
  EXPECT_EQ(refusal(chooser, std::string(kDirect) + " fill=special"), "");
  EXPECT_EQ(refusal(chooser, std::string(kTransformed) + " beta=1"), "");
  chooser.transformed.accumulates = 0;
  EXPECT_EQ(refusal(chooser, std::string(kTransformed) + " beta=1"), "its contract has no beta");
  EXPECT_EQ(refusal(chooser, std::string(kDirect) + " beta=1"), "");
}

TEST(ContractForAProblem, HasToBeOne) {
  Chooser chooser;
  const int number = 77;
  std::memcpy(&chooser.transformed.algorithm, &number, sizeof number);
  EXPECT_EQ(refusal(chooser, kTransformed),
            "contract_for gives a contract with algorithm 77; valid: CONVICT_DIRECT, CONVICT_WINOGRAD or CONVICT_FFT");
  chooser.given = nullptr;
  EXPECT_EQ(refusal(chooser, kTransformed), "contract_for gives no contract for this problem");
  EXPECT_EQ(refusal(chooser, kDirect), "");
}

TEST(ContractForAProblem, IsNotAskedForWhereTheProblemIsRefused) {
  EXPECT_EQ(refusal(Chooser(), "conv2d in=2 k=3"), "");  // refused as it should be, which is judged
  Chooser credulous;
  credulous.unsupported = [](const convict_implementation*, const convict_problem*, const convict_tensors*) {
    return static_cast<const char*>(nullptr);
  };
  credulous.run = [](const convict_implementation*, const convict_problem*, const convict_tensors*, char*, size_t) {
    return CONVICT_OK;
  };
  credulous.contract_for = [](const convict_implementation*, const convict_problem*, const convict_tensors*) {
    ADD_FAILURE() << "asked about a problem that is not legal";
    return static_cast<const convict_contract*>(nullptr);
  };
  EXPECT_EQ(examined_alone(credulous, "conv2d in=2 k=3").mismatches.front().verdict, Verdict::kAcceptsInvalid);
}

/// Notes how many threads it is asked about, and called for.
struct Counting : convict_implementation {
  Counting() : convict_implementation(direct()) {
    unsupported = [](const convict_implementation* self, const convict_problem* p, const convict_tensors* t) {
      of(self).threads.push_back(p->threads);
      return direct().unsupported(&direct(), p, t);
    };
    run = [](const convict_implementation* self, const convict_problem* p, const convict_tensors* t, char* error,
             size_t size) {
      of(self).threads.push_back(p->threads);
      return direct().run(&direct(), p, t, error, size);
    };
  }
  static const Counting& of(const convict_implementation* self) { return *static_cast<const Counting*>(self); }
  mutable std::vector<int32_t> threads;
};

TEST(Witnesses, ComputeOnOneThread) {
  for (const char* calls : {"once", "after", "refilled"}) {
    const Counting target, witness;
    examine::LocalExaminer examiner{{{&target, true, ""}, {&witness, false, ""}}};
    const Case c = parse_case(std::string("conv2d in=5 k=2 threads=3 calls=") + calls);
    EXPECT_TRUE(examiner.examine(c).mismatches.empty());
    EXPECT_GE(witness.threads.size(), 2u) << calls;
    EXPECT_TRUE(std::ranges::all_of(witness.threads, [](int32_t n) { return n == 1; })) << calls;
    EXPECT_EQ(target.threads.front(), 3) << calls;
    EXPECT_EQ(target.threads[1], 3) << calls;
  }
}

TEST(Witnesses, AreAccusedOfWhatTheyWereAsked) {
  Chooser wrong;
  wrong.contract_for = nullptr;
  for (const bool is_target : {false, true}) {
    examine::LocalExaminer examiner{{{&direct(), true, ""}, {&wrong, is_target, ""}}};
    const Case c = parse_case("conv2d in=5 k=2 threads=3");
    const auto found = examiner.examine(c).mismatches;
    ASSERT_EQ(found.size(), 1u);
    EXPECT_EQ(found.front().problem_case.threads, is_target ? 3 : 1);
  }
}

/// An oracle that nobody named is called where it has its turn, and is no missing witness elsewhere.
TEST(Turns, DecideWhichOracleIsCalled) {
  int calls_of_second = 0;
  for (uint64_t seed = 1; seed <= 64; ++seed) {
    const Case c = parse_case("conv2d in=5 k=2 seed=" + std::to_string(seed));
    std::vector<run::Subject> subjects = {{&direct(), true, ""}, {&direct(), false, ""}, {&direct(), false, ""}};
    subjects[1].turns = {0, 12};
    subjects[2].turns = {12, run::kTurns};
    examine::LocalExaminer examiner{subjects};
    examiner.settings.takes_turns = true;
    const examine::Examination drawn = examiner.examine(c);
    EXPECT_NE(drawn.results[1].is_excused, drawn.results[2].is_excused);
    EXPECT_EQ(drawn.results[2].is_excused, drawn.results[2].outcome.kind == Outcome::Kind::kRefused);
    EXPECT_TRUE(drawn.witnessed);
    calls_of_second += drawn.results[2].is_excused ? 0 : 1;
    examiner.settings.takes_turns = false;
    const examine::Examination given = examiner.examine(c);
    EXPECT_FALSE(given.results[1].is_excused);
    EXPECT_TRUE(given.results[2].is_excused);
  }
  EXPECT_GT(calls_of_second, 4);
  EXPECT_LT(calls_of_second, 32);
}

/// A target and two libraries that take turns, the second of which is a right one.
struct TwoLibraries {
  TwoLibraries(const convict_implementation& target, const convict_implementation& first) {
    examiner.subjects = {{&target, true, ""}, {&first, false, ""}, {&direct(), false, ""}};
    for (int library : {0, 1}) examiner.subjects[static_cast<size_t>(library) + 1].turns = {0, run::kTurns, library};
  }
  examine::Examination examined(uint64_t seed) {
    return examiner.examine(parse_case("conv2d in=5 k=2 seed=" + std::to_string(seed)));
  }
  examine::LocalExaminer examiner{{}, {.most_bytes = 1e9, .takes_turns = true}};
};

/// One of the libraries that nobody named computes a case.
TEST(Turns, AreThoseOfOneLibrary) {
  TwoLibraries roster(direct(), direct());
  int of_first = 0;
  for (uint64_t seed = 1; seed <= 64; ++seed) {
    const examine::Examination drawn = roster.examined(seed);
    EXPECT_NE(drawn.results[1].is_excused, drawn.results[2].is_excused);
    EXPECT_TRUE(drawn.witnessed);
    of_first += drawn.results[2].is_excused ? 1 : 0;
  }
  EXPECT_GT(of_first, 16);
  EXPECT_LT(of_first, 48);
}

/// The next library is asked where one refuses, and its refusal is told.
TEST(Turns, GoToTheNextLibraryWhereOneRefuses) {
  convict_implementation refuses = direct();
  refuses.unsupported = [](const convict_implementation*, const convict_problem*, const convict_tensors*) {
    return "not today";
  };
  TwoLibraries roster(direct(), refuses);
  int refused = 0;
  for (uint64_t seed = 1; seed <= 32; ++seed) {
    const examine::Examination drawn = roster.examined(seed);
    EXPECT_EQ(drawn.results[2].outcome.kind, Outcome::Kind::kComputed);
    EXPECT_TRUE(drawn.witnessed);
    refused += drawn.results[1].is_excused ? 0 : 1;
  }
  EXPECT_GT(refused, 4);
  EXPECT_LT(refused, 28);
}

/// Where somebody is wrong, all libraries are heard.
TEST(Turns, AreNobodysWhereSomebodyIsWrong) {
  Chooser wrong;
  wrong.contract_for = nullptr;
  convict_implementation other = direct();
  other.name = "other";
  TwoLibraries roster(wrong, other);
  for (uint64_t seed = 1; seed <= 16; ++seed) {
    const examine::Examination drawn = roster.examined(seed);
    ASSERT_EQ(drawn.mismatches.size(), 1u);
    EXPECT_EQ(drawn.mismatches.front().suspect, "chooser");
    EXPECT_EQ(drawn.mismatches.front().certificate.witnesses->size(), 2u);
  }
}

/// A relation may lead to a problem that is computed by another algorithm: nothing follows from its results.
TEST(ContractForAProblem, EndsARelationThatLeavesIt) {
  const Chooser chooser;
  run::GuardedMemory memory;
  run::FlightRecord record;
  const Case c = parse_case(kDirect);
  const convict_problem p = resolve_valid(c);
  memory.place(p, describe_tensors(c, p), true);
  const relations::Call call = examine::call_of(c, p, memory.ours());
  EXPECT_TRUE(examine::ImplementationRunner(chooser, {}, 0, chooser.contract, memory, record).run(call));
  EXPECT_FALSE(examine::ImplementationRunner(chooser, {}, 0, chooser.transformed, memory, record).run(call));
}

}  // namespace
}  // namespace convict
