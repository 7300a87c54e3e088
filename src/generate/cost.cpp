// SPDX-License-Identifier: Apache-2.0
#include "generate/cost.h"

#include <algorithm>
#include <cmath>

#include "core/geometry.h"
#include "core/layout.h"
#include "core/role.h"

namespace convict::generate {

namespace {

double elements_of(const Case& c, const convict_problem& p) {
  const convict_tensors tensors = describe_tensors(c, p);
  double elements = 0;
  for (const Role& role : kRoles)
    if (const convict_tensor& tensor = tensors.*role.tensor; tensor.ndim > 0)
      elements += static_cast<double>(element_count(tensor));
  return elements;
}

}  // namespace

double relative_cost(const Case& c, const convict_problem& p) {
  return 1 + multiply_adds(p) / kFreeMacs + elements_of(c, p) / kFreeElements;
}

bool can_be_asked(const Case& c) {
  constexpr double kMostMacs = 4e6, kMostElements = 8e6;
  const Resolved resolved = resolve(c);
  if (resolved.why_not || elements_of(c, resolved.problem) > kMostElements) return false;
  convict_problem p = resolved.problem;
  for (int64_t* count : {&p.batch, &p.ic, &p.oc}) *count = std::max<int64_t>(*count, 1);
  return multiply_adds(p) <= kMostMacs;
}

// With the density 1 / (n (1 + n / free)), the logarithm of n / (n + free) is uniform.
double draw_budget(Random& random, double least, double most, double free) {
  if (!(least < most)) return most;
  const double low = least / (least + free), high = most / (most + free);
  const double at = low * std::pow(high / low, random.uniform());
  return std::clamp(free * at / (1 - at), least, most);
}

}  // namespace convict::generate
