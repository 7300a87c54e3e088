// SPDX-License-Identifier: Apache-2.0
#include "core/cause.h"

#include <gtest/gtest.h>

#include <set>

#include "core/case_text.h"
#include "core/error.h"

namespace convict::test {
namespace {

constexpr const char* kBlock =
    "cause empty-batch\n"
    "title An empty batch fails\n"
    "suspect acme:*\n"
    "versions 1.13..2.0\n"
    "processor avx2 avx512_bf16 without amx_tile\n"
    "verdicts refuses-valid crash\n"
    "when n = 0 and contiguous.wei = no\n"
    "when n = 0 and k >= 9 on some axis\n"
    "case conv1d n=0 ic=2 oc=2 in=1 lay=ncw:iow:ncw\n"
    "status known\n"
    "note First line.\n"
    "note Second line.\n";

Cause the_cause() { return parse_causes(kBlock, "test").at(0); }

std::string refusal(const std::string& text) {
  try {
    parse_causes(text, "f.causes");
  } catch (const UsageError& error) {
    return error.what();
  }
  return "";
}

/// The block with the line that begins with a key replaced.
std::string with(const std::string& key, const std::string& line) {
  std::string text = kBlock;
  const size_t begin = ("\n" + text).find("\n" + key + " "), end = text.find('\n', begin);
  return text.replace(begin, end - begin, line);
}

TEST(Cause, TextAndBack) { EXPECT_EQ(the_cause().text(), kBlock); }

TEST(Cause, NamesTheProcessorsThatShowIt) {
  const ProcessorNeeds needs = the_cause().processor;
  EXPECT_TRUE(needs.met_by({"avx2", "avx512_bf16", "avx512f"}));
  EXPECT_FALSE(needs.met_by({"avx512_bf16"}));
  EXPECT_FALSE(needs.met_by({"avx2", "avx512_bf16", "amx_tile"}));
  EXPECT_TRUE(ProcessorNeeds().met_by({}));
  EXPECT_TRUE(ProcessorNeeds::parse("without amx_tile").met_by({}));
  EXPECT_EQ(ProcessorNeeds::parse(" without  amx_tile").text(), "without amx_tile");
}

TEST(Cause, AProcessorIsNamedByItsFeatures) {
  EXPECT_EQ(refusal(with("processor", "processor Zen 4")),
            "f.causes:5: processor 'Zen 4': 'Zen' is no feature; valid: names of /proc/cpuinfo, such as 'avx512_bf16 "
            "without amx_tile'");
  EXPECT_EQ(refusal(with("processor", "processor avx2 without")),
            "f.causes:5: processor 'avx2 without' names no feature");
}

TEST(Cause, CommentsAndBlankLinesMeanNothing) {
  EXPECT_EQ(parse_causes("# a comment\n\n" + std::string(kBlock) + "\n  # another\n", "test").at(0), the_cause());
}

bool covers(const char* suspect, const char* version, Verdict verdict, const char* line) {
  return the_cause().covers(suspect, version, verdict, parse_case(line));
}

TEST(Cause, CoversWhatAllOfItHoldsFor) {
  const char* shown = "conv3d n=0 ic=2 oc=2 in=1 view=wei";
  EXPECT_TRUE(covers("acme:native", "1.13.0", Verdict::kCrash, shown));
  EXPECT_TRUE(covers("acme:native", "2.0.1", Verdict::kRefusesValid, "conv2d n=0 in=9x9 k=1x9"));
  EXPECT_FALSE(covers("acme", "1.13.0", Verdict::kCrash, shown));
  EXPECT_FALSE(covers("other:acme:native", "1.13.0", Verdict::kCrash, shown));
  EXPECT_FALSE(covers("acme:native", "1.12", Verdict::kCrash, shown));
  EXPECT_FALSE(covers("acme:native", "2.1", Verdict::kCrash, shown));
  EXPECT_FALSE(covers("acme:native", "1.13.0", Verdict::kWrongExact, shown));
  EXPECT_FALSE(covers("acme:native", "1.13.0", Verdict::kCrash, "conv3d n=1 ic=2 oc=2 in=1 view=wei"));
}

/// A wrong value may be as near to the right one as a wrong rounding, but not the other way round.
TEST(Cause, OfWrongValuesCoversWhatLooksLikeRounding) {
  const Case shown = parse_case("conv3d n=0 ic=2 oc=2 in=1 view=wei");
  Cause one = the_cause();
  one.verdicts = {Verdict::kWrongExact};
  EXPECT_TRUE(one.covers("acme:native", "1.13.0", Verdict::kWrongRounding, shown));
  one.verdicts = {Verdict::kWrongRounding};
  EXPECT_TRUE(one.covers("acme:native", "1.13.0", Verdict::kWrongRounding, shown));
  EXPECT_FALSE(one.covers("acme:native", "1.13.0", Verdict::kWrongExact, shown));
  EXPECT_FALSE(the_cause().covers("acme:native", "1.13.0", Verdict::kWrongRounding, shown));
}

TEST(Cause, IsInheritedByWhatIsBuiltOnTheSuspect) {
  const Cause one = the_cause().inherited_by("My_conv2d.<locals>");
  EXPECT_EQ(one.name, "empty-batch-in-my-conv2d--locals-");
  EXPECT_EQ(parse_causes(one.text(), "its text").at(0), one);
  const Case shown = parse_case("conv3d n=0 ic=2 oc=2 in=1 view=wei");
  EXPECT_TRUE(one.covers("My_conv2d.<locals>", "1.13.0", Verdict::kCrash, shown));
  EXPECT_FALSE(one.covers("My_conv2d.<locals>", "2.1", Verdict::kCrash, shown));
  EXPECT_FALSE(one.covers("acme:native", "1.13.0", Verdict::kCrash, shown));
}

TEST(Cause, RefusesInOneLineThatNamesThePlace) {
  const auto says = [](const std::string& text, const char* what) {
    const std::string message = refusal(text);
    return message.find(what) != std::string::npos && message.find('\n') == std::string::npos;
  };
  EXPECT_TRUE(says("title A title\n", "f.causes:1: 'title' stands in no block"));
  EXPECT_TRUE(says(with("title", "titel A title"), "f.causes:2: unknown key 'titel'; did you mean 'title'?"));
  EXPECT_TRUE(says(with("title", "# none"), "f.causes:1: cause 'empty-batch': 'title' is missing"));
  EXPECT_TRUE(says(with("title", "title"), "f.causes:2: 'title' has no value"));
  EXPECT_TRUE(says(with("status", "status done"), "unknown status 'done'; valid: new, known"));
  EXPECT_TRUE(says(with("cause", "cause Empty Batch"), "name 'Empty Batch' is not valid"));
  EXPECT_TRUE(says(with("versions", "versions two"), "'two' is no version"));
  EXPECT_TRUE(says(with("verdicts", "verdicts wrong"), "'wrong'"));
  EXPECT_TRUE(says(with("when", "when n is 0"), "f.causes:7: predicate"));
  EXPECT_TRUE(says(with("case", "case conv1d in=1"), "no 'when' holds for its case 'conv1d in=1'"));
  EXPECT_TRUE(says(with("case", "case conv9d"), "f.causes:9: "));
  EXPECT_TRUE(says(kBlock + std::string("title Another\n"), "f.causes:13: 'title' is there twice"));
  EXPECT_TRUE(says(kBlock + std::string(kBlock), "cause 'empty-batch' is there twice"));
}

TEST(Cause, TheFirstThatCoversCounts) {
  std::vector<Cause> causes = {the_cause(), the_cause()};
  causes[0].suspect = "another";
  const Mismatch mismatch{parse_case("conv1d n=0 in=9 k=9"), "acme:native", Verdict::kCrash};
  EXPECT_EQ(cause_of(causes, mismatch, "1.13"), &causes[1]);
  EXPECT_EQ(cause_of(causes, mismatch, "1.12"), nullptr);
}

TEST(Cause, ACrashAfterOneCaseIsThatCases) {
  const std::vector<Cause> causes = {the_cause()};
  Mismatch mismatch{parse_case("conv1d in=9"), "acme:native", Verdict::kCrash};
  EXPECT_EQ(cause_of(causes, mismatch, "1.13"), nullptr);
  mismatch.certificate.alone.before = {"conv1d n=0 in=9 k=9"};
  EXPECT_EQ(cause_of(causes, mismatch, "1.13"), &causes[0]);
  mismatch.certificate.alone.before = {"conv1d n=0 in=9 k=9", "conv1d in=3"};
  EXPECT_EQ(cause_of(causes, mismatch, "1.13"), nullptr) << "either may be it";
  mismatch.certificate.alone.before = {"conv1d n=0 in=9 k=9"};
  mismatch.verdict = Verdict::kRefusesValid;
  EXPECT_EQ(cause_of(causes, mismatch, "1.13"), nullptr);
}

/// What memory holds by chance may show once, and not when the case runs alone.
TEST(Cause, WhatDoesNotComeBackIsOfTheOneThatWasSeen) {
  const std::vector<Cause> causes = {the_cause()};
  Mismatch mismatch{parse_case("conv1d n=0 in=9 k=9"), "unattributed", Verdict::kCrash, Blame::kNobody};
  EXPECT_EQ(cause_of(causes, mismatch, "1.13"), nullptr);
  mismatch.certificate.alone.seen = "acme:native";
  EXPECT_EQ(cause_of(causes, mismatch, "1.13"), &causes[0]);
  mismatch.certificate.alone.seen = "another";
  EXPECT_EQ(cause_of(causes, mismatch, "1.13"), nullptr);
}

TEST(Cause, AFileThatIsMissingIsNamed) {
  try {
    read_causes("/nonexistent/my.causes");
    FAIL();
  } catch (const UsageError& error) {
    EXPECT_NE(std::string(error.what()).find("'/nonexistent/my.causes' cannot be read"), std::string::npos);
  }
}

TEST(Cause, ThoseThatAreShippedHaveNamesOfTheirOwn) {
  std::set<std::string> names;
  for (const Cause& cause : shipped_causes()) EXPECT_TRUE(names.insert(cause.name).second) << cause.name;
  EXPECT_FALSE(names.empty());
}

bool in(const char* range, const char* version) { return VersionRange::parse(range).contains(version); }

TEST(VersionRange, ComparesAsFarAsAnEndIsWritten) {
  EXPECT_TRUE(in("all", "anything"));
  EXPECT_TRUE(in("2.6", "2.6.3"));
  EXPECT_FALSE(in("2.6", "2.60"));
  EXPECT_FALSE(in("2.6.3", "2.6"));
  EXPECT_TRUE(in("..2.6", "2.6.3"));
  EXPECT_FALSE(in("..2.6", "2.7"));
  EXPECT_TRUE(in("2.6..", "10.0+dfsg"));
  EXPECT_TRUE(in("1.13, 2.6..3.7", "3.7.2"));
  EXPECT_FALSE(in("1.13, 2.6..3.7", "2.0"));
  EXPECT_FALSE(in("2.6..", ""));
}

TEST(VersionRange, TextAndBack) {
  for (const char* text : {"all", "2.6", "1.13..2.6", "..3.7", "2.6..", "1.13, 2.6..3.7"})
    EXPECT_EQ(VersionRange::parse(text).text(), text);
  for (const char* text : {"", "..", "x", "1.x", "1..2..3", "1.", "1.13,"})
    EXPECT_THROW(VersionRange::parse(text), UsageError) << text;
}

}  // namespace
}  // namespace convict::test
