// SPDX-License-Identifier: Apache-2.0
#include "examine/comb_reading.h"

#include <fmt/format.h>

#include <cmath>
#include <optional>
#include <vector>

#include "abi/element.h"
#include "core/role.h"
#include "fill/comb.h"

namespace convict::examine {
namespace {

using Coordinates = std::vector<int64_t>;

/// Where the dense operand holds `product`, or half of it: the sparse one has 1 and 2, of either sign.
std::optional<Coordinates> find_value(const convict_tensor& dense, double product) {
  std::optional<Coordinates> found;
  with_type(dense.dtype, [&](auto zero) {
    for_each_element<decltype(zero)>(dense, [&](const auto& element, const int64_t* at) {
      const auto value = static_cast<double>(number(element));
      if (!found && value != 0 && (std::abs(product) == value || std::abs(product) == 2 * value))
        found = Coordinates(at, at + dense.ndim);
    });
  });
  return found;
}

std::string in_words(std::string_view role, const convict_tensor& dense, double product) {
  if (product == 0) return "nothing";
  const auto at = find_value(dense, product);
  return at ? fmt::format("{}[{}]", role, fmt::join(*at, ",")) : "";
}

/// Whether bias or old contents are part of the sums. They are small whole numbers, which cannot be told from the
/// product unless the exact value consists of them alone.
bool has_addends(const Scene& scene) {
  return scene.problem().beta != 0 || (scene.problem().has_bias && scene.problem().pass == CONVICT_FORWARD);
}

}  // namespace

std::string comb_reading(const Scene& scene, const convict_tensors& tensors, const judge::Element& element) {
  const convict_problem& p = scene.problem();
  if (has_addends(scene) || !std::isfinite(element.got) || element.role == "diff_bias") return "";
  const fill::Comb comb(p, scene.the_case().seed);
  for (const Role& role : kRoles) {
    const convict_tensor& tensor = tensors.*role.tensor;
    if (tensor.ndim < 3 || role.is_output[p.pass] || fill::operand_of(p.op, role.name) == comb.sparse()) continue;
    const std::string got = in_words(role.name, tensor, element.got),
                      exact = in_words(role.name, tensor, element.exact);
    if (got.empty() || exact.empty()) return "";
    return fmt::format("{} instead of {}", got, exact);
  }
  return "";
}

}  // namespace convict::examine
