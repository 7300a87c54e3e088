// SPDX-License-Identifier: Apache-2.0
//
// What `convict bench` has measured.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace convict::bench {

/// Seconds of one call. The best one counts, because other work on the machine only adds time; the distance of the mean
/// from it shows how much other work there was.
struct Timing {
  double best = 0, mean = 0;
};

/// How a contestant takes part in the comparison.
enum class Side {
  kTarget,
  kLibrary,    // from the user's tensors to the user's tensors
  kOwnLayouts  // a library in its own layouts; reordering the tensors into them and back is not timed
};

/// One problem with one number of threads. Names are those of contestants: "auto", "onednn:any+reorders".
struct BenchRow {
  std::string case_text, set, label, pass;
  int threads = 1;
  double flops = 0;                                 // of the problem: 2 * the products inside the image
  std::map<std::string, Timing> timings = {};       // of contestants with correct results
  std::map<std::string, std::string> refused = {};  // why the others have no time
  double bytes = 0;                                 // of all operands and results
  /// Of reading all operands once and writing all results once, with one thread; only in rows of one thread. Who
  /// computes them takes no less: the roof of Williams, Waterman and Patterson, "Roofline" (2009).
  std::optional<Timing> memory = {};

  /// 1e9 per second.
  std::optional<double> gflops(const std::string& name) const {
    const auto timing = timings.find(name);
    return timing == timings.end() ? std::nullopt : std::optional(1e-9 * flops / timing->second.best);
  }
};

struct BenchResult {
  std::string date, version, cpu, isa;                // date: UTC; version: of convict; cpu, isa: of the machine
  std::map<std::string, std::string> libraries = {};  // versions, by implementation
  std::map<std::string, Side> sides = {};             // of all contestants
  std::string subject = {};                           // the contestant that all others are compared with
  std::vector<std::string> notes = {};                // what the user should know, e.g. an oracle that is not installed
  std::vector<BenchRow> rows = {};
  bool interrupted = false;
};

}  // namespace convict::bench
