// SPDX-License-Identifier: Apache-2.0
//
// Runs an implementation of honest.so, or a native kernel, on one forward conv: its results, the exact results, and the
// bounds of its contract.
#pragma once

#include <algorithm>
#include <cmath>
#include <functional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "abi/element.h"
#include "abi/native_kernel.h"
#include "core/case_text.h"
#include "core/geometry.h"
#include "core/layout.h"
#include "core/random.h"
#include "judge/bounds.h"
#include "judge/transform_bounds.h"
#include "run/guarded_call.h"
#include "run/loader.h"

namespace convict::honest {

inline const convict_implementation& named(std::string_view name) {
  for (const run::Subject& one : run::load_plugin(CONVICT_TEST_PLUGINS "/honest.so"))
    if (one.implementation->name == name) return *one.implementation;
  for (const convict_implementation* one : native_kernels())
    if (one->name == name) return *one;
  throw std::runtime_error("no implementation " + std::string(name));
}

/// What an implementation of honest.so declares of its transforms; nothing for a native kernel.
inline Transforms transforms_of(const convict_implementation& who) {
  for (const run::Subject& one : run::load_plugin(CONVICT_TEST_PLUGINS "/honest.so"))
    if (one.implementation == &who) return one.declarations.transforms;
  return {};
}

/// Draws one element.
using Draw = std::function<double(Random&)>;

inline double normal(Random& random) {
  double sum = 0;
  for (int i = 0; i < 12; ++i) sum += static_cast<double>(random.bits() >> 11) * 0x1p-53;
  return sum - 6;
}

inline double positive(Random& random) { return 0.5 + static_cast<double>(random.bits() >> 11) * 0x1p-53; }

/// Around the smallest normal f32, on both sides.
inline double tiny(Random& random) { return std::ldexp(normal(random), -126 - static_cast<int>(random.below(12))); }

/// A forward conv with its data, and its outputs computed in double.
class Trial {
 public:
  Trial(const Case& c, const Draw& src, const Draw& wei, uint64_t seed) : case_(c), problem_(resolve_valid(c)) {
    const convict_tensors described = describe_tensors(c, problem_);
    memory_.place(problem_, described, true);
    form_ = trilinear<double>(problem_, described);
    Random random(seed, 0);
    x_ = filled(memory_.ours().src, src, random);
    w_ = filled(memory_.ours().wei, wei, random);
    if (c.bias) bias_ = filled(memory_.ours().bias, src, random);
    sum_up();
  }

  /// What it computes, in logical order.
  std::vector<double> computed(const convict_implementation& implementation) {
    const char* reason = implementation.unsupported(&implementation, &problem_, &memory_.ours());
    if (reason) throw std::runtime_error(to_text(case_) + ": " + reason);
    const Outcome outcome = run::call_guarded(implementation, {}, 0, problem_, memory_, record_);
    if (outcome.kind != Outcome::Kind::kComputed) throw std::runtime_error(outcome.text);
    std::vector<double> values;
    with_type(case_.dst_type, [&](auto zero) {
      for_each_element<decltype(zero)>(memory_.ours().dst,
                                       [&](auto& element, const int64_t*) { values.push_back(number(element)); });
    });
    return values;
  }

  /// The bounds by contract.
  std::vector<double> bounds(const convict_contract& contract, const Transforms& transforms = {}) const {
    const judge::Arithmetic arithmetic = judge::arithmetic_of(contract, case_.src_type, case_.wei_type, case_.dst_type);
    std::vector<double> transform;
    if (contract.algorithm == CONVICT_WINOGRAD &&
        judge::winograd_applies(form_, contract.winograd_m, contract.winograd_r))
      transform =
          judge::winograd_bounds(form_, x_, w_, {}, contract.winograd_m, contract.winograd_r, arithmetic, transforms);
    if (contract.algorithm == CONVICT_FFT) transform = judge::fft_bounds(form_, x_, w_, {}, arithmetic, transforms);
    std::vector<double> result;
    for (size_t i = 0; i < sums_.size(); ++i)
      result.push_back(transform.empty() ? judge::direct_bound(arithmetic, sums_[i], 0x1p-53)
                                         : judge::transformed_bound(arithmetic, sums_[i], transform[i], 0x1p-53));
    return result;
  }

  const std::vector<judge::Sum>& sums() const { return sums_; }
  const std::vector<double>& some_products() const { return some_products_; }  // one of each output's, for dropping

 private:
  static std::vector<double> filled(const convict_tensor& tensor, const Draw& draw, Random& random) {
    std::vector<double> values;
    with_type(tensor.dtype, [&](auto zero) {
      for_each_element<decltype(zero)>(tensor, [&](auto& element, const int64_t*) {
        element = element_of<decltype(zero)>(draw(random));
        values.push_back(number(element));
      });
    });
    return values;
  }

  void add(judge::Sum& sum, double a, double b) {
    sum.exact += a * b;
    sum.magnitude += std::abs(a * b);
    const double normal = judge::smallest_normal(case_.src_type);
    if ((a != 0 && std::abs(a) < normal) || (b != 0 && std::abs(b) < normal)) sum.subnormal += std::abs(a * b);
  }

  void sum_up() {
    const Trilinear<double>& f = form_;
    const int64_t x_volume = f.x_extent[0] * f.x_extent[1] * f.x_extent[2];
    const int64_t taps = f.kernel[0] * f.kernel[1] * f.kernel[2], y_planes = f.groups * f.y_channels;
    for (int64_t plane = 0; plane < f.batch * y_planes; ++plane)
      for (int64_t o0 = 0; o0 < f.y_extent[0]; ++o0)
        for (int64_t o1 = 0; o1 < f.y_extent[1]; ++o1)
          for (int64_t o2 = 0; o2 < f.y_extent[2]; ++o2) {
            const int64_t k = plane % y_planes, g = k / f.y_channels;
            judge::Sum sum{.window = f.x_channels * taps, .bias = !bias_.empty()};
            double product = 0;
            if (sum.bias) add(sum, bias_[k], 1);
            for (int64_t c = 0; c < f.x_channels; ++c)
              for (int64_t r = 0; r < taps; ++r) {
                const Axes at = {f.x_position(0, o0, r / (f.kernel[1] * f.kernel[2])),
                                 f.x_position(1, o1, r / f.kernel[2] % f.kernel[1]),
                                 f.x_position(2, o2, r % f.kernel[2])};
                bool inside = true;
                for (int axis = 0; axis < kAxes; ++axis) inside &= at[axis] >= 0 && at[axis] < f.x_extent[axis];
                if (!inside) continue;
                const int64_t channel = (plane / y_planes * f.groups + g) * f.x_channels + c;
                const double x = x_[channel * x_volume + (at[0] * f.x_extent[1] + at[1]) * f.x_extent[2] + at[2]];
                const double w = w_[(k * f.x_channels + c) * taps + r];
                ++sum.products;
                product = x * w;
                add(sum, x, w);
              }
            sums_.push_back(sum);
            some_products_.push_back(product);
          }
  }

  Case case_;
  convict_problem problem_;
  run::GuardedMemory memory_;
  run::FlightRecord record_;
  Trilinear<double> form_;  // without data
  std::vector<double> x_, w_, bias_, some_products_;
  std::vector<judge::Sum> sums_;
};

struct Held {
  double worst = 0;  // largest error / bound
  int64_t outputs = 0, outside = 0;

  void add(double error, double bound) {
    ++outputs;
    if (!(error <= bound)) ++outside;
    if (error > 0) worst = std::max(worst, error / bound);
  }
};

/// Compares all outputs with the bounds of `contract`, with one product missing if `drop`.
inline Held hold(Trial& trial, const convict_implementation& who, const convict_contract& contract, bool drop = false,
                 const Transforms& transforms = {}) {
  const std::vector<double> got = trial.computed(who), bounds = trial.bounds(contract, transforms);
  Held held;
  for (size_t i = 0; i < got.size(); ++i) {
    if (drop && trial.some_products()[i] == 0) continue;
    held.add(std::abs(got[i] - (drop ? trial.some_products()[i] : 0) - trial.sums()[i].exact), bounds[i]);
  }
  return held;
}

}  // namespace convict::honest
