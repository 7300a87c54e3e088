// SPDX-License-Identifier: Apache-2.0
#include "core/certificate.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <limits>
#include <nlohmann/json.hpp>
#include <utility>

#include "core/case_text.h"
#include "core/error.h"
#include "core/names.h"
#include "core/text.h"

namespace convict::inline core {

using nlohmann::json;

void to_json(json& to, const Decimal& number) {
  if (std::isfinite(number.value))
    to = number.value;
  else
    to = std::isnan(number.value) ? "nan" : number.value > 0 ? "inf" : "-inf";
}

void to_json(json& to, const Hexadecimal& number) { to = hex_float(number.value); }

namespace {

template <class T, size_t N>
std::string_view name_in(const ContractWords<T, N>& names, T value) {
  const auto found = std::ranges::find(names, value, &std::pair<std::string_view, T>::second);
  return found == names.end() ? "unknown" : found->first;
}

/// Calls field(key, optional) for every field: the list of the keys. SQL has one of them, too (store/facts.h).
template <class AnyCertificate, class Field>
void visit(AnyCertificate& c, const Field& field) {
  field("role", c.element.role);
  field("at", c.element.at);
  field("got", c.element.got);
  field("got_hex", c.element.got_hex);
  field("exact", c.element.exact);
  field("exact_hex", c.element.exact_hex);
  field("right", c.element.right);
  field("terms", c.element.terms);
  field("magnitude", c.element.magnitude);
  field("bound", c.element.bound);
  field("bound_name", c.element.bound_name);
  field("accumulator", c.element.accumulator);
  field("declares", c.element.contract);
  field("wrong_elements", c.errors.wrong);
  field("unwritten_elements", c.errors.unwritten);
  field("elements", c.errors.elements);
  field("geography", c.errors.geography);
  field("map", c.errors.map);
  field("values", c.errors.values);
  field("relation", c.relation.name);
  field("expected", c.relation.expected);
  field("signal", c.death.signal);
  field("exit_code", c.death.exit_code);
  field("address_class", c.death.address_class);
  field("output_tail", c.death.output_tail);
  field("evidence", c.death.evidence);
  field("alone_runs", c.alone.runs);
  field("alone_failed", c.alone.failed);
  field("before", c.alone.before);
  field("times", c.alone.times);
  field("alone_calls", c.alone.calls);
  field("alone_failing", c.alone.failing);
  field("seen", c.alone.seen);
  field("heap_guard", c.alone.heap_guard);
  field("memory_limit", c.alone.memory_limit);
  field("timeout_ms", c.alone.timeout_ms);
  field("witnesses", c.witnesses);
  field("text", c.text);
  field("overrun", c.overrun);
  field("explained_by", c.explained_by);
  field("read", c.read);
}

// ---- Each type of field as JSON -------------------------------------------------------------------------------------

template <class T>
json written(const T& value) {
  return value;
}
json written(const Bound& bound) { return name_of(bound); }
json written(const convict_dtype& type) { return type_name(type); }
json written(const DeclaredContract& contract) {
  json to = {{"algorithm", name_in(kAlgorithmWords, contract.algorithm)},
             {"min_accumulator", type_name(contract.min_accumulator)},
             {"summation", name_in(kSummationWords, contract.summation)}};
  if (contract.summation == CONVICT_BLOCKED) to["sum_block"] = contract.sum_block;
  if (contract.algorithm == CONVICT_WINOGRAD) to["winograd_m"] = contract.winograd_m;
  if (contract.algorithm == CONVICT_WINOGRAD) to["winograd_r"] = contract.winograd_r;
  if (contract.flushes_subnormals) to["flushes_subnormals"] = true;
  if (contract.transforms.moves_tiles) to["moves_tiles"] = true;
  if (contract.transforms.pairs_planes) to["pairs_planes"] = true;
  if (!contract.transforms.points.empty()) to["points"] = contract.transforms.points;
  if (contract.matrix_unit.operand_bits != 0) to["operand_bits"] = contract.matrix_unit.operand_bits;
  if (contract.matrix_unit.truncates) to["truncates"] = true;
  return to;
}
json written(const ErrorMap& map) { return {{"role", map.role}, {"dims", map.dims}, {"wrong", map.wrong}}; }
json written(const OutputValues& values) { return {{"got", values.got}, {"expected", values.expected}}; }

// What read() wants instead, or nullptr if `from` is of the type.

const char* read(const json& from, std::string& to) {
  if (!from.is_string()) return "a text";
  to = from.get_ref<const std::string&>();
  return nullptr;
}

const char* read(const json& from, int64_t& to) {
  if (!from.is_number_integer()) return "a whole number";
  to = from.get<int64_t>();
  return nullptr;
}

const char* read(const json& from, Decimal& to) {
  if (from == "nan")
    to.value = std::numeric_limits<double>::quiet_NaN();
  else if (from == "inf" || from == "-inf")
    to.value = from == "inf" ? HUGE_VAL : -HUGE_VAL;
  else if (from.is_number())
    to.value = from.get<double>();
  else
    return "a number, \"nan\", \"inf\" or \"-inf\"";
  return nullptr;
}

const char* read(const json& from, Hexadecimal& to) {
  if (!from.is_string()) return "a text";
  const std::string& text = from.get_ref<const std::string&>();
  char* end = nullptr;
  to.value = std::strtod(text.c_str(), &end);
  return text.empty() || end != text.c_str() + text.size() ? "a hexadecimal floating-point number" : nullptr;
}

const char* read(const json& from, Bound& to) {
  std::string name;
  if (const char* wanted = read(from, name)) return wanted;
  const auto found = std::ranges::find(kBoundNames, name);
  to = found == kBoundNames.end() ? Bound::kUnknown : static_cast<Bound>(found - kBoundNames.begin());
  return nullptr;
}

template <class T, size_t N>
bool read_name(const json& from, const ContractWords<T, N>& names, T& to) {
  const auto found = std::ranges::find_if(names, [&](const auto& one) { return from == one.first; });
  if (found != names.end()) to = found->second;
  return found != names.end();
}

const char* read(const json& from, convict_dtype& to) {
  return read_name(from, kAccumulatorWords, to) ? nullptr : "f32, f64, f16 or bf16";
}

template <class T>
const char* read(const json& from, std::vector<T>& to) {
  if (!from.is_array()) return "an array of numbers";
  for (const json& one : from)
    if (read(one, to.emplace_back())) return "an array of such numbers";
  return nullptr;
}

const char* read(const json& from, std::map<std::string, std::string>& to) {
  if (!from.is_object()) return "an object of texts";
  for (const auto& [key, value] : from.items())
    if (read(value, to[key])) return "an object of texts";
  return nullptr;
}

/// The value of a key of an object.
const json& value_at(const json& from, const char* key) {
  static const json kNothing;
  const auto found = from.find(key);  // the end of what is no object
  return found == from.end() ? kNothing : *found;
}

const char* read(const json& from, ErrorMap& to) {
  const bool whole = !read(value_at(from, "role"), to.role) && !read(value_at(from, "dims"), to.dims) &&
                     !read(value_at(from, "wrong"), to.wrong);
  return whole ? nullptr : "an object with role, dims and wrong";
}

// Whether what need not be there is of its type if it is.

bool read_count(const json& from, int64_t& to) { return from.is_null() || !read(from, to); }

bool read_bits(const json& from, int& to) {
  to = from.is_number_integer() ? from.get<int>() : 0;
  return from.is_null() || (from.is_number_integer() && to >= kFewestOperandBits && to <= kMostOperandBits);
}

bool read_flag(const json& from, bool& to) {
  to = from == true;
  return from.is_null() || from.is_boolean();
}

bool read_numbers(const json& from, std::vector<double>& to) {
  if (from.is_null()) return true;
  if (!from.is_array() || !std::ranges::all_of(from, &json::is_number)) return false;
  to = from.get<std::vector<double>>();
  return true;
}

const char* read(const json& from, DeclaredContract& to) {
  const bool whole = read_name(value_at(from, "algorithm"), kAlgorithmWords, to.algorithm) &&
                     !read(value_at(from, "min_accumulator"), to.min_accumulator) &&
                     read_name(value_at(from, "summation"), kSummationWords, to.summation) &&
                     read_count(value_at(from, "sum_block"), to.sum_block) &&
                     read_count(value_at(from, "winograd_m"), to.winograd_m) &&
                     read_count(value_at(from, "winograd_r"), to.winograd_r) &&
                     read_flag(value_at(from, "flushes_subnormals"), to.flushes_subnormals) &&
                     read_flag(value_at(from, "moves_tiles"), to.transforms.moves_tiles) &&
                     read_flag(value_at(from, "pairs_planes"), to.transforms.pairs_planes) &&
                     read_numbers(value_at(from, "points"), to.transforms.points) &&
                     read_bits(value_at(from, "operand_bits"), to.matrix_unit.operand_bits) &&
                     read_flag(value_at(from, "truncates"), to.matrix_unit.truncates);
  return whole ? nullptr : "an object with algorithm, min_accumulator and summation";
}

const char* read(const json& from, OutputValues& to) {
  const bool whole = !read(value_at(from, "got"), to.got) && !read(value_at(from, "expected"), to.expected);
  return whole ? nullptr : "an object with the arrays got and expected";
}

// ---- All fields -----------------------------------------------------------------------------------------------------

[[noreturn]] void throw_malformed(const char* key, const char* wanted) {
  throw UsageError(fmt::format("certificate, key '{}': missing or not {}", key, wanted));
}

/// What is not of its type stays absent after malformed(key, wanted).
template <class Malformed>
Certificate all_fields(const json& from, const Malformed& malformed) {
  Certificate certificate;
  visit(certificate, [&](const char* key, auto& field) {
    const auto found = from.find(key);
    if (found == from.end()) return;
    if (const char* wanted = read(*found, field.emplace())) {
      field.reset();
      malformed(key, wanted);
    }
  });
  return certificate;
}

}  // namespace

json to_json(const Certificate& certificate) {
  json result = json::object();
  visit(certificate, [&](const char* key, const auto& field) {
    if (field) result[key] = written(*field);
  });
  return result;
}

Certificate certificate_from_json(const json& from) {
  if (!from.is_object()) throw UsageError("certificate: not a JSON object");
  return all_fields(from, throw_malformed);
}

Certificate certificate_in(const json& document) {
  return all_fields(document, [](const char*, const char*) {});
}

void report_missing(const Certificate& certificate, const void* field) {
  visit(certificate, [&]<class T>(const char* key, const std::optional<T>& one) {
    if (T nothing; &one == field) throw_malformed(key, read(json(), nothing));
  });
  std::abort();  // it is a member
}

DeclaredContract declared(const convict_contract& contract, const Declarations& declarations) {
  const Transforms& transforms = declarations.transforms;
  const bool is_blocked = contract.summation == CONVICT_BLOCKED, is_winograd = contract.algorithm == CONVICT_WINOGRAD;
  const Transforms own = {is_winograd && transforms.moves_tiles,
                          contract.algorithm == CONVICT_FFT && transforms.pairs_planes,
                          is_winograd && has_points(transforms, contract.winograd_m, contract.winograd_r)
                              ? transforms.points
                              : std::vector<double>()};
  return {contract.algorithm,
          contract.min_accumulator,
          contract.summation,
          is_blocked ? contract.sum_block : 0,  // what says nothing of the arithmetic may be any number
          is_winograd ? contract.winograd_m : 0,
          is_winograd ? contract.winograd_r : 0,
          contract.flushes_subnormals != 0,
          own,
          contract.algorithm == CONVICT_DIRECT ? declarations.matrix_unit : MatrixUnit()};
}

std::string not_reproduced(const Certificate& certificate) {
  const std::optional<std::string>& seen = certificate.alone.seen;
  if (!seen) return "";
  const std::string how = is_unconfirmed(certificate) ? "not repeated, for want of time" : "not reproduced";
  return how + "; seen of " + *seen;
}

std::vector<std::string> lines_to_run(const Certificate::Alone& alone, const Case& c) {
  std::vector<std::string> lines = alone.before.value_or(std::vector<std::string>());
  lines.insert(lines.end(), static_cast<size_t>(std::max<int64_t>(alone.times.value_or(1), 1)), to_text(c));
  return lines;
}

convict_dtype default_accumulator(const Case& c) {
  const bool has_f64 = c.src_type == CONVICT_F64 || c.wei_type == CONVICT_F64 || c.dst_type == CONVICT_F64;
  return has_f64 ? CONVICT_F64 : CONVICT_F32;
}

}  // namespace convict::inline core
