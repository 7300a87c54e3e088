// SPDX-License-Identifier: Apache-2.0
//
// An honest certificate is confirmed from its case line, and one that was tampered with, in whatever place, is not.
#include <cmath>

#include "tests/cli/command.h"

namespace convict::test {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

class CertificateTest : public CliTest {
 protected:
  /// What `repro --format json` says of an implementation of a plugin of ours.
  json report(const std::string& line, const std::string& library = "guilty", const std::string& who = "guilty") const {
    return run({"repro", line, "--plugin=" + plugin(library), "--target=" + who, "--oracle=none", "--format=json"})
        .json();
  }
  json mismatch(const std::string& line) const { return report(line)["mismatches"].at(0); }

  CommandResult check(const json& document) const {
    write_file(file("found.json"), document.dump());
    return run({"check-certificate", "found.json"});
  }

  testing::AssertionResult confirms(const json& document) const {
    const CommandResult result = check(document);
    const bool in_part = result.out.find(": not checked: ") != std::string::npos;  // such as the suspect
    if (result.exit_code == (in_part ? 3 : 0) && result.out.find("REFUTED") == std::string::npos) return testing::AssertionSuccess();
    return testing::AssertionFailure() << result.exit_code << ": " << result.out << result.err;
  }

  /// Refuted in the one line that begins with `claim`; with `parts` in it.
  testing::AssertionResult refutes(const json& document, const std::string& claim,
                                   const std::vector<std::string>& parts = {}) const {
    const CommandResult result = check(document);
    const size_t begin = result.out.find("    " + claim + ": REFUTED: ");
    if (result.exit_code != 1 || begin == std::string::npos)
      return testing::AssertionFailure() << result.exit_code << ": " << result.out << result.err;
    const std::string line = result.out.substr(begin, result.out.find('\n', begin) - begin);
    for (const std::string& part : parts)
      if (line.find(part) == std::string::npos) return testing::AssertionFailure() << part << " is not in " << line;
    return testing::AssertionSuccess();
  }

  static json with(json document, const char* key, const json& value) {
    document["certificate"][key] = value;
    return document;
  }
  /// With another value, told consistently in both ways.
  static json with_value(json document, const std::string& key, double value) {
    char hex[64];
    std::snprintf(hex, sizeof hex, "%a", value);
    document["certificate"][key] = value;
    document["certificate"][key + "_hex"] = hex;
    return document;
  }
  static json without(json document, const char* key) {
    document["certificate"].erase(key);
    return document;
  }

  /// proven_ by somebody who declares something else.
  json declaring(const char* key, const json& value, const char* other_key = "winograd_m",
                 const json& other_value = 0) const {
    json document = proven_;
    document["certificate"]["declares"][key] = value;
    document["certificate"]["declares"][other_key] = other_value;
    return document;
  }

  // Exact is 78 in dst[0,0,2,0], of 2 terms and S = 98; guilty says 0.
  const json exact_ = mismatch("conv_transpose2d in=2x3 k=2x2 s=2x1 p=1x1 op=1x0 seed=7");
  const json proven_ = mismatch("conv_transpose2d ic=3 in=2x3 k=2x2 s=2x1 p=1x1 op=1x0 bias fill=normal seed=7");
};

TEST_F(CertificateTest, HonestOnesAreConfirmed) {
  EXPECT_EQ(exact_["verdict"], "wrong-exact");
  EXPECT_EQ(proven_["verdict"], "wrong-proven");
  EXPECT_TRUE(confirms(exact_));
  EXPECT_TRUE(confirms(proven_));
  for (const char* line :
       {"conv_transpose3d g=2 ic=4 oc=2 in=2x1x3 k=3x2x3 s=2 p=1x0x1 op=1x0x1 lay=ndhwc:dhwio:ndhwc seed=3",
        "conv_transpose1d ic=5 in=4 k=3 s=2 p=1 op=1 fill=wide seed=5",
        "conv_transpose1d ic=0 in=4 k=3 s=2 op=1 bias fill=normal seed=5"})
    EXPECT_TRUE(confirms(mismatch(line))) << line;
}

TEST_F(CertificateTest, OfIntegersToo) {
  const auto found = [&](const std::string& who, const std::string& line) {
    return report(line, "mutants_q", who)["mismatches"].at(0);
  };
  const json tie = found("Q05", "conv2d ic=4 oc=8 in=8 k=3 dt=s8 scale=channel"),
             wrapped = found("Q04", "conv2d ic=4 oc=4 in=5 k=3 dt=u8:s8:u8 zp=3:7 relu fill=normal"),
             scaled = found("Q03", "conv2d ic=4 oc=8 in=3 k=2 dt=u8:s8:f32 bias beta=2 scale=channel fill=normal");
  for (const json& one : {tie, wrapped, scaled}) EXPECT_TRUE(confirms(one));
  EXPECT_EQ(tie["certificate"]["bound_name"], "equality");
  EXPECT_GT(scaled["certificate"]["bound"], 0);
  const double right = tie["certificate"]["right"];
  EXPECT_TRUE(refutes(with_value(tie, "got", right), "got", {"is the exact value"}));
  EXPECT_TRUE(refutes(with(tie, "right", right + 1), "right"));
  EXPECT_TRUE(refutes(with_value(tie, "got", 0.5), "got", {"no number of s8"}));
  EXPECT_TRUE(refutes(with(scaled, "bound", 0), "bound", {"f32 may lose"}));
  const auto nearly = std::nextafter(scaled["certificate"]["exact"].get<float>(), 1e9f);
  EXPECT_TRUE(refutes(with_value(scaled, "got", nearly), "error", {"is right"}));
}

TEST_F(CertificateTest, EveryClaimHasItsLine) {
  const std::string exact = check(exact_).out, proven = check(proven_).out;
  EXPECT_NE(exact.find("\n    exact value: confirmed (0x1.38p+6 = 78)\n    terms: confirmed (2)\n"), std::string::npos)
      << exact;
  for (const char* claim : {"exact value", "terms", "magnitude", "got", "bound", "error"})
    EXPECT_NE(proven.find(std::string("    ") + claim + ": confirmed ("), std::string::npos) << claim << proven;
}

TEST_F(CertificateTest, AWholeDocumentIsCheckedOneByOne) {
  json document = {{"mismatches", {exact_, proven_}}};
  EXPECT_TRUE(confirms(document));
  EXPECT_NE(check(document).out.find("0 confirmed, 2 in part, 0 refuted"), std::string::npos);
  document["mismatches"][1]["certificate"]["terms"] = 3;
  EXPECT_EQ(check(document).exit_code, 1);
  EXPECT_NE(check(document).out.find("0 confirmed, 1 in part, 1 refuted"), std::string::npos);
}

TEST_F(CertificateTest, WhatACampaignFoundIsConfirmedFromItsReportAndItsDatabase) {
  const CommandResult found = run({"fuzz", "--plugin=" + plugin("guilty"), "--target=guilty", "--oracle=none", "-q",
                                   "--profile=all", "--cases=1000", "--shrink=none", "--db=found.db", "--format=json"});
  ASSERT_GE(found.mismatches().size(), 3u);
  EXPECT_TRUE(confirms(found.json()));
  const std::string id = found.mismatches()[0]["id"].dump();
  const CommandResult stored = run({"check-certificate", id, "--db=found.db", "--format=json"});
  EXPECT_EQ(stored.exit_code, 3) << stored.err;
  EXPECT_EQ(stored.json()["certificates"][0]["finding"], "confirmed in part");
  EXPECT_EQ(stored.json()["certificates"][0]["case"], found.mismatches()[0]["case"]);
}

TEST_F(CertificateTest, AnotherExactValueIsRefuted) {
  EXPECT_TRUE(refutes(with_value(exact_, "exact", 79), "exact value", {"0x1.3cp+6 = 79", "computed 0x1.38p+6 = 78"}));
  EXPECT_TRUE(refutes(with(exact_, "exact", 79), "exact value", {"0x1.38p+6 = 78", "79"}));
  EXPECT_TRUE(refutes(with_value(exact_, "exact", 78 + 0x1p-46), "exact value"));    // the very next double
  const double real = proven_["certificate"]["exact"], next = real * (1 + 0x1p-45);  // more than double sums err
  EXPECT_TRUE(refutes(with_value(proven_, "exact", next), "exact value", {"certificate says"}));
}

TEST_F(CertificateTest, OtherDataIsRefuted) {
  json other = exact_;
  other["case"] = "conv_transpose2d in=2x3 k=2x2 s=2x1 p=1x1 op=1x0 seed=8";
  EXPECT_TRUE(refutes(other, "exact value"));
}

TEST_F(CertificateTest, OtherCountsAreRefuted) {
  EXPECT_TRUE(refutes(with(exact_, "terms", 4), "terms", {"says 4, computed 2"}));
  EXPECT_TRUE(refutes(with(exact_, "magnitude", 98.5), "magnitude", {"says 98.5, computed 98"}));
  EXPECT_TRUE(refutes(with(exact_, "magnitude", 98 + 1e-9), "magnitude"));
}

TEST_F(CertificateTest, AnInnocentValueIsRefuted) {
  EXPECT_TRUE(refutes(with_value(exact_, "got", 78), "got", {"is the exact value"}));
  EXPECT_TRUE(refutes(with(exact_, "got", 1), "got", {"got_hex", "0x0p+0"}));
  EXPECT_TRUE(refutes(with_value(exact_, "got", 1 + 0x1p-40), "got", {"no number of f32"}));
  const auto nearly = std::nextafter(proven_["certificate"]["exact"].get<float>(), 10.0f);
  EXPECT_TRUE(refutes(with_value(proven_, "got", nearly), "error", {"is allowed"}));
}

TEST_F(CertificateTest, NotANumberIsNoInnocentValue) {
  EXPECT_TRUE(confirms(with(with(proven_, "got", "nan"), "got_hex", "-nan")));
  EXPECT_TRUE(confirms(with(with(exact_, "got", "-inf"), "got_hex", "-inf")));
  EXPECT_TRUE(refutes(with(exact_, "got", "nan"), "got"));
}

TEST_F(CertificateTest, ABoundThatIsTooSmallOrNotExceededIsRefuted) {
  const double bound = proven_["certificate"]["bound"];
  // Its contract has room for 9 roundings of 7 terms; a fixed order makes 7, which is the least for any order.
  EXPECT_TRUE(refutes(with(proven_, "bound", bound * 0.77), "bound", {"gamma_n is at least"}));
  EXPECT_TRUE(refutes(with(proven_, "bound", 100), "error", {"is allowed"}));
  EXPECT_TRUE(refutes(with(proven_, "bound", "inf"), "error"));
  EXPECT_TRUE(refutes(with(exact_, "bound", 1), "bound", {"equality"}));
}

TEST_F(CertificateTest, EqualityIsRefutedWhereSumsAreRounded) {
  EXPECT_TRUE(refutes(with(with(proven_, "bound", 0), "bound_name", "equality"), "bound", {"too much to ask"}));
}

TEST_F(CertificateTest, BoundsOfOtherSummationsHaveTheirOwnLeast) {
  const double bound = proven_["certificate"]["bound"];  // of 9 roundings: 7 terms in any order
  const json blocked = with(declaring("summation", "blocked", "sum_block", 3), "bound_name", "gamma_n, blocked");
  EXPECT_TRUE(confirms(with(blocked, "bound", bound * 0.57)));
  EXPECT_TRUE(refutes(with(blocked, "bound", bound * 0.54), "bound"));
  const json pairwise = with(declaring("summation", "pairwise"), "bound_name", "gamma_n, pairwise");
  EXPECT_TRUE(confirms(with(pairwise, "bound", bound * 0.47)));
  EXPECT_TRUE(refutes(with(pairwise, "bound", bound * 0.42), "bound"));
}

/// A smaller theorem than the contract gives would frame an honest value.
TEST_F(CertificateTest, ATheoremThatTheContractDoesNotGiveIsRefuted) {
  for (const char* name : {"gamma_n, blocked", "gamma_n, pairwise", "winograd", "fft", "statistical", "tolerance"})
    EXPECT_TRUE(refutes(with(proven_, "bound_name", name), "theorem", {name})) << name;
  EXPECT_TRUE(refutes(with(proven_, "accumulator", "f64"), "accumulator", {"says f64", "is f32"}));
  EXPECT_TRUE(refutes(with(exact_, "declares", declaring("algorithm", "fft")["certificate"]["declares"]), "theorem"));
  const json none = without(proven_, "declares");
  EXPECT_EQ(check(none).exit_code, 3);
  EXPECT_NE(check(none).out.find("theorem: not checked"), std::string::npos);
}

/// The larger bounds are for those who declare what they are about, and the smaller ones would frame these.
TEST_F(CertificateTest, ABoundOfATransformThatIsNotDeclaredIsRefuted) {
  for (const auto& [algorithm, key, larger] : {std::tuple("winograd", "moves_tiles", "winograd, moved tiles"),
                                               std::tuple("fft", "pairs_planes", "fft, paired planes")}) {
    const auto stated = [&, of = algorithm, is = key](const char* name, const json& declares) {
      json document = with(declaring("algorithm", of), "bound_name", name);
      if (declares != false) document["certificate"]["declares"][is] = declares;
      return document;
    };
    EXPECT_TRUE(confirms(stated(algorithm, false)));
    EXPECT_TRUE(confirms(stated(larger, true)));
    EXPECT_TRUE(refutes(stated(larger, false), "theorem", {larger, "declares no"}));
    EXPECT_TRUE(refutes(stated(algorithm, true), "theorem", {algorithm, "may"}));
    EXPECT_TRUE(refuses(check(stated(larger, "yes")), {"certificate, key", "declares"}));
  }
}

TEST_F(CertificateTest, PointsAreAsManyAsATileHasAndDistinct) {
  const auto of_points = [&](const json& points) {
    json document = with(declaring("algorithm", "winograd"), "bound_name", "winograd");
    json& declares = document["certificate"]["declares"];
    declares["winograd_m"] = 2;
    declares["winograd_r"] = 3;
    declares["points"] = points;
    return document;
  };
  EXPECT_TRUE(confirms(of_points({0, 1.5, -1})));
  for (const json& points : {json{0, 1}, json{0, 1, -1, 2}, json{0, 1, 1}})
    EXPECT_TRUE(refutes(of_points(points), "theorem", {"points"})) << points;
  for (const json& points : {json{0, 1, "2"}, json(3), json{{"0", 1}}})
    EXPECT_TRUE(refuses(check(of_points(points)), {"certificate, key", "declares"})) << points;
}

TEST_F(CertificateTest, WhatADeclaredTransformIsConvictedOfIsConfirmed) {
  const std::string line = "conv2d ic=3 in=9 k=3 fill=normal";
  json lossy = report(line, "honest", "lossy-winograd-moved")["mismatches"].at(0);
  EXPECT_EQ(lossy["certificate"]["bound_name"], "winograd, moved tiles");
  EXPECT_EQ(lossy["certificate"]["declares"]["moves_tiles"], true);
  EXPECT_TRUE(confirms(lossy));
  json undeclared = lossy;
  undeclared["certificate"]["declares"].erase("moves_tiles");
  EXPECT_TRUE(refutes(undeclared, "theorem", {"declares no tiles that are moved"}));
  EXPECT_TRUE(refutes(with(lossy, "bound_name", "winograd"), "theorem", {"the last tile may be moved"}));
}

/// A bound without what the unit may lose would frame an honest one, and so would equality.
TEST_F(CertificateTest, WhatADeclaredMatrixUnitIsConvictedOfIsConfirmed) {
  const std::string name = "f32:lossy-tf32-drops";
  const json lossy = report("conv2d ic=3 oc=2 in=9 k=3 fill=normal", "honest_on_units", name)["mismatches"].at(0);
  EXPECT_EQ(lossy["certificate"]["declares"]["operand_bits"], 11);
  EXPECT_EQ(lossy["certificate"]["declares"]["truncates"], true);
  EXPECT_TRUE(confirms(lossy));
  const double bound = lossy["certificate"]["bound"];
  EXPECT_TRUE(refutes(with(lossy, "bound", bound * 0.9), "bound", {"is at least"}));
  EXPECT_TRUE(refutes(with(with(lossy, "bound", 0), "bound_name", "equality"), "theorem", {"rounds operands"}));
  const json whole = report("conv2d ic=3 oc=2 in=9 k=3", "honest_on_units", name)["mismatches"].at(0);
  EXPECT_EQ(whole["certificate"]["bound_name"], "equality");
  EXPECT_TRUE(confirms(whole));
}

TEST_F(CertificateTest, WhatNoCaseLineTellsIsNotChecked) {
  const std::string out = check(proven_).out;
  for (const char* what : {"suspect", "blame", "contract", "counts and places"})
    EXPECT_NE(out.find(std::string("    ") + what + ": not checked: "), std::string::npos) << what << out;
  EXPECT_EQ(check(proven_).exit_code, 3);
  json bare = with(exact_, "at", exact_["certificate"]["at"]);
  for (const char* key : {"suspect", "blame"}) bare.erase(key);
  for (const char* key : {"declares", "wrong_elements", "unwritten_elements", "geography", "map", "witnesses"})
    bare = without(bare, key);
  EXPECT_EQ(check(bare).exit_code, 3) << "its theorem stands on nothing";
  bare["verdict"] = "accepts-invalid";
  bare["case"] = "conv2d in=3 k=4";
  EXPECT_EQ(check(bare).exit_code, 0);
}

TEST_F(CertificateTest, AVerdictThatTheNumbersDoNotBearIsRefuted) {
  json other = proven_;
  other["verdict"] = "wrong-exact";
  EXPECT_TRUE(refutes(other, "verdict"));
  other = exact_;
  other["verdict"] = "wrong-proven";
  EXPECT_TRUE(refutes(other, "verdict"));
  other["verdict"] = "special-values";
  EXPECT_TRUE(refutes(other, "verdict"));
  EXPECT_TRUE(refutes(with(exact_, "elements", 7), "elements", {"says 7"}));
}

TEST_F(CertificateTest, BoundsOfOtherAlgorithmsHaveALeastToo) {
  const double bound = proven_["certificate"]["bound"];  // of 7 terms
  for (const std::string name : {"winograd", "fft", "statistical"}) {
    json other = with(with(proven_, "bound_name", name), "bound", bound * 2);
    const bool is_direct = name == "statistical";
    other["certificate"]["declares"][is_direct ? "summation" : "algorithm"] = is_direct ? "fixed_order" : name;
    if (is_direct) other["verdict"] = "wrong-statistical";
    EXPECT_TRUE(confirms(other)) << name;
    EXPECT_TRUE(refutes(with(other, "bound", bound / 100), "bound", {"is at least"})) << name;
    EXPECT_TRUE(refutes(with(other, "bound", 100), "error")) << name;
  }
}

TEST_F(CertificateTest, AnElementThatDoesNotExistIsRefuted) {
  for (const json& at : {json{0, 0, 3, 0}, json{0, 0, -1, 0}, json{0, 0, 2}, json{0, 0, 2, 0, 0}, json::array()})
    EXPECT_TRUE(refutes(with(exact_, "at", at), "coordinates", {"1x1x3x2"})) << at;
  for (const char* role : {"src", "diff_src", "diff_bias", "nothing"})
    EXPECT_TRUE(refutes(with(exact_, "role", role), "role", {role}));
}

TEST_F(CertificateTest, ValuesThatWereNotWrittenAreNaN) {
  json other = with(with(exact_, "got", "nan"), "got_hex", "nan");
  other["verdict"] = "output-unwritten";
  EXPECT_TRUE(confirms(other));
  EXPECT_TRUE(refutes(with_value(other, "got", 1), "got", {"was written"}));
}

/// What the faulty implementations are caught at: none of it is refuted, and what has a value is confirmed.
TEST_F(CertificateTest, NoHonestVerdictIsRefuted) {
  const std::vector<std::pair<std::string, int>> all = {
      {"crashes", 125},     {"overruns", 3}, {"writes-input", 125}, {"leaves-holes", 3},
      {"wrong-shape", 125}, {"fails", 125},  {"out-of-memory", 125}};
  for (const auto& [who, exit_code] : all) {
    const json document = report("conv2d in=5 k=3 seed=1", "faulty", who);
    ASSERT_EQ(document["mismatches"].size(), 1u) << who;
    const CommandResult result = check(document);
    EXPECT_EQ(result.exit_code, exit_code) << who << document << result.out << result.err;
  }
}

/// It accuses nobody of exceeding a bound.
TEST_F(CertificateTest, WhatIsOnlyLessAccurateMayBeInsideItsBound) {
  json other = with(proven_, "bound", 100);
  other["verdict"] = "less-accurate";
  EXPECT_TRUE(confirms(other));
  EXPECT_TRUE(refutes(with(other, "terms", 1), "terms"));
}

TEST_F(CertificateTest, AcceptingWhatIsLegalIsNoFault) {
  json other = exact_;
  other["verdict"] = "accepts-invalid";
  EXPECT_TRUE(refutes(other, "case is not legal"));
  other["case"] = "conv2d in=3 k=4";
  EXPECT_TRUE(confirms(other));
}

TEST_F(CertificateTest, WithoutANumberThereIsNothingToCheck) {
  const json crash = {
      {"case", "conv2d in=5"}, {"suspect", "me"}, {"verdict", "crash"}, {"certificate", {{"signal", "Aborted"}}}};
  const CommandResult result = check(crash);
  EXPECT_EQ(result.exit_code, 125);
  EXPECT_NE(result.out.find("nothing numeric to check: 'crash'"), std::string::npos) << result.out;
  EXPECT_EQ(check({{"mismatches", json::array()}}).exit_code, 125);
  EXPECT_EQ(check({{"mismatches", {crash, exact_}}}).exit_code, 3);
}

TEST_F(CertificateTest, OperandsThatFillTheMachineAreNotDrawn) {
  json huge = with(exact_, "at", {0, 0, 0, 0});
  huge["case"] = "conv_transpose2d in=100000 k=2";
  EXPECT_EQ(check(huge).exit_code, 125);
}

TEST_F(CertificateTest, MissingKeysAreNamed) {
  for (const char* key :
       {"role", "at", "exact", "exact_hex", "terms", "magnitude", "got", "got_hex", "bound", "bound_name"})
    EXPECT_TRUE(refuses(check(without(exact_, key)), {"'found.json'", std::string("'") + key + "'"})) << key;
  for (const char* key : {"case", "verdict", "certificate"}) {
    json other = exact_;
    other.erase(key);
    EXPECT_TRUE(refuses(check(other), {std::string("'") + key + "'"})) << key;
  }
}

TEST_F(CertificateTest, KeysOfAnotherTypeAreNamed) {
  for (const char* key : {"role", "at", "exact", "exact_hex", "terms", "magnitude", "got", "got_hex", "bound",
                          "bound_name", "accumulator"})
    for (const json& value : {json(nullptr), json{"x"}, json::object()}) {
      EXPECT_TRUE(refuses(check(with(proven_, key, value)), {"certificate, key", key})) << key << value;
    }
  for (const char* key : {"at", "exact", "exact_hex", "terms", "magnitude", "got", "got_hex", "bound", "accumulator"})
    EXPECT_TRUE(refuses(check(with(proven_, key, "seven")), {"certificate, key", key})) << key;
}

TEST_F(CertificateTest, BadInputIsNamed) {
  json other = exact_;
  other["verdict"] = "guilty";
  EXPECT_TRUE(refuses(check(other), {"'verdict'", "'guilty'", "wrong-exact"}));
  other = exact_;
  other["case"] = "conv2d in=3 k=4";
  EXPECT_TRUE(refuses(check(other), {"'found.json'", "window of 4"}));
  other["case"] = "conv2d in=x";
  EXPECT_TRUE(refuses(check({{"mismatches", {exact_, other}}}), {"mismatch 2", "'in=x'"}));
  EXPECT_TRUE(refuses(check(json::array({exact_})), {"'found.json'", "not a JSON object"}));
  EXPECT_TRUE(refuses(check({{"mismatches", 3}}), {"'mismatches'"}));
  write_file(file("found.json"), "{\"case\": ");
  EXPECT_TRUE(refuses(run({"check-certificate", "found.json"}), {"'found.json'", "not JSON"}));
  fs::create_directory(file("directory"));
  EXPECT_TRUE(refuses(run({"check-certificate", "directory"}), {"'directory'", "is a directory"}));
  EXPECT_TRUE(refuses(run({"check-certificate", "missing.json"}), {"'missing.json'", "does not exist"}));
  EXPECT_TRUE(refuses(run({"check-certificate", "-"}), {"'-'", "not JSON"}));  // nothing is on stdin
  EXPECT_TRUE(refuses(run({"check-certificate", "3"}), {"'convict.db'", "does not exist"}));
}

}  // namespace
}  // namespace convict::test
