// SPDX-License-Identifier: Apache-2.0
//
// Sixty kernels that are wrong in one way each, most of them rarely or by little: the correct one, and what becomes of
// its results. The audit says on which share of the cases each is convicted (docs/background/detection.md).
#pragma once

#include <cmath>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "abi/element.h"
#include "core/role.h"
#include "tests/examine/direct_kernel.h"

namespace convict::audit {

/// A call whose results are right so far. `results` are those of the main output, in logical order.
struct Call {
  const convict_problem& p;
  const convict_tensors& t;
  std::vector<float>& results;
  const std::vector<float>& old;   // what the output held before the call
  const std::vector<int64_t>& dims;
  uint64_t number;                 // of the calls of this kernel, from 1
};

using Deed = std::function<void(Call&)>;

struct Dishonest : convict_implementation {
  Dishonest(std::string name_of, std::string what_of, Deed deed_of)
      : convict_implementation(direct()), own_name(std::move(name_of)), what(std::move(what_of)), deed(std::move(deed_of)) {
    name = lineage = own_name.c_str();
    run = [](const convict_implementation* self, const convict_problem* p, const convict_tensors* t, char* error,
             size_t size) { return static_cast<const Dishonest*>(self)->compute(*p, *t, error, size); };
  }
  Dishonest(const Dishonest&) = delete;

  convict_status compute(const convict_problem& p, const convict_tensors& t, char* error, size_t size) const {
    const convict_tensor& output = p.pass == CONVICT_FORWARD         ? t.dst
                                   : p.pass == CONVICT_BACKWARD_DATA ? t.diff_src
                                                                     : t.diff_wei;
    const auto elements = [&] {
      std::vector<float> all;
      for_each_element<float>(output, [&](float& element, const int64_t*) { all.push_back(element); });
      return all;
    };
    const std::vector<float> old = elements();
    const convict_status status = direct().run(&direct(), &p, &t, error, size);
    std::vector<float> results = elements();
    const std::vector<int64_t> dims(output.dims, output.dims + output.ndim);
    Call call{p, t, results, old, dims, ++calls};
    if (!results.empty()) deed(call);
    size_t i = 0;
    for_each_element<float>(output, [&](float& element, const int64_t*) { element = results[i++]; });
    return status;
  }

  std::string own_name, what;
  Deed deed;
  mutable uint64_t calls = 0;
};

/// `value` with so many bits of the significand.
inline float of_bits(float value, int bits) {
  if (!std::isfinite(value) || value == 0) return value;
  int exponent;
  const double digits = std::ldexp(std::frexp(static_cast<double>(value), &exponent), bits);
  return static_cast<float>(std::ldexp(std::nearbyint(digits), exponent - bits));
}

inline Deed each(std::function<float(float)> change) {
  return [=](Call& call) {
    for (float& result : call.results) result = change(result);
  };
}

inline Deed merged(std::function<float(float result, float old)> merge) {
  return [=](Call& call) {
    if (call.p.beta != 0) return;  // what was there belongs to the result
    for (size_t i = 0; i < call.results.size(); ++i) call.results[i] = merge(call.results[i], call.old[i]);
  };
}

/// The last result is too large by so many units in its last place.
inline void shift_last(Call& call, int units = 1 << 20) {
  float& last = call.results.back();
  if (std::isfinite(last)) last += std::max(std::abs(last), 1e-6f) * static_cast<float>(units) * 0x1p-23f;
}

/// The last result is off by an eighth if a condition holds.
inline Deed if_so(std::function<bool(const Call&)> condition) {
  return [=](Call& call) {
    if (condition(call)) shift_last(call);
  };
}

/// The last position of one dimension becomes its neighbour.
inline Deed copies_neighbour(size_t dim_from_the_end) {
  return [=](Call& call) {
    if (call.dims.size() <= dim_from_the_end) return;
    const size_t dim = call.dims.size() - 1 - dim_from_the_end;
    size_t after = 1;
    for (size_t d = dim + 1; d < call.dims.size(); ++d) after *= static_cast<size_t>(call.dims[d]);
    const auto extent = static_cast<size_t>(call.dims[dim]);
    if (extent < 2) return;
    for (size_t i = 0; i < call.results.size(); ++i)
      if (i / after % extent == extent - 1) call.results[i] = call.results[i - after];
  };
}

using Deeds = std::vector<std::tuple<std::string, std::string, Deed>>;

inline void add_precisions(Deeds& all) {
  for (const int bits : {8, 11, 13, 16, 18, 20, 21, 22, 23})
    all.emplace_back("results-of-" + std::to_string(bits) + "-bits", "results are rounded to as many bits",
                     each([=](float x) { return of_bits(x, bits); }));
  for (const int bits : {4, 8, 12, 16, 20, 22})
    all.emplace_back("too-large-by-2^-" + std::to_string(bits), "every result is too large by this factor",
                     each([=](float x) { return x * (1 + std::ldexp(1.0f, -bits)); }));
  for (const int units : {1, 2, 4, 16, 256, 4096})
    all.emplace_back("last-off-by-" + std::to_string(units), "the last result is off by as many units in its last place",
                     [=](Call& call) { shift_last(call, units); });
}

inline void add_values(Deeds& all) {
  constexpr float kLargest = std::numeric_limits<float>::max();
  all.emplace_back("saturates", "an infinity becomes the largest number",
                   each([=](float x) { return std::isinf(x) ? std::copysign(kLargest, x) : x; }));
  all.emplace_back("infinity-turned", "an infinity gets the other sign", each([](float x) { return std::isinf(x) ? -x : x; }));
  all.emplace_back("no-NaN", "NaN becomes 0", each([](float x) { return std::isnan(x) ? 0 : x; }));
  all.emplace_back("NaN-for-infinity", "an infinity becomes NaN", each([](float x) { return std::isinf(x) ? x - x : x; }));
  all.emplace_back("flushes", "subnormal results become 0",
                   each([](float x) { return std::fpclassify(x) == FP_SUBNORMAL ? 0 : x; }));
  all.emplace_back("minus-zero", "a zero becomes -0", each([](float x) { return x == 0 ? -0.0f : x; }));
  all.emplace_back("clamps-at-6", "results are at most 6", each([](float x) { return x > 6 ? 6 : x; }));
  all.emplace_back("clamps-at-2^24", "results are at most 2^24 in size",
                   each([](float x) { return std::abs(x) > 0x1p24f ? std::copysign(0x1p24f, x) : x; }));
  all.emplace_back("small-is-zero", "results below 2^-20 become 0", each([](float x) { return std::abs(x) < 0x1p-20f ? 0 : x; }));
  all.emplace_back("wraps-at-2^31", "results are taken modulo 2^32",
                   each([](float x) { return std::isfinite(x) ? static_cast<float>(std::remainder(x, 0x1p32)) : x; }));
}

inline void add_merges(Deeds& all) {
  all.emplace_back("keeps-the-larger", "fmax(result, old)", merged([](float r, float o) { return std::fmax(r, o); }));
  all.emplace_back("keeps-the-smaller", "fmin(result, old)", merged([](float r, float o) { return std::fmin(r, o); }));
  all.emplace_back("adds-to-old", "old == old ? old + result : result",
                   merged([](float r, float o) { return o == o ? o + r : r; }));
  all.emplace_back("beta-zero-times-old", "result + 0 * old", merged([](float r, float o) { return r + 0 * o; }));
  all.emplace_back("keeps-what-is-normal", "isnormal(old) ? old : result",
                   merged([](float r, float o) { return std::isnormal(o) ? o : r; }));
  all.emplace_back("first-unwritten", "the first element is not written",
                   [](Call& call) { call.results.front() = call.old.front(); });
  all.emplace_back("last-unwritten", "the last element is not written",
                   [](Call& call) { call.results.back() = call.old.back(); });
}

inline void add_places(Deeds& all) {
  const char* names[] = {"last-column-copied", "last-row-copied", "last-slice-copied", "last-channel-copied"};
  for (size_t i = 0; i < std::size(names); ++i)
    all.emplace_back(names[i], "the last position of a dimension becomes its neighbour", copies_neighbour(i));
  for (const uint64_t often : {4, 64, 256, 1024, 4096})
    all.emplace_back("once-in-" + std::to_string(often), "the last result is off by an eighth in one of so many calls",
                     if_so([=](const Call& call) { return call.number % often == 0; }));
  const std::pair<const char*, std::function<bool(const Call&)>> conditions[] = {
      {"threads", [](const Call& call) { return call.p.threads > 1; }},
      {"batch", [](const Call& call) { return call.p.batch > 1; }},
      {"groups", [](const Call& call) { return call.p.groups > 1; }},
      {"depthwise", [](const Call& call) { return call.p.groups > 1 && call.p.groups == call.p.ic; }},
      {"strides", [](const Call& call) { return call.p.stride[0] > 1; }},
      {"dilation", [](const Call& call) { return call.p.dilation[0] > 1; }},
      {"crops", [](const Call& call) { return call.p.pad_begin[0] < 0 || call.p.pad_end[0] < 0; }},
      {"uneven-padding", [](const Call& call) { return call.p.pad_begin[0] != call.p.pad_end[0]; }},
      {"output-padding", [](const Call& call) { return call.p.output_padding[0] > 0; }},
      {"beta", [](const Call& call) { return call.p.beta != 0; }},
      {"relu", [](const Call& call) { return call.p.relu != 0; }},
      {"bias", [](const Call& call) { return call.p.has_bias != 0; }},
      {"rank-3", [](const Call& call) { return call.p.rank == 3; }},
      {"17-channels", [](const Call& call) { return call.p.oc >= 17; }},
      {"kernel-of-17", [](const Call& call) { return call.p.kernel[0] >= 17; }},
      {"many-results", [](const Call& call) { return call.results.size() > 4096; }},
  };
  for (const auto& [name, condition] : conditions)
    all.emplace_back(std::string("wrong-with-") + name, "the last result is off by an eighth", if_so(condition));
}

inline Deeds dishonest_deeds() {
  Deeds all;
  add_precisions(all);
  add_values(all);
  add_merges(all);
  add_places(all);
  return all;
}

}  // namespace convict::audit
