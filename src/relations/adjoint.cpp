// SPDX-License-Identifier: Apache-2.0
//
// Each pass leaves another operand of one trilinear form open. The inner product with that operand gives one number:
// <conv(x, w) + b, y> = <x, backward_data(y, w)> + <b, diff_bias> = <w, backward_weights(x, y)> + <b, diff_bias>.
#include <algorithm>
#include <array>
#include <cmath>

#include "core/geometry.h"
#include "core/random.h"
#include "relations/shared/calls.h"

namespace convict::relations {
namespace {

constexpr convict_pass kPasses[] = {CONVICT_FORWARD, CONVICT_BACKWARD_DATA, CONVICT_BACKWARD_WEIGHTS};
constexpr const char* kNames[] = {"forward", "backward_data", "backward_weights"};

struct AdjointOperands {
  Array src, wei, diff_dst, bias;
};

/// Integers of {-2, -1, 1, 2}, a pure function of the coordinates. No zeros, because they could hide errors.
Array invented(convict_dtype type, std::vector<int64_t> dims, uint64_t role) {
  constexpr double kValues[] = {-2, -1, 1, 2};
  Array array{type, std::move(dims), {}};
  const int64_t count = element_count(array);
  for (int64_t n = 0; n < count; ++n) {
    uint64_t key = role;
    int64_t rest = n;
    for (size_t i = array.dims.size(); i-- > 0; rest /= array.dims[i])
      key = mix(key + kGoldenGamma * static_cast<uint64_t>(1 + rest % array.dims[i]));
    array.data.push_back(kValues[key >> 62]);
  }
  return array;
}

std::vector<int64_t> with_axes(int64_t first, int64_t second, const int64_t* extents, int rank) {
  std::vector<int64_t> dims = {first, second};
  dims.insert(dims.end(), extents, extents + rank);
  return dims;
}

/// The operands of the call. The one that its pass computes is invented.
AdjointOperands operands_of(const Call& call) {
  const convict_problem& p = call.problem;
  const auto side = sides(p);
  const convict_dtype type = call.output_type;
  AdjointOperands all{call.src, call.wei, call.diff_dst, call.bias};
  if (all.src.dims.empty()) all.src = invented(type, with_axes(p.batch, p.ic, p.in, p.rank), 1);
  if (all.wei.dims.empty())
    all.wei = invented(type, with_axes(side.y_channels, side.x_channels / p.groups, p.kernel, p.rank), 2);
  if (all.diff_dst.dims.empty()) all.diff_dst = invented(type, with_axes(p.batch, p.oc, p.out, p.rank), 3);
  if (p.has_bias && all.bias.dims.empty()) all.bias = invented(all.diff_dst.type, {p.oc}, 4);
  return all;
}

double largest(const Array& array) {
  double most = 0;
  for (const double value : array.data) most = std::max(most, std::abs(value));
  return most;
}

/// Whether all three passes, and the products of their results, are free of rounding.
bool is_exact(const Call& call, const AdjointOperands& all) {
  const double x = largest(all.src), w = largest(all.wei), y = largest(all.diff_dst), b = largest(all.bias);
  const double of_pass[] = {x * w, y * w, x * y};
  const double limit = call.output_type == CONVICT_F64 ? 0x1p53 : 0x1p24;  // consecutive integers end here
  convict_problem p = call.problem;
  double form = y * static_cast<double>(element_count(all.diff_dst));  // bounds every inner product
  for (size_t i = 0; i < std::size(kPasses); ++i) {
    p.pass = kPasses[i];
    if (of_pass[i] * static_cast<double>(most_terms(p)) + b > limit) return false;
    if (y * static_cast<double>(diff_bias_terms(p)) > limit) return false;
    if (p.pass == CONVICT_FORWARD) form *= x * w * static_cast<double>(most_terms(p)) + b;
  }
  return form <= 0x1p53;
}

double inner(const Array& a, const Array& b) {
  double total = 0;
  for (size_t i = 0; i < a.data.size(); ++i) total += a.data[i] * b.data[i];
  return total;
}

Call with_pass(const Call& call, convict_pass pass, const AdjointOperands& all) {
  Call other = call;
  other.problem.pass = pass;
  if (pass == CONVICT_BACKWARD_DATA) other.problem.has_bias = 0;
  other.src = pass == CONVICT_BACKWARD_DATA ? Array{} : all.src;
  other.wei = pass == CONVICT_BACKWARD_WEIGHTS ? Array{} : all.wei;
  other.diff_dst = pass == CONVICT_FORWARD ? Array{} : all.diff_dst;
  other.bias = pass == CONVICT_FORWARD ? all.bias : Array{};
  return other;
}

const char* unsuited(const Call& call) {
  const bool has_diff_bias = call.problem.has_bias != 0 && !call.diff_dst.dims.empty();  // it has the type of diff_dst
  if (!keeps_sums(call.output_type) || (has_diff_bias && !keeps_sums(call.diff_dst.type)))
    return "16-bit results do not add up";
  if (!is_exact(call, operands_of(call))) return "another pass would round";
  return too_large(call.problem);
}

/// Describes that the three numbers differ. If two agree, the third is wrong. `got` is that of the original pass.
Violation contradiction(const std::array<double, 3>& products, convict_pass original) {
  const auto own = static_cast<size_t>(original) - 1;
  const size_t next = (own + 1) % 3, last = (own + 2) % 3;
  size_t odd = 3;
  for (size_t i = 0; i < 3; ++i)
    if (products[(i + 1) % 3] == products[(i + 2) % 3]) odd = i;
  std::string text = "the form closed with the result of each pass: ";
  text += odd < 3 ? std::string(kNames[odd]) + " stands alone" : "all three differ";
  return {text, {}, products[own], products[own] == products[next] ? products[last] : products[next]};
}

std::optional<Violation> check(const Call& call, Runner& runner) {
  const AdjointOperands all = operands_of(call);
  std::array<double, 3> products{};
  double bias = 0;
  for (const convict_pass pass : kPasses) {
    const std::optional<Results> results = runner.run(with_pass(call, pass, all));
    if (!results) return std::nullopt;
    const Array& closing = pass == CONVICT_FORWARD ? all.diff_dst : pass == CONVICT_BACKWARD_DATA ? all.src : all.wei;
    products[static_cast<size_t>(pass) - 1] = inner(results->main, closing);
    if (!results->diff_bias.dims.empty()) bias = inner(results->diff_bias, all.bias);
  }
  products[CONVICT_BACKWARD_DATA - 1] += bias;
  products[CONVICT_BACKWARD_WEIGHTS - 1] += bias;
  if (products[0] == products[1] && products[1] == products[2]) return std::nullopt;
  return contradiction(products, call.problem.pass);
}

}  // namespace

extern const Relation relation_adjoint = {
    "adjoint", "the three passes are adjoint: <conv(x,w),y> = <x,backward_data(y,w)> = <w,backward_weights(x,y)>", true,
    unsuited, check};

}  // namespace convict::relations
