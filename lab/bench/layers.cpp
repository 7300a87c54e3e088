// SPDX-License-Identifier: Apache-2.0
#include "lab/bench/layers.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "abi/element.h"
#include "abi/trilinear.h"
#include "core/case_text.h"
#include "core/error.h"
#include "core/geometry.h"
#include "core/layout.h"
#include "core/names.h"
#include "core/role.h"

namespace convict::bench {
namespace {

constexpr const char* kGiven = "given";  // the set of cases that are in no file

/// From "corpus/bench/odd.cases:12" to "odd".
std::string set_of(const CorpusEntry& entry) {
  if (entry.origin.empty()) return kGiven;
  return std::filesystem::path(entry.origin.substr(0, entry.origin.rfind(':'))).stem().string();
}

/// Gradients have neither integers nor a ReLU.
bool is_forward_only(const Case& c) {
  return c.relu || is_integer(c.src_type) || is_integer(c.wei_type) || is_integer(c.dst_type);
}

}  // namespace

std::vector<BenchLayer> layers_of(std::span<const CorpusEntry> entries, std::span<const convict_pass> passes) {
  std::vector<BenchLayer> layers;
  for (const CorpusEntry& entry : entries) {
    if (entry.must_be_refused) continue;
    Case c = entry.c;
    if (c.beta != 0)
      throw UsageError(fmt::format("case '{}' has beta, which is not measured; valid: beta=0", to_text(c)));
    c.threads = 1;
    const std::string label = entry.label.empty() ? to_text(c) : entry.label;
    for (const convict_pass pass : passes.empty() ? std::span<const convict_pass>(&entry.c.pass, 1) : passes) {
      if (pass != CONVICT_FORWARD && is_forward_only(c)) continue;
      c.pass = pass;
      c.bias = entry.c.bias && pass != CONVICT_BACKWARD_DATA;  // which has none
      layers.push_back({c, set_of(entry), label});
    }
  }
  return layers;
}

double flops_of(const Case& c) {
  const convict_problem p = resolve_valid(c);
  const auto form = trilinear<const float>(p, describe_tensors(c, p));  // its extents only: there is no data
  auto products = static_cast<double>(form.batch * form.groups * form.x_channels * form.y_channels);
  for (int axis = 0; axis < kAxes; ++axis) {
    int64_t pairs = 0;
    for (int64_t tap = 0; tap < form.kernel[axis]; ++tap) {
      const Range inside = outputs_of_tap(form, axis, tap);
      pairs += std::max<int64_t>(0, inside.end - inside.begin);
    }
    products *= static_cast<double>(pairs);
  }
  return 2 * products;
}

double bytes_of(const Case& c) {
  const convict_tensors tensors = describe_tensors(c, resolve_valid(c));
  double bytes = 0;
  for (const Role& role : kRoles) {
    const convict_tensor& tensor = tensors.*role.tensor;
    if (tensor.ndim > 0)
      bytes += static_cast<double>(buffer_count(tensor)) * static_cast<double>(type_size(tensor.dtype));
  }
  return bytes;
}

}  // namespace convict::bench
