// SPDX-License-Identifier: Apache-2.0
//
// Calls in the words of the trilinear form (abi/trilinear.h): X is src of conv and dst of conv_transpose, Y the other,
// W the weights [y channel of all groups][x channel of the group][taps]. A law over X, W and Y covers both ops and all
// passes: a change of operands is applied to the given ones before the call, and undone on the computed one.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "abi/trilinear.h"
#include "relations/relation.h"

namespace convict::relations {

// Operations of relations on operands: cut, join, flip, stuff, permute. An array without dimensions stands for an
// operand that the call does not have. No operation changes it, so a law reads the same for every pass.

int64_t element_count(const Array& array);

/// Positions [begin, end) of dimension `dim`. Positions beyond either end of the array are zeros.
Array part(const Array& array, int dim, int64_t begin, int64_t end);

/// The array reversed along `dim`.
Array flipped(const Array& array, int dim);

/// Puts `step` - 1 zeros between neighbours along `dim`, none at the ends: extent n becomes (n - 1) * step + 1.
Array stuffed(const Array& array, int dim, int64_t step);

/// Every `step`-th position along `dim`, from the first on. Undoes stuffed().
Array thinned(const Array& array, int dim, int64_t step);

/// Concatenates `parts` along `dim`. Precondition: at least one part; other dimensions and types are the same.
Array joined(std::span<const Array> parts, int dim);

/// Dimension i of the result is dimension order[i] of the array.
Array permuted(const Array& array, std::span<const int> order);

/// The same elements in row-major order under other dimensions. Precondition: as many elements.
Array reshaped(const Array& array, std::vector<int64_t> dims);

/// The sum by element; exact for integers below 2^53. Precondition: the same dimensions.
Array sum(const Array& a, const Array& b);
Array times(const Array& array, double factor);

constexpr int kSpatialDims = 2;  // dimension kSpatialDims + i of every operand but the bias belongs to axis i

inline Face face_of(const Call& call) { return abi::face_of(call.problem.op, call.problem.pass); }

/// X and Y of the call. The array of a computed operand is empty.
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

/// Whether condition(axis) holds for some axis of the call.
template <class Condition>
bool any_axis(const Call& call, const Condition& condition) {
  for (int axis = 0; axis < call.problem.rank; ++axis)
    if (condition(axis)) return true;
  return false;
}

/// Sets end padding and output padding of a problem to what its other fields, both extents included, imply; the form
/// does not have these two. Of several solutions, takes the least end padding that is not negative.
void fit(convict_problem& p);

/// Why a law does not use this problem, which it has enlarged: the call would take too long. Else nullptr.
const char* too_large(const convict_problem& p);

/// Whether sums of results equal sums of exact values. 16-bit types round each result, so theirs do not.
constexpr bool keeps_sums(convict_dtype type) { return type == CONVICT_F32 || type == CONVICT_F64; }

/// The first element that differs; -0 equals 0, and NaN equals NaN. Precondition: the same dimensions.
std::optional<Violation> difference(const Array& got, const Array& expected, std::string text);

/// The first element that differs in `main` or, if both have one, in `diff_bias`.
std::optional<Violation> difference(const Results& got, const Results& expected, const std::string& text);

/// Turns the results of another call into the expected results of the original.
using Back = std::function<void(Results&)>;

/// Runs `other`, and compares the results of the original call with its results.
std::optional<Violation> differs(const Results& original, const Call& other, Runner& runner, const std::string& text,
                                 const Back& back);

/// Runs both calls, and compares their results.
std::optional<Violation> differs(const Call& original, const Call& other, Runner& runner, const std::string& text,
                                 const Back& back);

}  // namespace convict::relations
