// SPDX-License-Identifier: Apache-2.0
//
// Calls in the words of the trilinear form (abi/trilinear.h): X is src of conv and dst of conv_transpose, Y the other,
// W the weights [y channel of all groups][x channel of the group][taps]. A law written over X, W and Y covers both ops
// and all passes: what is done to an operand is done to the given ones before the call, and undone on the computed one.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "abi/trilinear.h"
#include "relations/relation.h"
#include "relations/shared/arrays.h"

namespace convict::relations {

constexpr int kSpatialDims = 2;  // dimension kSpatialDims + i of every operand but the bias belongs to axis i

inline Face face_of(const Call& call) { return abi::face_of(call.problem.op, call.problem.pass); }

/// The operands, whose arrays are empty where they are computed.
inline Array& x_of(Call& call) { return call.problem.op == CONVICT_CONV ? call.src : call.diff_dst; }
inline Array& y_of(Call& call) { return call.problem.op == CONVICT_CONV ? call.diff_dst : call.src; }
inline const Array& x_of(const Call& call) { return call.problem.op == CONVICT_CONV ? call.src : call.diff_dst; }
inline const Array& y_of(const Call& call) { return call.problem.op == CONVICT_CONV ? call.diff_dst : call.src; }

/// The fields of a problem that belong to X and Y.
template <class Number>
struct Sides {
  Number &x_channels, &y_channels;  // of all groups
  Number *x, *y;                    // extents by axis
};

inline Sides<int64_t> sides(convict_problem& p) {
  return p.op == CONVICT_CONV ? Sides<int64_t>{p.ic, p.oc, p.in, p.out} : Sides<int64_t>{p.oc, p.ic, p.out, p.in};
}
inline Sides<const int64_t> sides(const convict_problem& p) {
  return p.op == CONVICT_CONV ? Sides<const int64_t>{p.ic, p.oc, p.in, p.out}
                              : Sides<const int64_t>{p.oc, p.ic, p.out, p.in};
}

/// Whether condition(axis) holds for some axis that the call has.
template <class Condition>
bool any_axis(const Call& call, const Condition& condition) {
  for (int axis = 0; axis < call.problem.rank; ++axis)
    if (condition(axis)) return true;
  return false;
}

/// Sets the end padding and the output padding of a problem to what its other fields, both extents included, imply;
/// the form does not know these two. Where there is a choice, the end padding is not negative, and then the least.
void fit(convict_problem& p);

/// Why no relation looks at this call: an operand or the result has no elements. Else nullptr.
const char* empty(const Call& call);

/// Why the law is not tried on this problem, whose operands it made larger: it would take too long. Else nullptr.
const char* too_large(const convict_problem& p);

/// Whether sums of results are those of the exact values: a 16-bit type rounds each result on its own.
constexpr bool keeps_sums(convict_dtype type) { return type == CONVICT_F32 || type == CONVICT_F64; }

/// The first element in which the two differ; -0 is 0, and NaN is NaN. Precondition: the same dimensions.
std::optional<Violation> difference(const Array& got, const Array& expected, std::string text);

/// The same for main and, where both have one, diff_bias.
std::optional<Violation> difference(const Results& got, const Results& expected, const std::string& text);

/// Turns the results of another call into what those of the original should be.
using Back = std::function<void(Results&)>;

/// Runs `other` and holds the results of the original call against it.
std::optional<Violation> differs(const Results& original, const Call& other, Runner& runner, const std::string& text,
                                 const Back& back);

/// Runs both.
std::optional<Violation> differs(const Call& original, const Call& other, Runner& runner, const std::string& text,
                                 const Back& back);

}  // namespace convict::relations
