// SPDX-License-Identifier: Apache-2.0
//
// Direct convolution with many ways to add up: each declares its own, and each has a twin that declares another.
#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>

#include "tests/honest/honest.h"

namespace convict::honest {
namespace {

float sequential(const Products& products) {
  float sum = 0;
  for (size_t i = 0; i < products.x.size(); ++i) sum += products.x[i] * products.w[i];
  return sum;
}

float sum_of_range(const Products& products, size_t begin, size_t end) {
  if (end - begin == 1) return products.x[begin] * products.w[begin];
  const size_t middle = begin + (end - begin) / 2;
  return sum_of_range(products, begin, middle) + sum_of_range(products, middle, end);
}

float pairwise(const Products& products) {
  return products.x.empty() ? 0 : sum_of_range(products, 0, products.x.size());
}

constexpr size_t kBlock = 32;

float blocked(const Products& products) {
  float sum = 0;
  for (size_t begin = 0; begin < products.x.size(); begin += kBlock) {
    float run = 0;
    for (size_t i = begin; i < std::min(begin + kBlock, products.x.size()); ++i) run += products.x[i] * products.w[i];
    sum += run;
  }
  return sum;
}

float in_f16(float value) { return to_float(to_half(value)); }

float f16_sum(const Products& products) {
  float sum = 0;
  for (size_t i = 0; i < products.x.size(); ++i) sum = in_f16(sum + in_f16(products.x[i] * products.w[i]));
  return sum;
}

float flushed(float value) { return std::abs(value) < std::numeric_limits<float>::min() ? 0 : value; }

float flushing(const Products& products) {
  float sum = 0;
  for (size_t i = 0; i < products.x.size(); ++i)
    sum = flushed(sum + flushed(flushed(products.x[i]) * flushed(products.w[i])));
  return sum;
}

/// Every second output is summed from the other end, and which are the second ones goes on from call to call.
float by_turns(const Products& products) {
  static std::atomic<unsigned> calls = 0;
  if (calls++ % 2 == 0) return sequential(products);
  float sum = 0;
  for (size_t i = products.x.size(); i-- > 0;) sum += products.x[i] * products.w[i];
  return sum;
}

template <SumOf kSum>
convict_status run(const convict_implementation*, const convict_problem* p, const convict_tensors* t, char* error,
                   size_t error_size) {
  return guarded(error, error_size, [&] {
    with_type(t->src.dtype, [&](auto zero) {
      using T = decltype(zero);
      const Trilinear<T> f = trilinear<T>(*p, *t);
      Products products;
      for_each_output(f, [&](int64_t n, int64_t g, int64_t k, const Axes& o) {
        gather(f, n, g, k, o, products);
        if (f.bias) {  // one more product
          products.x.push_back(bias_of(f, k));
          products.w.push_back(1);
        }
        f.y.at(n, k, o[0], o[1], o[2]) = element_of<T>(kSum(products));
      });
    });
  });
}

const char* unsupported(const convict_implementation*, const convict_problem* p, const convict_tensors* t) {
  return not_forward(*p, *t);
}

template <SumOf kSum>
constexpr convict_implementation summed(const char* name, const char* description, convict_contract contract) {
  return {name, description, "honest", contract, unsupported, run<kSum>, nullptr, nullptr, nullptr};
}

constexpr convict_contract with_sums(convict_summation summation, int block) {
  convict_contract contract = kDirect;
  contract.summation = summation;
  contract.sum_block = block;
  return contract;
}

constexpr convict_contract with_accumulator(convict_dtype type) {
  convict_contract contract = kDirect;
  contract.min_accumulator = type;
  return contract;
}

constexpr convict_contract with_flushing() {
  convict_contract contract = kDirect;
  contract.flushes_subnormals = 1;
  return contract;
}

constexpr convict_contract kPairwise = with_sums(CONVICT_PAIRWISE, 0);
constexpr convict_implementation kImplementations[] = {
    summed<pairwise>("pairwise", "sums in a balanced tree, padding included", kPairwise),
    summed<blocked>("blocked-32", "sums runs of 32 products", with_sums(CONVICT_BLOCKED, kBlock)),
    summed<f16_sum>("f16-sums", "rounds products and sums to f16", with_accumulator(CONVICT_F16)),
    summed<flushing>("flushing", "no subnormal operand or result survives", with_flushing()),
    summed<f16_sum>("dishonest-half", "rounds products and sums to f16, declares f32", kDirect),
    summed<flushing>("dishonest-flushing", "flushes subnormals, does not declare it", kDirect),
    summed<sequential>("dishonest-pairwise", "declares a tree, sums one by one", kPairwise),
    summed<by_turns>("dishonest-nondeterministic", "declares the same bits every time, sums in changing order",
                     kDirect),
};

}  // namespace

std::span<const convict_implementation* const> sums() {
  static const std::vector<const convict_implementation*> all = [] {
    std::vector<const convict_implementation*> pointers;
    for (const convict_implementation& one : kImplementations) pointers.push_back(&one);
    return pointers;
  }();
  return all;
}

}  // namespace convict::honest
