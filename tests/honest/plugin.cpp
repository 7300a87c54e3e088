// SPDX-License-Identifier: Apache-2.0
//
// Correct implementations with every kind of arithmetic, each declaring its own, and twins that declare another: what
// error bounds have to tell apart.
#include "tests/honest/honest.h"

extern "C" const convict_plugin* convict_plugin_v1() {
  using namespace convict::honest;
  static const std::vector<const convict_implementation*> all = [] {
    std::vector<const convict_implementation*> joined;
    for (const auto part : {sums(), winograds(), ffts()}) joined.insert(joined.end(), part.begin(), part.end());
    return joined;
  }();
  static const convict_plugin plugin = {CONVICT_ABI_VERSION, "1.0", all.size(), all.data()};
  return &plugin;
}

extern "C" const convict_transforms* convict_transforms_v1(const convict_implementation* self);
extern "C" const convict_transforms* convict_transforms_v1(const convict_implementation* self) {
  using namespace convict::honest;
  const convict_transforms* transforms = transforms_of_winograd(*self);
  return transforms ? transforms : transforms_of_fft(*self);
}
