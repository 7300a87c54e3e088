// SPDX-License-Identifier: Apache-2.0
#include "judge/rule.h"

#include <cmath>

namespace convict::judge {
namespace {

/// Roundings are taken for independent and of mean zero only where n*u, the growth of a sum by them, is at most this.
/// 16-bit sums of many terms stagnate: their errors all have one sign.
constexpr double kMostGrowth = 0x1p-4;

template <class W>
class Allowing {
 public:
  Allowing(const Expected<W>& expected, const Rule& rule)
      : expected_(expected),
        rule_(rule),
        arithmetic_(rule.arithmetic_for(*expected.tensor)),
        transformed_(expected.tensor->ndim > 1 && !rule.transform_bounds.empty()),
        unit_(std::max(arithmetic_.u_sum, arithmetic_.u_out)) {}

  Allowance run() {
    result_.bound.assign(expected_.value.size(), 0);
    result_.unit.assign(expected_.value.size(), kInfinity);
    for_each_position(expected_, [&](size_t index, int64_t n) {
      if (std::isfinite(static_cast<double>(expected_.value[index]))) allow(index, n);
    });
    return std::move(result_);
  }

 private:
  void allow(size_t index, int64_t n) {
    const Sum sum = sum_of(expected_, index, n, rule_);
    const bool cut_off = is_cut_off(expected_, index);
    double bound = transformed_ ? transformed_bound(arithmetic_, sum, rule_.transform_bounds[index], unit_roundoff<W>())
                                : direct_bound(arithmetic_, sum, unit_roundoff<W>());
    if (cut_off) bound = std::max(0.0, bound + sum.exact);  // a ReLU leaves of an error what reaches above zero
    result_.bound[index] = bound;
    if (n == 0 || cut_off) return;
    // Where an infinity may be right, a product that is lost is not seen.
    const bool hidden = !(sum.magnitude < arithmetic_.overflow_sum / 4) && may_overflow(arithmetic_, sum);
    note(index, static_cast<double>(n), sum.magnitude, hidden ? kInfinity : bound);
  }

  void note(size_t index, double n, double magnitude, double bound) {
    ++result_.with_terms;
    if (magnitude > 0 && std::isfinite(bound)) {
      const double fault = bound * n / magnitude;
      result_.smallest_fault = std::min(result_.smallest_fault.value_or(fault), fault);
    }
    if (magnitude / n <= bound) ++result_.blind;
    // Units are about the errors of plain sums, without a matrix unit, and of few roundings.
    if (rule_.transform_bounds.empty() && arithmetic_.unit == UnitLosses() && n * arithmetic_.u_sum <= kMostGrowth)
      result_.unit[index] = unit_ * std::sqrt(n) * magnitude;
  }

  const Expected<W>& expected_;
  const Rule& rule_;
  const Arithmetic& arithmetic_;
  const bool transformed_;
  const double unit_;
  Allowance result_;
};

}  // namespace

template <class W>
Allowance allowance_of(const Expected<W>& expected, const Rule& rule) {
  return Allowing(expected, rule).run();
}

template <class W>
const Allowance& Allowances<W>::of(const Expected<W>& output, const Rule& rule) {
  if (!rule.transform_bounds.empty()) return latest_ = allowance_of(output, rule);
  const Arithmetic& arithmetic = rule.arithmetic_for(*output.tensor);
  const auto found = std::ranges::find_if(kept_, [&](const Kept& one) {
    return one.output == &output && one.arithmetic == arithmetic && one.subnormal == rule.subnormal &&
           one.flushed == rule.flushed && one.unit == rule.unit;
  });
  if (found != kept_.end()) return found->allowance;
  kept_.push_back({&output, arithmetic, rule.subnormal, rule.flushed, rule.unit, allowance_of(output, rule)});
  return kept_.back().allowance;
}

template Allowance allowance_of(const Expected<double>&, const Rule&);
template Allowance allowance_of(const Expected<long double>&, const Rule&);
template class Allowances<double>;
template class Allowances<long double>;

}  // namespace convict::judge
