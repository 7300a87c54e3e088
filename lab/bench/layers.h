// SPDX-License-Identifier: Apache-2.0
//
// The layers to be measured.
#pragma once

#include <array>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/corpus.h"

namespace convict::bench {

inline constexpr std::array<std::string_view, 3> kPassNames = {"forward", "backward_data", "backward_weights"};

constexpr std::string_view pass_name(convict_pass pass) { return kPassNames[static_cast<size_t>(pass) - 1]; }

/// One problem; its case has one thread.
struct BenchLayer {
  Case c;
  std::string set, label;  // the corpus file without its suffix; the layer's name in that file, or its case line
};

/// Every entry in each of `passes`, or in its own pass if `passes` is empty. Omits cases that must be refused, and
/// gradients where only forward is legal.
/// Throws UsageError for a case with beta: each call would add to the results of the previous call.
std::vector<BenchLayer> layers_of(std::span<const CorpusEntry> entries, std::span<const convict_pass> passes);

/// Floating-point operations of a problem: two for each product inside the image, none for padding or bias.
double flops_of(const Case& c);

/// Of all operands and results of a problem, as they lie in memory.
double bytes_of(const Case& c);

}  // namespace convict::bench
