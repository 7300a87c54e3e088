// SPDX-License-Identifier: Apache-2.0
//
// The first random faults of a seed as a plugin, so that any method that can put a plugin on trial can be measured on
// them, the guided engine among them: r2-0 has two conditions, r3-0 three. CONVICT_FAULT_SEED is the seed (default 1).
// "control" has no fault. docs/background/detection.md has what came of it.
#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

#include "abi/convict.h"
#include "lab/faults/draw.h"
#include "lab/faults/faulty_kernel.h"

namespace convict {
namespace {

constexpr int kLeastConditions = 2, kMostConditions = 6;
constexpr uint64_t kOfEach = 10;  // faults

/// One fault and the kernel that has it.
struct Planted {
  faults::Fault fault;
  std::string name, description;
  std::unique_ptr<faults::FaultyKernel> kernel;
};

class Population {
 public:
  explicit Population(uint64_t seed) {
    for (int conditions = kLeastConditions; conditions <= kMostConditions; ++conditions)
      for (uint64_t i = 0; i < kOfEach; ++i) add(seed, i, conditions);
    list_.push_back(&control_.implementation());
    plugin_ = {CONVICT_ABI_VERSION, "0.0", list_.size(), list_.data()};
  }
  const convict_plugin& plugin() const { return plugin_; }

 private:
  /// The number of the fault is that of `convict score --random-faults` with --conditions 2..6.
  void add(uint64_t seed, uint64_t i, int conditions) {
    constexpr uint64_t kKinds = kMostConditions - kLeastConditions + 1;
    const uint64_t number = i * kKinds + static_cast<uint64_t>(conditions - kLeastConditions);
    auto planted = std::make_unique<Planted>();
    planted->fault = faults::draw_fault(seed, number, conditions);
    planted->name = "r" + std::to_string(conditions) + "-" + std::to_string(i);
    planted->description = planted->fault.text();
    planted->kernel =
        std::make_unique<faults::FaultyKernel>(&planted->fault, planted->name.c_str(), planted->description.c_str());
    list_.push_back(&planted->kernel->implementation());
    planted_.push_back(std::move(planted));
  }

  std::vector<std::unique_ptr<Planted>> planted_;
  faults::FaultyKernel control_{nullptr};
  std::vector<const convict_implementation*> list_;
  convict_plugin plugin_ = {};
};

}  // namespace
}  // namespace convict

extern "C" const convict_plugin* convict_plugin_v1(void);
extern "C" const convict_plugin* convict_plugin_v1(void) {
  const char* seed = std::getenv("CONVICT_FAULT_SEED");
  static const convict::Population all(seed ? std::strtoull(seed, nullptr, 10) : 1);
  return &all.plugin();
}
