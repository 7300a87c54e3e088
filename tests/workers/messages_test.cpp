// SPDX-License-Identifier: Apache-2.0
//
// Random messages survive the way over the pipe; of lines that are none, only NotAMessage is thrown.
#include "workers/messages.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "core/case_text.h"
#include "core/error.h"
#include "core/random.h"

namespace convict {
namespace {

using namespace workers;

/// Random messages, with empty lists and odd texts among them.
class Draw {
 public:
  explicit Draw(uint64_t seed) : state_(seed) {}

  WorkerSettings settings() {
    WorkerSettings s;
    s.roster = {texts(), texts(), texts()};
    s.profile = text();
    s.seed = next();
    s.memory = next();
    s.yardstick = coin() ? Yardstick::kLadder : Yardstick::kIntegers;
    for (const std::string& one : texts()) s.spared.insert(one);
    s.until_mismatch = coin();
    s.coverage = static_cast<CoverageOf>(next() % 3);
    s.gives_way = coin();
    s.focus = numbers();
    s.shares = {{0, 3, {}}, {5, 1, domain()}};
    s.illegal = real();
    s.where = text();
    s.corpus = text();
    s.environment = words();
    s.forks = coin();
    return s;
  }

  Order order() {
    switch (next() % 4) {
      case 0: return Work{next(), next(), next(), next()};
      case 1:
        return GivenCases{next(), texts(), coin(), coin(), static_cast<examine::AskedRelations>(next() % 3),
                          coin(), next()};
      case 2: return SurveyTargets{next(), coin()};
      default: return Layer{next(), text(), {1, 2, 8}, real(), 5, texts()};
    }
  }

  WorkerReport report() {
    switch (next() % 7) {
      case 0: return Loaded{{{text(), text(), text(), text(), coin(), text()}}, texts(), next()};
      case 1: return NotLoaded{text(), coin()};
      case 2: return CaseReport{next(), {{text(), coin(), text(), real()}, {text(), coin(), text(), {}}}, coin()};
      case 3: return CaseMismatches{next(), {mismatch(), mismatch()}, {{1, 0, next(), 1}}};
      case 5: return Surveyed{{{domain(), next(), next(), {{feature::kPass, 1}, {feature::kType, 4}}, text()}, {}}};
      case 4: return LayerReport{next(), {{text(), 1}}, {{2, {{text(), {real(), real()}}}, words(), {real(), real()}}}};
      default: {
        Done done{next(), {{text(), text(), next()}}, {}, {numbers()}, next(), {{3, {numbers()}}}, {{3, {next(), 0}}},
                  coin()};
        done.ratios[text()].add(real());
        return done;
      }
    }
  }

 private:
  generate::Domain domain() {
    std::vector<bool> pairs(pair_count());
    pairs[next() % pairs.size()] = true;
    generate::Domain domain(std::move(pairs));
    domain.starts.resize(next() % 3);
    for (generate::Recipe& one : domain.starts) one.choices.words.fill(static_cast<uint32_t>(next()));
    domain.rare = domain.starts;
    for (generate::Recipe& one : domain.rare) one.wish = 7;
    return domain;
  }
  uint64_t next() { return state_ = mix(state_ + kGoldenGamma); }
  bool coin() { return next() % 2 == 0; }
  double real() { return static_cast<double>(next() % 1000) / 8; }
  std::string text() {
    static const std::vector<std::string> kTexts = {"", "direct", "two words", "\"quoted\" \\ {}", "tab\t", "ä"};
    return kTexts[next() % kTexts.size()];
  }
  std::vector<std::string> texts() {
    std::vector<std::string> all(next() % 3);
    for (std::string& one : all) one = text();
    return all;
  }
  std::map<std::string, std::string> words() { return {{text(), text()}, {text(), text()}}; }
  std::vector<uint32_t> numbers() { return std::vector<uint32_t>(next() % 4, static_cast<uint32_t>(next())); }
  Mismatch mismatch() {
    Mismatch m{parse_case("conv2d in=5 k=3 seed=" + std::to_string(next() % 1000)),
               text(),
               static_cast<Verdict>(next() % kVerdictNames.size()),
               static_cast<Blame>(next() % kBlameNames.size()),
               {}};
    m.certificate.element.got = Decimal{real()};
    m.certificate.text = text();
    m.certificate.alone.before = texts();
    return m;
  }

  uint64_t state_;
};

constexpr uint64_t kDraws = 300;

TEST(IdList, SurvivesTheWayInRisingOrder) {
  constexpr uint32_t kMost = 0xffffffff;
  EXPECT_EQ(unpacked(packed({})), std::vector<uint32_t>{});
  EXPECT_EQ(unpacked(packed({7, 3, 7, kMost, 0, 31, 32, 1024})),
            (std::vector<uint32_t>{0, 3, 7, 7, 31, 32, 1024, kMost}));
  EXPECT_EQ(packed(std::vector<uint32_t>(100, 5)).size(), 100u);
}

TEST(IdList, OfAnythingElseIsRefused) {
  for (const char* text : {" ", "A+", "g", "ggggggggggA", "______E", "\xff"})
    EXPECT_THROW(unpacked(text), UsageError) << text;
}

TEST(Messages, SurviveTheWay) {
  for (uint64_t seed = 0; seed < kDraws; ++seed) {
    Draw draw(seed);
    const std::string settings = to_line(draw.settings()), order = to_line(draw.order()),
                      report = to_line(draw.report());
    EXPECT_EQ(to_line(settings_from(settings)), settings);
    EXPECT_EQ(to_line(order_from(order)), order);
    EXPECT_EQ(to_line(report_from(report)), report);
    for (const std::string& line : {settings, order, report}) EXPECT_EQ(line.find('\n'), std::string::npos);
  }
}

/// The kind of a message survives as well.
TEST(Messages, KeepTheirKind) {
  for (uint64_t seed = 0; seed < kDraws; ++seed) {
    const WorkerReport report = Draw(seed).report();
    EXPECT_EQ(report_from(to_line(report)).index(), report.index());
    const Order order = Draw(seed).order();
    EXPECT_EQ(order_from(to_line(order)).index(), order.index());
  }
}

void expect_no_message(const std::string& line) {
  EXPECT_THROW(report_from(line), NotAMessage) << line;
  EXPECT_THROW(order_from(line), NotAMessage) << line;
  EXPECT_THROW(settings_from(line), NotAMessage) << line;
}

TEST(Messages, NonsenseIsNone) {
  for (const std::string line : {"", "hello", "[]", "{}", "{\"not_loaded\":{\"why\":\"x\"}}",
                                 "{\"done\":{\"count\":1}}", "{\"mismatches\":{\"index\":1,\"mismatches\":[{}]}}",
                                 "{\"loaded\":{\"roster\":[[]]}}", "null", "3", "{\"work\":[1]}"})
    expect_no_message(line);
}

/// What a cut or damaged line throws is nothing else; some are messages still.
TEST(Messages, NumbersOfAnotherKindAreNone) {
  const std::string good = R"({"case":{"implementations":[],"index":7,"judged":true}})";
  EXPECT_NO_THROW(report_from(good));
  for (const char* number : {"6.6e117", "-6.6e117", "1.5", "-1", "18446744073709551616", "\"7\"", "true", "null"}) {
    std::string line = good;
    line.replace(line.find('7'), 1, number);
    EXPECT_THROW(report_from(line), NotAMessage) << line;
  }
}

TEST(Messages, NumbersOfAnotherKindAreNoneInLists) {
  for (const char* line :
       {R"({"layer":{"index":0,"sides":{"mine":8e70},"rows":[]}})", R"({"surveyed":{"surveys":[[null,0,6e66,[],""]]}})",
        R"({"surveyed":{"surveys":[[null,0,0,[[99,0]],""]]}})"})
    EXPECT_THROW(report_from(line), NotAMessage) << line;
}

TEST(Messages, ListsOfTuplesAreWhatTheyAreToldAs) {
  const std::string good =
      R"({"done":{"count":1,"covered":0,"cut_short":false,"levels":[[0,[7]]],"pairs":[[0,"A"]],"ratios":{},"refusals":[],"tuples":"B"}})";
  EXPECT_NO_THROW(report_from(good));
  for (const auto& [part, wrong] : {std::pair{"\"A\"", "[7]"},
                                    {"\"A\"", "\"g\""},
                                    {"\"B\"", "[1]"},
                                    {"[7]", "[1e30]"},
                                    {"[[0,[7]]]", "[[1e30,[7]]]"},
                                    {"[[0,[7]]]", "{\"0\":[7]}"}}) {
    std::string line = good;
    line.replace(line.find(part), std::string(part).size(), wrong);
    EXPECT_THROW(report_from(line), NotAMessage) << line;
  }
}

TEST(Messages, DamagedLinesAreMessagesOrNone) {
  for (uint64_t seed = 0; seed < kDraws; ++seed) {
    const std::string line = to_line(Draw(seed).report());
    for (size_t at = 0; at < line.size(); at += 1 + line.size() / 20) {
      std::string damaged = line;
      damaged[at] = static_cast<char>(mix(seed + at));
      for (const std::string& one : {line.substr(0, at), damaged}) try {
          report_from(one);
        } catch (const NotAMessage&) {
        }
    }
  }
}

}  // namespace
}  // namespace convict
