// SPDX-License-Identifier: Apache-2.0
//
// What is to be measured.
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
  std::string set, label;  // the corpus file without its suffix; what the file calls the layer, or its case line
};

/// The entries in each of the passes, or in their own if there are none. Left out are cases that must be refused.
/// Throws UsageError for a case with beta: each call would add to the results of the one before.
std::vector<BenchLayer> layers_of(std::span<const CorpusEntry> entries, std::span<const convict_pass> passes);

/// Floating-point operations of a problem: two for each product inside the image, none for padding and for bias.
double flops_of(const Case& c);

}  // namespace convict::bench
