// SPDX-License-Identifier: Apache-2.0
//
// A family of correct convolutions, in all passes, that differ in how they add up their products. Each declares the
// contract that is true for it, and no more. None may ever be found wrong.
#include <cstdio>
#include <exception>
#include <iterator>
#include <string>

#include "abi/validity.h"
#include "kernels/border/native.h"
#include "tests/honest/family/matrix_unit.h"
#include "tests/honest/family/sums.h"
#include "tests/honest/family/sums_by_value.h"

#ifndef CONVICT_HONEST_SUMS  // the build makes one module of each table: kF32, kF16, kBf16, kOnUnits
#define CONVICT_HONEST_SUMS kF32
#endif

namespace convict::honest::family {
namespace {

using SumOf = float (*)(const Terms&);

struct Member {
  const char *name, *description;
  convict_contract contract;
  SumOf sum;
  convict_matrix_unit unit = {0, 0};
  convict_dtype operands = {};  // of products, the only type that it takes; 0: any
};

constexpr convict_contract contract(convict_summation summation, int block = 0, convict_dtype sums = CONVICT_F32) {
  return {CONVICT_DIRECT, sums, 0, 0, 0, 1, summation, block, 1, 1};
}

constexpr convict_contract kFixed = contract(CONVICT_FIXED_ORDER), kAny = contract(CONVICT_ANY_ORDER),
                           kTree = contract(CONVICT_PAIRWISE);
constexpr convict_contract runs_of(int block) { return contract(CONVICT_BLOCKED, block); }

constexpr convict_contract with_flushing(convict_contract from) {
  from.flushes_subnormals = 1;
  return from;
}
constexpr convict_contract nondeterministic(convict_contract from) {
  from.deterministic = 0;
  return from;
}

using F = InF32;
using FlushedResults = Flushing<InF32, false>;
using FlushedOperands = Flushing<InF32, true>;

[[maybe_unused]] constexpr Member kF32[] = {
    {"forward", "one by one", kFixed, forward<F>},
    {"reversed", "from the last to the first", kFixed, reversed<F>},
    {"fused", "fused multiply-add", kFixed, fused<F>},
    {"shuffled", "in one random order", kFixed, shuffled<F>},
    {"even-then-odd", "even terms, then odd ones", kFixed, even_then_odd<F>},
    {"from-both-ends", "from both ends to the middle", kFixed, from_both_ends<F>},
    {"lanes-4", "4 lanes, one by one", kFixed, lanes<F, 4>},
    {"lanes-8-tree", "8 lanes, in a tree", kFixed, lanes_in_a_tree<F, 8>},
    {"lanes-16-fused", "16 lanes of fused multiply-add", kFixed, lanes<F, 16, true>},
    {"lanes-64-tree", "64 lanes, in a tree", kFixed, lanes_in_a_tree<F, 64>},
    {"shares-3", "3 threads with neighbouring terms", kFixed, shares<F, 3>},
    {"blocks-1", "runs of 1", runs_of(1), blocked<F, 1>},
    {"blocks-4", "runs of 4", runs_of(4), blocked<F, 4>},
    {"blocks-8-reversed", "runs of 8, each reversed", runs_of(8), blocked<F, 8, true>},
    {"blocks-32", "runs of 32", runs_of(32), blocked<F, 32>},
    {"blocks-128", "runs of 128", runs_of(128), blocked<F, 128>},
    {"blocks-1024", "runs of 1024", runs_of(1024), blocked<F, 1024>},
    {"blocks-twice-16", "runs of 16, their sums in runs of 16", runs_of(16), blocked_twice<F, 16>},
    {"balanced-blocks-64", "as many runs of nearly one length", runs_of(64), balanced_blocks<F, 64>},
    {"balanced-blocks-7", "as many runs of nearly one length", runs_of(7), balanced_blocks<F, 7>},
    {"ragged-runs-9", "runs of 1 to 9", kFixed, ragged_runs<F, 9>},
    {"ragged-runs-40", "runs of 1 to 40", kFixed, ragged_runs<F, 40>},
    {"halves", "halves, down to one term", kTree, pairwise<F, 1>},
    {"neighbours", "neighbours, then their sums", kTree, neighbours<F>},
    {"folded", "the upper half onto the lower one", kTree, folded<F>},
    {"halves-to-8", "halves, down to 8 terms", runs_of(8), pairwise<F, 8>},
    {"halves-to-128", "halves, down to 128 terms", runs_of(128), pairwise<F, 128>},
    {"in-f64", "products and sums in f64", kFixed, in_f64<F, false>},
    {"sums-in-f64", "rounded products, sums in f64", kFixed, in_f64<F, true>},
    {"emptied-16", "f32, into f64 after 16 terms", kFixed, emptied<F, double, 16>},
    {"emptied-when-large", "f32, into f64 above 8", kAny, emptied_when_large<F, double>},
    {"kahan", "compensated", kAny, kahan<F>},
    {"neumaier", "compensated by size", kAny, neumaier<F>},
    {"dot2", "errors of products and sums kept", kFixed, dot2<F>},
    {"ascending", "sorted", kAny, arranged<F, ascending>},
    {"descending", "sorted", kAny, arranged<F, descending>},
    {"smallest-first", "sorted by size", kAny, arranged<F, smallest_first>},
    {"largest-first", "sorted by size", kAny, arranged<F, largest_first>},
    {"positives-first", "positive terms first", kAny, arranged<F, positives_first>},
    {"negatives-first", "negative terms first", kAny, arranged<F, negatives_first>},
    {"signs-apart", "a sum for each sign", kAny, signs_apart<F>},
    {"cancelling", "always towards zero", kAny, arranged<F, cancelling>},
    {"two-smallest", "always the two smallest", kAny, two_smallest<F>},
    {"binned", "a sum for each exponent", kAny, binned<F, float>},
    {"binned-in-f64", "a sum in f64 for each exponent", kAny, binned<F, double>},
    {"without-zeros", "finite products with 0 left out", kAny, without_zeros<F>},
    {"at-random", "another order at each call", nondeterministic(kAny), arranged<F, at_random>},
    {"flushed-results", "subnormal results become 0", with_flushing(kFixed), forward<FlushedResults>},
    {"flushed-operands", "subnormal operands, too", with_flushing(kFixed), forward<FlushedOperands>},
    {"flushed-tree", "the same in a tree", with_flushing(kTree), pairwise<FlushedOperands, 1>},
    {"flushed-ascending", "the same, sorted", with_flushing(kAny), arranged<FlushedOperands, ascending>},
};

/// Sums kept in a type of 16 bits, for operands of that type.
template <class A, convict_dtype kType>
constexpr Member kNarrow[] = {
    {"forward", "one by one", contract(CONVICT_FIXED_ORDER, 0, kType), forward<A>},
    {"fused", "fused multiply-add", contract(CONVICT_FIXED_ORDER, 0, kType), fused<A>},
    {"lanes-8-tree", "8 lanes, in a tree", contract(CONVICT_FIXED_ORDER, 0, kType), lanes_in_a_tree<A, 8>},
    {"blocks-8", "runs of 8", contract(CONVICT_BLOCKED, 8, kType), blocked<A, 8>},
    {"balanced-blocks-32", "as many runs of nearly one length", contract(CONVICT_BLOCKED, 32, kType),
     balanced_blocks<A, 32>},
    {"ragged-runs-9", "runs of 1 to 9", contract(CONVICT_FIXED_ORDER, 0, kType), ragged_runs<A, 9>},
    {"halves", "halves, down to one term", contract(CONVICT_PAIRWISE, 0, kType), pairwise<A, 1>},
    {"emptied-16", "into f32 after 16 terms", contract(CONVICT_FIXED_ORDER, 0, kType), emptied<A, float, 16>},
    {"emptied-when-large", "into f32 above 8", contract(CONVICT_ANY_ORDER, 0, kType), emptied_when_large<A, float>},
    {"kahan", "compensated", contract(CONVICT_ANY_ORDER, 0, kType), kahan<A>},
    {"ascending", "sorted", contract(CONVICT_ANY_ORDER, 0, kType), arranged<A, ascending>},
    {"positives-first", "positive terms first", contract(CONVICT_ANY_ORDER, 0, kType), arranged<A, positives_first>},
    {"binned", "a sum for each exponent", contract(CONVICT_ANY_ORDER, 0, kType), binned<A, float>},
    {"flushed-operands", "no subnormal operand or result survives",
     with_flushing(contract(CONVICT_FIXED_ORDER, 0, kType)), forward<Flushing<A, true>>},
};

[[maybe_unused]] constexpr auto& kF16 = kNarrow<InF16, CONVICT_F16>;
[[maybe_unused]] constexpr auto& kBf16 = kNarrow<InBf16, CONVICT_BF16>;

using Tf32 = Unit<4, 0, 11>;  // a smaller number of bits more is a larger error
using Of16Bits4 = Unit<4, 0, 0>;
using Of16Bits8 = Unit<8, 1, 0>;
using Of16Bits16 = Unit<16, 2, 0>;
constexpr convict_matrix_unit kTf32 = {11, 1}, kShort = {11, 0}, kTruncating = {0, 1};

/// On matrix units of f32, for operands of one type; the last ones have a fault.
[[maybe_unused]] constexpr Member kOnUnits[] = {
    {"tf32-4", "blocks of 4", kFixed, on_unit<Tf32>, kTf32, CONVICT_F32},
    {"tf32-8", "blocks of 8, one bit more", kFixed, on_unit<Unit<8, 1, 11>>, kTf32, CONVICT_F32},
    {"tf32-nearest-4", "blocks of 4, rounded operands", kFixed, on_unit<Unit<4, 0, 11, true>>, kTf32, CONVICT_F32},
    {"tf32-in-runs", "begins anew after 32", runs_of(32), in_runs_on_unit<Tf32, 32>, kTf32, CONVICT_F32},
    {"tf32-plain", "truncated operands, sums in f32", kFixed, of_short_operands<11, false>, kShort, CONVICT_F32},
    {"tf32-plain-nearest", "rounded operands, sums in f32", kFixed, of_short_operands<11, true>, kShort, CONVICT_F32},
    {"f16-4", "blocks of 4", kFixed, on_unit<Of16Bits4>, kTruncating, CONVICT_F16},
    {"f16-8", "blocks of 8, one bit more", kFixed, on_unit<Of16Bits8>, kTruncating, CONVICT_F16},
    {"f16-16", "blocks of 16, two bits more", kFixed, on_unit<Of16Bits16>, kTruncating, CONVICT_F16},
    {"f16-two", "two units", kFixed, on_two_units<Of16Bits4>, kTruncating, CONVICT_F16},
    {"bf16-4", "blocks of 4", kFixed, on_unit<Of16Bits4>, kTruncating, CONVICT_BF16},
    {"bf16-8", "blocks of 8, one bit more", kFixed, on_unit<Of16Bits8>, kTruncating, CONVICT_BF16},
    {"bf16-two", "two units", kFixed, on_two_units<Of16Bits8>, kTruncating, CONVICT_BF16},
    {"lossy-tf32", "operands of 8 bits", kFixed, on_unit<Unit<4, 0, 8>>, kTf32, CONVICT_F32},
    {"lossy-tf32-drops", "without the last product", kFixed, without_the_last<Tf32>, kTf32, CONVICT_F32},
    {"lossy-f16-drops", "without the last product", kFixed, without_the_last<Of16Bits8>, kTruncating, CONVICT_F16},
    {"lossy-bf16-drops", "without the last product", kFixed, without_the_last<Of16Bits8>, kTruncating, CONVICT_BF16},
    {"lossy-f16", "sums of 14 bits", kFixed, on_unit<Unit<8, -10, 0>>, kTruncating, CONVICT_F16},
};

/// An implementation that knows which member it is; the ABI hands the base back as `self`.
struct Implementation : convict_implementation {
  const Member* member;
};

const char* unsupported(const convict_implementation* self, const convict_problem* p, const convict_tensors* t) {
  const OperandTypes types = types_of(*p, *t);
  if (invalid(*p) || invalid_types(*p, types)) return "not a legal problem";
  if (types.has_integers()) return "integers";
  if (kernels::border::presence_of(CONVICT_F64, *t).some) return "f64";
  const convict_dtype sums = self->contract.min_accumulator;
  if (sums != CONVICT_F32 && !kernels::border::presence_of(sums, *t).all) return "sums in this type are for its data";
  const convict_dtype operands = static_cast<const Implementation*>(self)->member->operands;
  for (const convict_tensor* one : {&t->src, &t->wei, &t->diff_dst})
    if (operands != convict_dtype{} && one->ndim > 0 && one->dtype != operands) return "operands of another type";
  return nullptr;
}

void compute(const Member& member, const convict_problem& p, const convict_tensors& t) {
  const Form form = trilinear<float>(p, t);
  for_each_output(form, [&](float& result, const Terms& terms) {
    result = member.sum(terms);
    if (p.relu && result < 0) result = 0;  // not NaN
  });
  for_each_diff_bias(form, [&](float& result, const Terms& terms) { result = member.sum(terms); });
}

convict_status run(const convict_implementation* self, const convict_problem* p, const convict_tensors* t, char* error,
                   size_t error_size) {
  try {
    const Member& member = *static_cast<const Implementation*>(self)->member;
    if (kernels::border::presence_of(CONVICT_F32, *t).all)
      compute(member, *p, *t);
    else
      kernels::border::widened(*p, *t, [&](const convict_tensors& wide) { compute(member, *p, wide); });
    return CONVICT_OK;
  } catch (const std::exception& e) {
    std::snprintf(error, error_size, "%s", e.what());
    return CONVICT_FAILED;
  }
}

/// What it is called, e.g. "f16:kahan".
std::string name_of(const Member& member) {
  const convict_dtype sums = member.contract.min_accumulator;
  return (sums == CONVICT_F32 ? "f32:" : sums == CONVICT_F16 ? "f16:" : "bf16:") + std::string(member.name);
}

}  // namespace
}  // namespace convict::honest::family

extern "C" const convict_plugin* convict_plugin_v1() {
  using namespace convict::honest::family;
  constexpr size_t kCount = std::size(CONVICT_HONEST_SUMS);
  static std::string names[kCount];
  static Implementation implementations[kCount];
  static const convict_implementation* all[kCount];
  for (size_t i = 0; i < kCount; ++i) {
    const Member& member = CONVICT_HONEST_SUMS[i];
    names[i] = name_of(member);
    implementations[i] = {
        {names[i].c_str(), member.description, "honest", member.contract, unsupported, run, nullptr, nullptr, nullptr},
        &member};
    all[i] = &implementations[i];
  }
  static const convict_plugin plugin = {CONVICT_ABI_VERSION, "1.0", kCount, all};
  return &plugin;
}

extern "C" const convict_matrix_unit* convict_matrix_unit_v1(const convict_implementation* self);
extern "C" const convict_matrix_unit* convict_matrix_unit_v1(const convict_implementation* self) {
  return &static_cast<const convict::honest::family::Implementation*>(self)->member->unit;
}
