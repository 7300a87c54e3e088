// SPDX-License-Identifier: Apache-2.0
#include "relations/shared/split.h"

#include <utility>

namespace convict::relations {
namespace {

int dimension_in_result(const Call& call, const Index& index) {
  switch (face_of(call)) {
    case Face::kX: return index.in_x;
    case Face::kW: return index.in_w;
    case Face::kY: return index.in_y;
  }
  return -1;
}

/// Whether the index enumerates elements of diff_dst, which diff_bias sums up.
bool is_in_diff_dst(const Call& call, const Index& index) {
  return (call.problem.op == CONVICT_CONV ? index.in_y : index.in_x) >= 0;
}

Array cut(const Array& array, int dim, const Index& index, int64_t begin, int64_t end) {
  if (dim < 0 || array.dims.empty()) return array;
  const int64_t unit = array.dims[static_cast<size_t>(dim)] / index.extent;
  return part(array, dim, begin * unit, end * unit);
}

/// The call for [begin, end) of the index. A bias is added once.
Call restricted(const Call& call, const Index& index, int64_t begin, int64_t end) {
  Call piece = call;
  index.slice(piece.problem, begin, end);
  x_of(piece) = cut(x_of(call), index.in_x, index, begin, end);
  piece.wei = cut(call.wei, index.in_w, index, begin, end);
  y_of(piece) = cut(y_of(call), index.in_y, index, begin, end);
  if (index.in_bias) piece.bias = cut(call.bias, 0, index, begin, end);
  if (call.problem.pass == CONVICT_FORWARD && is_summed(call, index) && begin > 0) {
    piece.problem.has_bias = 0;
    piece.bias = {};
  }
  return piece;
}

Array summed(std::span<const Array> parts) {
  Array total = parts.front();
  for (const Array& one : parts.subspan(1)) total = sum(total, one);
  return total;
}

/// The diff_bias of the whole; empty where there is none, or rounding hides it.
Array whole_diff_bias(const Call& call, const Index& index, std::span<const Array> parts) {
  if (parts.front().dims.empty()) return {};
  if (index.in_bias) return joined(parts, 0);
  if (!is_in_diff_dst(call, index)) return parts.front();
  return keeps_sums(parts.front().type) ? summed(parts) : Array{};
}

std::string text_of(const Call& call, const Index& index, std::span<const int64_t> begins) {
  std::string text = is_summed(call, index) ? "the sum over " : "the results of ";
  text += index.name + " ranges from ";
  for (size_t i = 0; i < begins.size(); ++i) text += (i == 0 ? "" : ", ") + std::to_string(begins[i]);
  return text;
}

}  // namespace

bool is_summed(const Call& call, const Index& index) { return dimension_in_result(call, index) < 0; }

Index x_channel_index(const Call& call) {
  const bool is_conv = call.problem.op == CONVICT_CONV;
  const auto slice = [](convict_problem& p, int64_t begin, int64_t end) { sides(p).x_channels = end - begin; };
  return {is_conv ? "src channel" : "dst channel", sides(call.problem).x_channels, 1, 1, -1, !is_conv, slice};
}

Index y_channel_index(const Call& call) {
  const bool is_conv = call.problem.op == CONVICT_CONV;
  const auto slice = [](convict_problem& p, int64_t begin, int64_t end) { sides(p).y_channels = end - begin; };
  return {is_conv ? "dst channel" : "src channel", sides(call.problem).y_channels, -1, 0, 1, is_conv, slice};
}

std::vector<int64_t> cuts_of(const Index& index) {
  constexpr int64_t kFew = 8;
  if (index.extent > kFew) return {0, 1, index.extent / 2, index.extent - 1};
  std::vector<int64_t> begins;
  for (int64_t i = 0; i < index.extent; ++i) begins.push_back(i);
  return begins;
}

std::optional<Violation> differs_from_parts(const Results& whole, const Call& call, const Index& index,
                                            std::span<const int64_t> begins, Runner& runner) {
  std::vector<Array> mains, diff_biases;
  for (size_t i = 0; i < begins.size(); ++i) {
    const int64_t end = i + 1 < begins.size() ? begins[i + 1] : index.extent;
    std::optional<Results> one = runner.run(restricted(call, index, begins[i], end));
    if (!one) return std::nullopt;
    mains.push_back(std::move(one->main));
    diff_biases.push_back(std::move(one->diff_bias));
  }
  Results expected;
  expected.main = is_summed(call, index) ? summed(mains) : joined(mains, dimension_in_result(call, index));
  expected.diff_bias = whole_diff_bias(call, index, diff_biases);
  return difference(whole, expected, text_of(call, index, begins));
}

}  // namespace convict::relations
