// SPDX-License-Identifier: Apache-2.0
#include "diagnose/environment.h"

#include <map>
#include <string>

namespace convict::diagnose {
namespace {

/// Variables that limit libraries to older instruction sets, the oldest first.
struct IsaCap {
  const char* name;
  std::map<std::string, std::string> environment;
};

const IsaCap kIsaCaps[] = {
    {"baseline", {{"CONVICT_ISA", "baseline"}, {"ONEDNN_MAX_CPU_ISA", "SSE41"}, {"ATEN_CPU_CAPABILITY", "default"}}},
    {"avx2", {{"CONVICT_ISA", "avx2"}, {"ONEDNN_MAX_CPU_ISA", "AVX2"}, {"ATEN_CPU_CAPABILITY", "avx2"}}}};

}  // namespace

store::EnvironmentEvidence environment(Probe& probe, const Case& c, const std::function<bool()>& go_on) {
  store::EnvironmentEvidence result{true, "this machine's only"};
  for (const IsaCap& cap : kIsaCaps) {
    if (!go_on()) break;
    if (!probe.ask_fresh(c, cap.environment).mismatch) continue;
    result.oldest_isa = cap.name;
    break;
  }
  return result;
}

}  // namespace convict::diagnose
