// SPDX-License-Identifier: Apache-2.0
//
// The evidence of a mismatch, and its one JSON form: a flat object, certificates.md. Whatever does not apply to a
// mismatch, or is missing in a document, is absent.
#pragma once

#include <array>
#include <cmath>
#include <cstdint>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/case.h"
#include "core/declarations.h"

namespace convict::inline core {

/// By which theorem an error is allowed (docs/background/bounds.md).
enum class Bound {
  kEquality,
  kGamma,
  kGammaBlocked,
  kGammaPairwise,
  kSpecialValues,
  kQuantized,
  kWinograd,
  kWinogradMoved,
  kFft,
  kFftPaired,
  kStatistical,
  kTolerance,  // no theorem: what other tools do
  kUnknown     // a document states a bound of another name
};

inline constexpr std::array<std::string_view, 13> kBoundNames = {
    {"equality", "gamma_n", "gamma_n, blocked", "gamma_n, pairwise", "gamma_n, special values apart",
     "gamma_6 in f32, then rounded", "winograd", "winograd, moved tiles", "fft", "fft, paired planes", "statistical",
     "tolerance", "unknown"}};

constexpr std::string_view name_of(Bound bound) { return kBoundNames[static_cast<size_t>(bound)]; }

constexpr bool is_of_transform(Bound bound) {
  return bound == Bound::kWinograd || bound == Bound::kWinogradMoved || bound == Bound::kFft ||
         bound == Bound::kFftPaired;
}

/// What an implementation declares of its arithmetic for the problem of a case: what decides which theorem applies.
struct DeclaredContract {
  convict_algorithm algorithm = CONVICT_DIRECT;
  convict_dtype min_accumulator = CONVICT_F32;
  convict_summation summation = CONVICT_ANY_ORDER;
  int64_t sum_block = 0;                   // of blocked sums
  int64_t winograd_m = 0, winograd_r = 0;  // of Winograd's algorithm
  bool flushes_subnormals = false;
  Transforms transforms = {};   // of the algorithm
  MatrixUnit matrix_unit = {};  // of direct sums
  bool operator==(const DeclaredContract&) const = default;
};
DeclaredContract declared(const convict_contract& contract, const Declarations& declarations);

/// A double in one of its two JSON forms. NaN equals NaN.
enum class Base { kTen, kSixteen };
template <Base>
struct Numeral {
  double value = 0;
  friend bool operator==(Numeral a, Numeral b) {
    return a.value == b.value || (std::isnan(a.value) && std::isnan(b.value));
  }
};
using Decimal = Numeral<Base::kTen>;          // a JSON number, or "nan", "inf" or "-inf", for which JSON has none
using Hexadecimal = Numeral<Base::kSixteen>;  // a text as printf's %a writes it: every bit

/// Which elements of one output are wrong: a text with 'x' for a wrong one and '.' for a right one, row-major.
struct ErrorMap {
  std::string role;
  std::vector<int64_t> dims;
  std::string wrong;
  bool operator==(const ErrorMap&) const = default;
};

/// All elements of the output of the map, in its order. `expected` is exact, not rounded to the type of the output.
struct OutputValues {
  std::vector<Decimal> got, expected;
  bool operator==(const OutputValues&) const = default;
};

struct Certificate {
  /// The element that the verdict rests on. Of a broken relation there are `at` and `got` only, of a death `role`.
  struct Element {
    std::optional<std::string> role;
    std::optional<std::vector<int64_t>> at;  // logical coordinates
    std::optional<Decimal> got, exact;
    std::optional<Hexadecimal> got_hex, exact_hex;
    std::optional<Decimal> right;              // of 8 bits: the exact value, rounded and saturated
    std::optional<int64_t> terms;              // n
    std::optional<Decimal> magnitude;          // S
    std::optional<Decimal> bound;              // the error that is allowed
    std::optional<Bound> bound_name;           // and by which theorem
    std::optional<convict_dtype> accumulator;  // of the partial sums, where it is not default_accumulator()
    std::optional<DeclaredContract> contract = {};  // of the suspect
    bool operator==(const Element&) const = default;
  } element;

  /// All errors of the outputs.
  struct Errors {
    std::optional<int64_t> wrong, unwritten, elements;
    std::optional<std::string> geography;
    std::optional<ErrorMap> map;
    std::optional<OutputValues> values;
    bool operator==(const Errors&) const = default;
  } errors;

  struct ViolatedRelation {
    std::optional<std::string> name;
    std::optional<Decimal> expected;
    bool operator==(const ViolatedRelation&) const = default;
  } relation;

  /// Of a process.
  struct Death {
    std::optional<std::string> signal, address_class, output_tail;
    std::optional<int64_t> exit_code;
    std::optional<std::string> evidence;  // how it was pinned on the suspect
    bool operator==(const Death&) const = default;
  } death;

  /// What came of it when the accusation was repeated in fresh processes that had loaded the suspect's library only.
  struct Alone {
    std::optional<int64_t> runs = {}, failed = {};        // processes, and those in which it came back
    std::optional<std::vector<std::string>> before = {};  // cases that one process has to run first, in this order
    std::optional<int64_t> times = {};                    // how often one process has to run the case
    std::optional<int64_t> calls = {}, failing = {};  // of what fails now and then: calls of a process, those that fail
    std::optional<std::string> seen = {};             // of what did not come back: the implementation that was seen
    std::optional<std::string> heap_guard = {};  // the allocator of the processes (run/heap_guard.h), if not malloc
    std::optional<int64_t> memory_limit = {};    // of an `oom`: bytes; none if it is the default
    std::optional<int64_t> timeout_ms = {};      // of a `hang`; none if it is the default
    /// Others of its kind were repeated in its place, or there was no time. Without `runs`, it is not known.
    bool is_unrepeated() const { return runs == 0; }
    bool operator==(const Alone&) const = default;
  } alone;

  std::optional<std::map<std::string, std::string>> witnesses;  // what each of the others did on the case
  std::optional<std::string> text, overrun, explained_by, read;

  bool operator==(const Certificate&) const = default;
};

/// "not reproduced; seen of direct", for what did not come back alone; else nothing.
std::string not_reproduced(const Certificate& certificate);

/// Whether there was no time to repeat it.
inline bool is_unconfirmed(const Certificate& certificate) {
  return certificate.alone.seen && certificate.alone.is_unrepeated();
}

/// The cases that one process runs for a mismatch on this case to come back, the case itself last.
std::vector<std::string> lines_to_run(const Certificate::Alone& alone, const Case& c);

/// f64 for a case with an f64 operand, f32 for any other.
convict_dtype default_accumulator(const Case& c);

nlohmann::json to_json(const Certificate& certificate);

/// Keys that no certificate has are passed over. Throws UsageError, naming the key, if one is not of its type.
Certificate certificate_from_json(const nlohmann::json& json);

/// The same of a document of a stranger: what is not of its type is absent.
Certificate certificate_in(const nlohmann::json& document);

/// json(number) is its JSON form.
void to_json(nlohmann::json& json, const Decimal& number);
void to_json(nlohmann::json& json, const Hexadecimal& number);

/// Throws the UsageError for a key that has to be there. `field` is a member of `certificate`.
[[noreturn]] void report_missing(const Certificate& certificate, const void* field);

/// A field that has to be there: throws UsageError, naming its key, if it is not.
template <class T>
const T& required(const Certificate& certificate, const std::optional<T>& field) {
  if (!field) report_missing(certificate, &field);
  return *field;
}

}  // namespace convict::inline core
