// SPDX-License-Identifier: Apache-2.0
//
// Writes everything about a case as JSON, for tools that have no export format.
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "core/case_text.h"
#include "core/geometry.h"
#include "core/names.h"
#include "core/text.h"
#include "exports/exporter.h"
#include "exports/shared/operands.h"
#include "exports/shared/spelling.h"

namespace convict::exports {
namespace {

using nlohmann::json;

json spelt(const std::vector<double>& values) {
  json list = json::array();
  for (const double value : values) list.push_back(hex_float(value));
  return list;
}

json described(const NamedTensor& tensor) {
  const convict_tensor& t = tensor.layout;
  return {{"type", type_name(t.dtype)},
          {"dims", std::vector<int64_t>(t.dims, t.dims + t.ndim)},
          {"strides", std::vector<int64_t>(t.strides, t.strides + t.ndim)},
          {"offset", t.offset},
          {"data", spelt(tensor.values)}};
}

json resolved_numbers(const convict_problem& p) {
  const auto axes = [&](const int64_t* values) { return std::vector<int64_t>(values, values + p.rank); };
  constexpr const char* kPasses[] = {"", "forward", "backward_data", "backward_weights"};
  return {{"op", p.op == CONVICT_CONV ? "conv" : "conv_transpose"},
          {"pass", kPasses[p.pass]},
          {"rank", p.rank},
          {"batch", p.batch},
          {"groups", p.groups},
          {"ic", p.ic},
          {"oc", p.oc},
          {"in", axes(p.in)},
          {"out", axes(p.out)},
          {"kernel", axes(p.kernel)},
          {"stride", axes(p.stride)},
          {"dilation", axes(p.dilation)},
          {"pad_begin", axes(p.pad_begin)},
          {"pad_end", axes(p.pad_end)},
          {"output_padding", axes(p.output_padding)},
          {"has_bias", p.has_bias != 0},
          {"beta", p.beta},
          {"relu", p.relu != 0},
          {"src_zero_point", p.src_zero_point},
          {"dst_zero_point", p.dst_zero_point},
          {"threads", p.threads}};
}

json resolved(const convict_problem& p) {
  json numbers = resolved_numbers(p);
  constexpr const char* kRequantizations[] = {"", "single", "double", "even"};
  if (p.requantization == CONVICT_NO_REQUANTIZATION) return numbers;
  numbers["requantization"] = kRequantizations[p.requantization];
  numbers["clamp_low"] = p.clamp_low;
  numbers["clamp_high"] = p.clamp_high;
  return numbers;
}

void add_operands(json& document, const Operands& operands) {
  document["rule"] = operands.rule;
  document["inputs"] = document["outputs"] = json::object();
  for (const NamedTensor& input : operands.inputs) document["inputs"][std::string(input.role)] = described(input);
  for (const RequiredTensor& output : operands.outputs) {
    json one = described(output.tensor);
    one["exact"] = spelt(output.exact);
    one["bounds"] = spelt(output.bounds);
    if (!output.old.empty()) one["old"] = spelt(output.old);
    document["outputs"][std::string(output.tensor.role)] = one;
  }
}

std::string json_unsuited(const ExportRequest& request) {
  return request.must_be_refused ? "" : too_long_to_spell(request.c);
}

std::vector<ExportFile> write_json(const ExportRequest& request) {
  const Resolved problem = resolve(request.c);
  json document = {{"case", to_text(request.c)},
                   {"id", fmt::format("{:016x}", case_id(request.c))},
                   {"must_be_refused", request.must_be_refused},
                   {"problem", resolved(problem.problem)}};
  if (request.must_be_refused)
    document["why"] = {{"field", problem.why_not.field}, {"reason", problem.why_not.why}};
  else
    add_operands(document, operands_of(request));
  if (request.evidence)
    document["mismatch"] = {{"suspect", request.evidence->suspect},
                            {"verdict", request.evidence->verdict},
                            {"certificate", request.evidence->certificate}};
  return {{"case.json", document.dump(2, ' ', /*ensure_ascii=*/true, json::error_handler_t::replace) + "\n"}};
}

}  // namespace

extern const Exporter export_json = {"json", "everything about the case, every number to the bit", ExportForm::kText,
                                     json_unsuited, write_json};

}  // namespace convict::exports
