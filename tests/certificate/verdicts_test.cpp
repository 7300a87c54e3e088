// SPDX-License-Identifier: Apache-2.0
//
// Every kind of certificate that carries numbers, as the examination of a faulty implementation issues it: the checker
// confirms it, and refutes it once any of its fields is forged.
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>

#include "abi/element.h"
#include "abi/native_kernel.h"
#include "certificate/check.h"
#include "core/case_text.h"
#include "core/names.h"
#include "examine/pipeline.h"

namespace convict {
namespace {

const convict_implementation& native(std::string_view name) {
  return **std::ranges::find(native_kernels(), name, [](const convict_implementation* one) { return one->name; });
}

/// A native kernel that adds 1 to the first element of its result.
struct Shifted : convict_implementation {
  explicit Shifted(const convict_implementation& of) : convict_implementation(of), of_(of) {
    name = lineage = "shifted";
    run = [](const convict_implementation* self, const convict_problem* p, const convict_tensors* t, char* error,
             size_t size) {
      const convict_implementation& one = static_cast<const Shifted*>(self)->of_;
      const convict_status status = one.run(&one, p, t, error, size);
      *static_cast<float*>(t->dst.data) += 1;
      return status;
    };
  }
  const convict_implementation& of_;
};

/// A faulty implementation of a library of tests/, or a native kernel made faulty.
run::Subject subject(const std::string& library, std::string_view name) {
  static const Shifted winograd(native("winograd_f4")), fft(native("fft"));
  if (library.empty()) return {name == "fft" ? &fft : &winograd, true, ""};
  for (run::Subject one : run::load_plugin(CONVICT_TEST_PLUGINS "/" + library + ".so"))
    if (one.implementation->name == name) return one.is_target = true, one;
  throw std::runtime_error(library + " has no " + std::string(name));
}

struct Specimen {
  const char* title;
  const char *library, *name, *line;
  Verdict verdict;
  std::optional<Bound> bound;
};

void PrintTo(const Specimen& one, std::ostream* out) { *out << one.title; }

/// What an examination with every relation finds, after a journey through JSON.
Mismatch found(const Specimen& one) {
  examine::LocalExaminer examiner{{subject(one.library, one.name), {&native("direct"), false, ""}}};
  if (one.verdict == Verdict::kWrongRelation) examiner.settings.relations = examine::AskedRelations::kAll;
  const auto all = examiner.examine(parse_case(one.line)).mismatches;
  if (all.empty()) throw std::runtime_error(std::string(one.line) + " shows nothing");
  Mismatch mismatch = all.front();
  mismatch.certificate = certificate_from_json(nlohmann::json::parse(to_json(mismatch.certificate).dump()));
  return mismatch;
}

/// Changes one thing. Returns false if this certificate has no such thing.
struct Forgery {
  const char* what;
  std::function<bool(Mismatch&)> forge;
};

Certificate::Element& element(Mismatch& mismatch) { return mismatch.certificate.element; }

void set(std::optional<Decimal>& decimal, std::optional<Hexadecimal>& hexadecimal, double value) {
  decimal = Decimal{value};
  hexadecimal = Hexadecimal{value};
}

bool has_bound(Mismatch& mismatch) {
  return element(mismatch).bound && mismatch.verdict != Verdict::kOutputUnwritten &&
         std::isfinite(element(mismatch).exact->value);
}

bool is_accused(const Mismatch& mismatch) {  // of a value that is not what it may be
  return mismatch.verdict != Verdict::kLessAccurate && mismatch.verdict != Verdict::kWrongRelation;
}

const std::vector<Forgery> kForgeries = {
    {"another case", [](Mismatch& m) { return ++m.problem_case.seed, std::isfinite(element(m).exact->value); }},
    {"an input as its output", [](Mismatch& m) { return element(m).role = "src", true; }},
    {"a place beside the output", [](Mismatch& m) { return element(m).at->back() = 1 << 20, true; }},
    {"a place with a dimension more", [](Mismatch& m) { return element(m).at->push_back(0), true; }},
    {"another exact value",
     [](Mismatch& m) {
       const double exact = element(m).exact->value;
       set(element(m).exact, element(m).exact_hex, std::isfinite(exact) ? exact + 1 + std::abs(exact) / 100 : 1);
       return true;
     }},
    {"an exact value in decimals only", [](Mismatch& m) { return element(m).exact = Decimal{12345.5}, true; }},
    {"another number of terms", [](Mismatch& m) { return *element(m).terms += 1, true; }},
    {"another magnitude",
     [](Mismatch& m) {
       element(m).magnitude->value = element(m).magnitude->value * 1.001 + 1e-3;
       return std::isfinite(element(m).exact->value);
     }},
    {"a result in decimals only", [](Mismatch& m) { return element(m).got = Decimal{0.375}, true; }},
    {"a result that no element can hold",
     [](Mismatch& m) {
       set(element(m).got, element(m).got_hex, 0.1);
       return m.problem_case.dst_type != CONVICT_F64;
     }},
    {"the right result",
     [](Mismatch& m) {
       const double right =
           element(m).right ? element(m).right->value : rounded_to(m.problem_case.dst_type, element(m).exact->value);
       set(element(m).got, element(m).got_hex, right);
       return m.verdict != Verdict::kWrongRelation;
     }},
    {"no bound at all",
     [](Mismatch& m) {
       const bool stated = has_bound(m) && element(m).bound->value > 0;
       element(m).bound = Decimal{0};
       return stated;
     }},
    {"a bound that is not exceeded",
     [](Mismatch& m) { return element(m).bound = Decimal{1e30}, has_bound(m) && is_accused(m); }},
    {"equality",
     [](Mismatch& m) {
       const bool bounded =
           has_bound(m) && element(m).bound_name != Bound::kEquality && !is_integer(m.problem_case.src_type);
       element(m).bound_name = Bound::kEquality;
       return bounded;
     }},
    {"a theorem that its contract does not give",
     [](Mismatch& m) {
       const bool stated = has_bound(m) && element(m).contract;
       element(m).bound_name = element(m).bound_name == Bound::kGammaBlocked ? Bound::kGammaPairwise : Bound::kGammaBlocked;
       return stated;
     }},
    {"the bound of a transform that is not declared",
     [](Mismatch& m) {
       const bool moves = element(m).bound_name == Bound::kWinogradMoved;
       if (moves) element(m).contract->transforms.moves_tiles = false;
       return moves;
     }},
    {"a smaller bound than that of the transform that is declared",
     [](Mismatch& m) {
       const bool moves = element(m).bound_name == Bound::kWinogradMoved;
       element(m).bound_name = Bound::kWinograd;
       return moves;
     }},
    {"another accumulator",
     [](Mismatch& m) {
       const bool stated = has_bound(m) && element(m).contract;
       element(m).accumulator = element(m).accumulator == CONVICT_F64 || m.problem_case.src_type == CONVICT_F64
                                    ? CONVICT_F32
                                    : CONVICT_F64;
       return stated;
     }},
    {"another number of elements",
     [](Mismatch& m) {
       const bool stated = m.certificate.errors.elements.has_value() && m.certificate.element.terms;
       if (stated) ++*m.certificate.errors.elements;
       return stated;
     }},
    {"two results that agree",
     [](Mismatch& m) {
       return m.certificate.relation.expected = element(m).got, m.verdict == Verdict::kWrongRelation;
     }},
};

class CertificateOf : public testing::TestWithParam<Specimen> {};

TEST_P(CertificateOf, AFaultIsConfirmedAndRefutedWhenForged) {
  const Mismatch honest = found(GetParam());
  ASSERT_EQ(honest.verdict, GetParam().verdict);
  EXPECT_EQ(honest.certificate.element.bound_name, GetParam().bound);
  const auto check = [](const Mismatch& one) {
    return certificate::check_certificate(one.problem_case, one.verdict, one.certificate);
  };
  const auto lines = [](const certificate::CertificateCheck& checked) {
    std::string text;
    for (const std::string& line : checked.lines) text += "\n  " + line;
    return text;
  };
  EXPECT_TRUE(check(honest).confirmed()) << lines(check(honest));
  int forged = 0;
  for (const Forgery& forgery : kForgeries) {
    Mismatch other = honest;
    if (!forgery.forge(other)) continue;
    EXPECT_TRUE(check(other).refuted()) << forgery.what << lines(check(other));
    ++forged;
  }
  EXPECT_GE(forged, 8);
}

/// Another value of the same kind.
nlohmann::json forged(const nlohmann::json& value) {
  if (value.is_boolean()) return !value.get<bool>();
  if (value.is_number()) return value.get<double>() + 3;
  if (value.is_array()) return value.empty() ? value : nlohmann::json::array({7, 7, 7, 7, 7, 7, 7});
  if (!value.is_string()) return value;
  const auto text = value.get<std::string>();
  if (text == "nan" || text == "inf" || text == "-inf") return 5;
  if (text.starts_with("0x") || text.starts_with("-0x")) return "0x1.8p+9";
  if (text == "gamma_n" || text.starts_with("gamma_n,")) return text == "gamma_n, blocked" ? "winograd" : "gamma_n, blocked";
  return text == "equality" ? "gamma_n" : text == "f32" ? "f64" : text == "f64" ? "f32" : "equality";
}

/// By what name the checker says that it does not check a key, where it may.
const std::map<std::string, std::string> kUnchecked = {
    {"magnitude", "magnitude"},         {"bound", "bound"},
    {"bound_name", "bound"},            {"expected", "expected"},
    {"declares", "contract"},           {"wrong_elements", "counts and places"},
    {"geography", "counts and places"}, {"unwritten_elements", "counts and places"},
    {"map", "counts and places"},       {"values", "counts and places"},
    {"text", "words"},                  {"read", "words"},
    {"explained_by", "words"},          {"relation", "words"},
    {"witnesses", "witnesses"}};

TEST_P(CertificateOf, EveryKeyIsCheckedOrSaidNotToBe) {
  const Mismatch honest = found(GetParam());
  const nlohmann::json written = to_json(honest.certificate);
  for (const auto& [key, value] : written.items()) {
    nlohmann::json other = written;
    other[key] = forged(value);
    if (key == "bound" && value != 0) other[key] = value.get<double>() / 100;  // a larger one claims less
    certificate::CertificateCheck check;
    try {
      check = certificate::check_certificate(honest.problem_case, honest.verdict, certificate_from_json(other));
    } catch (const std::exception&) {
      continue;  // no certificate any more
    }
    const auto name = kUnchecked.find(key);
    const bool is_said = name != kUnchecked.end() && std::ranges::any_of(check.lines, [&](const std::string& line) {
      return line.starts_with(name->second + ": not checked: ");
    });
    EXPECT_TRUE(check.refuted() || is_said)
        << key << ": " << other[key] << " for " << value << testing::PrintToString(check.lines);
  }
}

INSTANTIATE_TEST_SUITE_P(
    Verdicts, CertificateOf,
    testing::Values(
        Specimen{"wrong_exact", "mutants_b", "B07", "conv2d in=5 k=3", Verdict::kWrongExact, Bound::kEquality},
        Specimen{"wrong_exact_f64", "mutants_b", "B07", "conv2d in=5 k=3 dt=f64", Verdict::kWrongExact,
                 Bound::kEquality},
        Specimen{"wrong_proven", "mutants_b", "B07", "conv2d in=5 k=3 bias fill=normal", Verdict::kWrongProven,
                 Bound::kGamma},
        Specimen{"wrong_proven_bf16", "mutants_b", "B07", "conv2d in=5 k=3 dt=bf16 fill=normal", Verdict::kWrongProven,
                 Bound::kGamma},
        Specimen{"pairwise", "honest", "dishonest-pairwise", "conv1d ic=4608 in=1 oc=40 fill=positive",
                 Verdict::kWrongProven, Bound::kGammaPairwise},
        Specimen{"special_values", "mutants_p", "P31", "conv2d ic=2 oc=8 in=9 k=3 fill=special seed=2",
                 Verdict::kSpecialValues, Bound::kEquality},
        Specimen{"minus_zero", "mutants_b", "B21", "conv2d ic=2 in=40", Verdict::kSpecialValues, Bound::kEquality},
        Specimen{"wrong_relation", "mutants_b", "B27", "conv2d in=5 k=3", Verdict::kWrongRelation, std::nullopt},
        Specimen{"wrong_statistical", "mutants_b", "B11", "conv1d ic=4001 in=20 k=6 fill=normal",
                 Verdict::kWrongStatistical, Bound::kStatistical},
        Specimen{"wrong_statistical_bf16", "mutants_b", "B11", "conv1d ic=4001 oc=9 in=20 k=6 dt=bf16 fill=normal",
                 Verdict::kWrongStatistical, Bound::kStatistical},
        Specimen{"less_accurate", "mutants_b", "B19", "conv1d ic=100 in=3 fill=positive", Verdict::kLessAccurate,
                 Bound::kGamma},
        Specimen{"output_unwritten", "faulty", "leaves-holes", "conv2d ic=2 in=5 k=3 bias seed=1",
                 Verdict::kOutputUnwritten, Bound::kEquality},
        Specimen{"contract", "mutants_b", "B18", "conv2d ic=4 oc=3 in=9 k=3 fill=normal", Verdict::kContract,
                 Bound::kGamma},
        Specimen{"quantized", "mutants_q", "Q04", "conv2d ic=4 oc=4 in=5 k=3 dt=u8:s8:u8 zp=3:7 relu fill=normal",
                 Verdict::kWrongExact, Bound::kEquality},
        Specimen{"quantized_scaled", "mutants_q", "Q03",
                 "conv2d ic=4 oc=8 in=3 k=2 dt=u8:s8:f32 bias beta=2 scale=channel fill=normal", Verdict::kWrongProven,
                 Bound::kQuantized},
        Specimen{"rounding", "depthwise_int8", "dw-int8-two",
                 "conv2d in=20x20 dt=u8:s8:u8 zp=9:128 scale=channel requant=single lay=nhwc:hwio:nhwc seed=2",
                 Verdict::kWrongRounding, Bound::kEquality},
        Specimen{"winograd", "", "winograd", "conv2d ic=3 in=9 k=3 fill=normal", Verdict::kWrongProven,
                 Bound::kWinograd},
        Specimen{"winograd_moved", "honest", "lossy-winograd-moved", "conv2d ic=3 in=9 k=3 fill=normal",
                 Verdict::kWrongProven, Bound::kWinogradMoved},
        Specimen{"fft", "", "fft", "conv2d ic=3 in=9 k=3 fill=normal", Verdict::kWrongProven, Bound::kFft}),
    [](const auto& info) { return std::string(info.param.title); });

}  // namespace
}  // namespace convict
