// SPDX-License-Identifier: Apache-2.0
//
// What `convict bench` has measured.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace convict::bench {

/// Seconds of one call. The best one counts, because other work on the machine only ever adds time; how far the mean is
/// from it tells how much of that there was.
struct Timing {
  double best = 0, mean = 0;
};

/// How a contestant takes part in the comparison.
enum class Side {
  kTarget,
  kLibrary,    // from the user's tensors to the user's tensors
  kOwnLayouts  // a library, without what reorders the tensors into layouts of its own and back
};

/// One problem with one number of threads. Names are those of contestants: "auto", "onednn:any+reorders".
struct BenchRow {
  std::string case_text, set, label, pass;
  int threads = 1;
  double flops = 0;                                 // of the problem: 2 * the products inside the image
  std::map<std::string, Timing> timings = {};       // of those who computed it right
  std::map<std::string, std::string> refused = {};  // why the others have none

  std::optional<double> gflops(const std::string& name) const;  // 1e9 per second
};

struct BenchResult {
  std::string date, version, cpu, isa;                // UTC; of convict; of the machine
  std::map<std::string, std::string> libraries = {};  // versions, by implementation
  std::map<std::string, Side> sides = {};             // of all contestants
  std::string subject = {};                           // the contestant that all others are compared with
  std::vector<std::string> notes = {};                // what the user should know, e.g. an oracle that is not installed
  std::vector<BenchRow> rows = {};
  bool interrupted = false;
};

}  // namespace convict::bench
