// SPDX-License-Identifier: Apache-2.0
#include "fill/given_data.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <span>
#include <vector>

#include "abi/element.h"
#include "core/case_text.h"
#include "core/error.h"
#include "core/geometry.h"
#include "core/layout.h"
#include "core/names.h"
#include "core/role.h"
#include "core/text.h"

namespace convict::fill {
namespace {

/// How NumPy spells our types, the one to ask for first. It has no bf16: its bits come as integers, or as the package
/// ml_dtypes saves them.
std::vector<std::string_view> spellings(convict_dtype type) {
  switch (type) {
    case CONVICT_F64: return {"<f8"};
    case CONVICT_F16: return {"<f2"};
    case CONVICT_BF16: return {"<u2", "<V2", "|V2"};
    case CONVICT_S8: return {"|i1"};
    case CONVICT_U8: return {"|u1"};
    case CONVICT_S16: return {"<i2"};
    case CONVICT_S32: return {"<i4"};
    case CONVICT_S64: return {"<i8"};
    case CONVICT_F32: break;
  }
  return {"<f4"};
}

/// An operand that may be given, and the name that an array has for it.
struct WantedArray {
  convict_tensor convict_tensors::*tensor;
  std::vector<std::string> names;
};

/// The operands that the pass reads: its inputs and, with beta, the old contents of its main output.
std::vector<WantedArray> wanted_by(const convict_problem& p, const convict_tensors& tensors) {
  std::vector<WantedArray> list;
  for (const Role& role : kRoles) {
    const convict_tensor& tensor = tensors.*role.tensor;
    const bool is_output = role.is_output[p.pass];
    if (tensor.ndim == 0 || (is_output && (p.beta == 0 || role.tensor == &convict_tensors::diff_bias))) continue;
    std::vector<std::string> names = {std::string(role.name) + (is_output ? "_old" : "")};
    if (role.tensor == &convict_tensors::wei) names.insert(names.end(), {"weights", "weight"});
    list.push_back({role.tensor, std::move(names)});
  }
  return list;
}

/// "f32 of 1x3x8x8 (<f4)".
std::string described(const convict_tensor& tensor) {
  return fmt::format("{} of {} ({})", type_name(tensor.dtype), fmt::join(tensor.dims, tensor.dims + tensor.ndim, "x"),
                     spellings(tensor.dtype).front());
}

bool fits(const NpyArray& array, const convict_tensor& tensor) {
  const auto types = spellings(tensor.dtype);
  return std::ranges::find(types, array.type) != types.end() &&
         std::ranges::equal(array.shape, std::span(tensor.dims, static_cast<size_t>(tensor.ndim)));
}

/// Calls visit(element) for every element of a floating-point array.
template <class Visit>
void for_each_number(const NpyArray& array, convict_dtype type, const Visit& visit) {
  with_type(type, [&](auto zero) {
    using T = decltype(zero);
    for (size_t at = 0; at + sizeof(T) <= array.bytes.size(); at += sizeof(T)) {
      T element;
      std::memcpy(&element, array.bytes.data() + at, sizeof element);
      visit(static_cast<double>(number(element)));
    }
  });
}

/// What the ABI asks of the numbers of an operand; empty if they are right.
std::string_view wrong_numbers(const NpyArray& array, const WantedArray& wanted, const convict_problem& p) {
  const bool is_multiplier = wanted.tensor == &convict_tensors::multiplier,
             is_shift = wanted.tensor == &convict_tensors::shift, is_scale = wanted.tensor == &convict_tensors::scale;
  bool wrong = false;
  if (is_multiplier) for_each_number(array, CONVICT_S32, [&](double value) { wrong |= value < 0; });
  if (wrong) return "has a number below 0; valid: 0 to 2147483647";
  const bool is_wide = p.requantization != CONVICT_NO_REQUANTIZATION && p.clamp_high > 255;
  const double most = is_wide ? 7 : 30;
  if (is_shift) for_each_number(array, CONVICT_S32, [&](double value) { wrong |= value < -31 || value > most; });
  if (wrong)
    return is_wide ? "has a shift that is not valid; valid: -31 to 7"
                   : "has a shift that is not valid; valid: -31 to 30";
  if (is_scale) for_each_number(array, CONVICT_F32, [&](double value) { wrong |= !(value > 0) || std::isinf(value); });
  return wrong ? "has a number that is not positive" : "";
}

}  // namespace

const NpyArray* GivenData::find(const std::vector<std::string>& names) const {
  for (const std::string& name : names)
    if (const auto found = arrays_.find(name); found != arrays_.end()) return &found->second;
  return nullptr;
}

void GivenData::check(const Case& c) const {
  const convict_problem p = resolve_valid(c);
  const convict_tensors tensors = describe_tensors(c, p);
  std::string all;
  bool some = false;
  for (const WantedArray& one : wanted_by(p, tensors)) {
    const convict_tensor& tensor = tensors.*one.tensor;
    all += fmt::format("{}{}: {}", all.empty() ? "" : ", ", one.names.front(), described(tensor));
    const NpyArray* array = find(one.names);
    if (!array) continue;
    some = true;
    const auto refuse = [&](std::string_view why) {
      throw UsageError(fmt::format("--data: array '{}' {}", one.names.front(), why));
    };
    if (!fits(*array, tensor))
      refuse(fmt::format("is {} of {}; valid for '{}': {}", array->type, fmt::join(array->shape, "x"), to_text(c),
                         described(tensor)));
    if (const std::string_view why = wrong_numbers(*array, one, p); !why.empty()) refuse(why);
  }
  if (!some)
    throw UsageError(
        fmt::format("--data: '{}' has no operand of '{}'; valid: {}", printable(path_, 300), to_text(c), all));
}

Case GivenData::case_for(Case c) const {
  const convict_problem p = resolve(c).problem;
  const convict_tensors tensors = describe_tensors(c, p);
  bool finite = true;
  for (const WantedArray& one : wanted_by(p, tensors)) {
    const convict_tensor& tensor = tensors.*one.tensor;
    const NpyArray* array = find(one.names);
    if (array && fits(*array, tensor) && !is_integer(tensor.dtype))
      for_each_number(*array, tensor.dtype, [&](double value) { finite &= std::isfinite(value); });
  }
  c.fill = finite ? Fill::kNormal : Fill::kSpecial;
  return c;
}

void GivenData::place(const convict_problem& p, const convict_tensors& tensors) const {
  for (const WantedArray& one : wanted_by(p, tensors)) {
    const convict_tensor& tensor = tensors.*one.tensor;
    const NpyArray* array = find(one.names);
    if (!array || !fits(*array, tensor)) continue;
    with_type(tensor.dtype, [&](auto zero) {
      using T = decltype(zero);
      const char* from = array->bytes.data();
      for_each_element<T>(tensor, [&](T& element, const int64_t*) {
        std::memcpy(&element, from, sizeof element);
        from += sizeof element;
      });
    });
  }
}

}  // namespace convict::fill
