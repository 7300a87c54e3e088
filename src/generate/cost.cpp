// SPDX-License-Identifier: Apache-2.0
#include "generate/cost.h"

#include <algorithm>
#include <cmath>

#include "core/geometry.h"
#include "core/layout.h"
#include "core/role.h"

namespace convict::generate {

double relative_cost(const Case& c, const convict_problem& p) {
  const convict_tensors tensors = describe_tensors(c, p);
  double elements = 0;
  for (const Role& role : kRoles)
    if (const convict_tensor& tensor = tensors.*role.tensor; tensor.ndim > 0)
      elements += static_cast<double>(element_count(tensor));
  return 1 + multiply_adds(p) / kFreeMacs + elements / kFreeElements;
}

// With the density 1 / (n (1 + n / free)), the logarithm of n / (n + free) is uniform.
double draw_budget(Random& random, double least, double most, double free) {
  if (!(least < most)) return most;
  const double low = least / (least + free), high = most / (most + free);
  const double at = low * std::pow(high / low, random.uniform());
  return std::clamp(free * at / (1 - at), least, most);
}

}  // namespace convict::generate
