// SPDX-License-Identifier: Apache-2.0
//
// Narrow kernels as two plugins, because one would have more implementations than a campaign takes. In
// narrow_kernels.so, narrow-001 takes what is in its domain and is right. In narrow_faults.so, narrow-001-fault takes
// the same and is wrong on a part, and "control" takes everything and is right. CONVICT_NARROW_SEED is the seed
// (default 1), CONVICT_NARROW_COUNT the number of domains (default 40).
#include <cstdlib>
#include <deque>
#include <string_view>
#include <vector>

#include "abi/native_kernel.h"
#include "lab/faults/sound_kernel.h"
#include "tests/narrow/kernel.h"

#ifndef CONVICT_NARROW_FAULTS  // the build makes one module with faults and one without
#define CONVICT_NARROW_FAULTS false
#endif

namespace convict {
namespace {

uint64_t number_from(const char* variable, uint64_t otherwise) {
  const char* value = std::getenv(variable);
  return value ? std::strtoull(value, nullptr, 10) : otherwise;
}

class Population {
 public:
  Population(uint64_t seed, uint64_t count) : control_(faults::sound_kernel()) {
    for (uint64_t number = 1; number <= count; ++number) {
      const narrow::Domain& domain = domains_.emplace_back(narrow::draw_domain(seed, number));
      list_.push_back(&kernels_.emplace_back(domain, CONVICT_NARROW_FAULTS).implementation());
    }
    control_.name = "control";
    control_.description = "takes everything";
    control_.plan = nullptr;
    if (CONVICT_NARROW_FAULTS) list_.push_back(&control_);
    plugin_ = {CONVICT_ABI_VERSION, "1.0", list_.size(), list_.data()};
  }
  Population(const Population&) = delete;
  Population& operator=(const Population&) = delete;

  const convict_plugin& plugin() const { return plugin_; }
  const convict_abilities* abilities_of(const convict_implementation* self) const {
    static constexpr convict_abilities kAll = {/*requantizes=*/1, nullptr, nullptr, /*concurrent=*/0, nullptr};
    return self == &control_ ? &kAll : narrow::NarrowKernel::abilities_of(self);
  }

  static const Population& all() {
    static const Population population(number_from("CONVICT_NARROW_SEED", 1), number_from("CONVICT_NARROW_COUNT", 40));
    return population;
  }

 private:
  std::deque<narrow::Domain> domains_;
  std::deque<narrow::NarrowKernel> kernels_;
  convict_implementation control_;
  std::vector<const convict_implementation*> list_;
  convict_plugin plugin_ = {};
};

}  // namespace
}  // namespace convict

extern "C" const convict_plugin* convict_plugin_v1(void);
extern "C" const convict_plugin* convict_plugin_v1(void) { return &convict::Population::all().plugin(); }

extern "C" const convict_abilities* convict_abilities_v1(const convict_implementation* self);
extern "C" const convict_abilities* convict_abilities_v1(const convict_implementation* self) {
  return convict::Population::all().abilities_of(self);
}
