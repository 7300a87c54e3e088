// SPDX-License-Identifier: Apache-2.0
#include "lab/bench/check.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "abi/element.h"
#include "core/layout.h"
#include "core/names.h"
#include "core/random.h"
#include "judge/element_evaluation.h"
#include "judge/expected.h"

namespace convict::bench {
namespace {

constexpr size_t kSamples = 32;  // elements with exact values computed, for every result

/// Relative to the largest magnitude in an output. Detects wrong results only; `convict fuzz` finds inaccurate ones.
double tolerance(convict_dtype type) { return type_size(type) < 4 ? 0.02 : 1e-3; }

/// Logical coordinates of element `index` in row-major order.
std::vector<int64_t> coordinates(const convict_tensor& tensor, size_t index) {
  std::vector<int64_t> at(static_cast<size_t>(tensor.ndim));
  for (size_t dim = at.size(); dim-- > 0;) {
    const auto extent = static_cast<size_t>(tensor.dims[dim]);
    at[dim] = static_cast<int64_t>(index % extent);
    index /= extent;
  }
  return at;
}

/// |a - b|; infinity if either is NaN.
double distance(double a, double b) {
  const double difference = std::abs(a - b);
  return std::isnan(difference) ? INFINITY : difference;
}

}  // namespace

Check::Output Check::read(const Role& role) const {
  const convict_tensor& tensor = tensors_.*role.tensor;
  Output output;
  output.elements = judge::elements_of<double>(tensor);
  for (const double element : output.elements)
    output.largest = std::max(output.largest, std::abs(element));  // NaN does not count
  return output;
}

std::optional<std::string> Check::fault_at(const Role& role, const Output& output, size_t index) const {
  const convict_tensor& tensor = tensors_.*role.tensor;
  const std::vector<int64_t> at = coordinates(tensor, index);
  auto exact = static_cast<double>(judge::evaluate_element(p_, tensors_, role.name, at).value);
  if (is_integer(tensor.dtype)) exact = rounded_to(tensor.dtype, exact);  // saturates
  const double scale = std::max(std::abs(exact), std::isfinite(output.largest) ? output.largest : 0.0);
  if (distance(output.elements[index], exact) <= tolerance(tensor.dtype) * scale) return std::nullopt;
  return fmt::format("wrong: {}[{}] is {:.6g}, exact is {:.6g}", role.name, fmt::join(at, ", "), output.elements[index],
                     exact);
}

std::optional<std::string> Check::sampled_fault(const Role& role, const Output& output) const {
  for (size_t i = 0; i < std::min(kSamples, output.elements.size()); ++i)
    if (auto fault = fault_at(role, output, mix(i) % output.elements.size())) return fault;
  return std::nullopt;
}

size_t Check::largest_difference(const Role& role, const Output& output) const {
  const std::vector<double>& believed = believed_.at(role.name).elements;
  size_t worst = 0;
  double most = -1;
  for (size_t i = 0; i < believed.size(); ++i)
    if (const double here = distance(output.elements[i], believed[i]); here > most) most = here, worst = i;
  return worst;
}

std::optional<WrongResult> Check::compare(const std::string& who) {
  std::map<std::string_view, Output> result;
  for (const Role& role : kRoles)
    if (role.is_output[p_.pass] && element_count(tensors_.*role.tensor) > 0 && (tensors_.*role.tensor).ndim != 0)
      result[role.name] = read(role);
  std::optional<WrongResult> wrong;
  for (const Role& role : kRoles) {
    if (!result.contains(role.name)) continue;
    const Output& output = result[role.name];
    if (const auto fault = sampled_fault(role, output)) return WrongResult{who, *fault};
    if (believed_.empty()) continue;
    const size_t index = largest_difference(role, output);
    if (const auto fault = fault_at(role, output, index)) return WrongResult{who, *fault};
    if (const auto fault = fault_at(role, believed_.at(role.name), index)) wrong = {believed_who_, *fault};
  }
  if (wrong || believed_.empty()) believed_ = std::move(result), believed_who_ = who;
  return wrong;
}

}  // namespace convict::bench
