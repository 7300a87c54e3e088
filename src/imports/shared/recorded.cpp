// SPDX-License-Identifier: Apache-2.0
#include "imports/shared/recorded.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "abi/element.h"
#include "core/geometry.h"
#include "core/layout.h"
#include "core/names.h"
#include "judge/bounds.h"
#include "judge/compare.h"
#include "judge/reference.h"

namespace convict::imports {
namespace {

constexpr double kMostMultiplyAdds = 3e8;  // a few seconds
constexpr size_t kMostExamples = 3;

std::vector<std::byte> packed(const relations::Array& from) {
  std::vector<std::byte> bytes(from.data.size() * type_size(from.type));
  with_type(from.type, [&](auto zero) {
    for (size_t i = 0; i < from.data.size(); ++i) {
      const auto element = element_of<decltype(zero)>(from.data[i]);
      std::memcpy(bytes.data() + i * sizeof element, &element, sizeof element);
    }
  });
  return bytes;
}

/// The in-bounds products of the element of dst at these coordinates.
template <class W>
int64_t products_at(const judge::Expected<W>& expected, const int64_t* at) {
  int64_t lifted[kAxes] = {};
  const int ndim = expected.tensor->ndim;
  for (int dim = 2; dim < ndim; ++dim) lifted[kAxes - ndim + dim] = at[dim];
  return expected.products(lifted[0], lifted[1], lifted[2]);
}

/// A non-finite exact value must be matched exactly, because an infinite bound proves nothing.
template <class W>
void compare_elements(const convict_problem& p, const convict_tensors& tensors, const judge::Arithmetic& arithmetic,
                      RecordedOutput& result) {
  const std::vector<judge::Expected<W>> outputs = compute_reference<W>(p, tensors, judge::Detail::kMagnitudes);
  const judge::Expected<W>& expected = outputs.front();
  judge::Rule rule;
  rule.kind = judge::Rule::Kind::kBound;
  rule.arithmetic = arithmetic;
  with_type(tensors.dst.dtype, [&](auto zero) {
    size_t index = 0;
    for_each_element<decltype(zero)>(tensors.dst, [&](const auto& element, const int64_t* at) {
      const size_t i = index++;
      const auto got = static_cast<double>(number(element));
      const auto exact = static_cast<double>(expected.value[i]);
      const double bound = judge::direct_bound(arithmetic, judge::sum_of(expected, i, products_at(expected, at), rule),
                                               judge::unit_roundoff<W>());
      const auto error = static_cast<double>(std::abs(static_cast<W>(got) - expected.value[i]));
      const bool same = std::isnan(exact) ? std::isnan(got) : got == exact;
      ++result.elements;
      if (same || (std::isfinite(exact) && error <= bound)) {
        if (!same && std::isfinite(bound)) result.worst = std::max(result.worst, error / bound);
        return;
      }
      ++result.wrong;
      if (result.examples.size() < kMostExamples)
        result.examples.push_back({{at, at + tensors.dst.ndim}, got, exact, bound});
    });
  });
}

}  // namespace

RecordedOutput compare_recorded(const Case& c, const std::string& origin, const relations::Array& x,
                                const relations::Array& w, const relations::Array& bias,
                                const relations::Array& output) {
  const convict_problem p = resolve_valid(c);
  if (multiply_adds(p) > kMostMultiplyAdds)
    throw NotExpressible(fmt::format("recorded output: {:.0f} multiply-adds, not compared", multiply_adds(p)));
  if (output.type != c.dst_type || (c.bias && bias.type != c.dst_type))
    throw NotExpressible("recorded output: it, or the bias, is of another type than X");
  RecordedOutput result;
  result.origin = origin;
  result.c = c;
  convict_tensors tensors = describe_tensors(c, p);
  const std::vector<int64_t> dims(tensors.dst.dims, tensors.dst.dims + tensors.dst.ndim);
  if (output.dims != dims) {
    result.wrong_shape = fmt::format("{}, not {}", fmt::join(output.dims, "x"), fmt::join(dims, "x"));
    return result;
  }
  if (c.bias && bias.dims != std::vector<int64_t>{c.oc})
    throw NotExpressible(fmt::format("malformed tensor: a bias of {} elements", bias.data.size()));
  std::vector<std::byte> src = packed(x), wei = packed(w), addend = packed(bias), dst = packed(output);
  tensors.src.data = src.data();
  tensors.wei.data = wei.data();
  if (c.bias) tensors.bias.data = addend.data();
  tensors.dst.data = dst.data();
  convict_contract contract{};
  contract.min_accumulator = c.dst_type;
  const judge::Arithmetic arithmetic = judge::arithmetic_of(contract, c.src_type, c.wei_type, c.dst_type);
  if (c.src_type == CONVICT_F64 || c.wei_type == CONVICT_F64)
    compare_elements<long double>(p, tensors, arithmetic, result);
  else
    compare_elements<double>(p, tensors, arithmetic, result);
  return result;
}

}  // namespace convict::imports
