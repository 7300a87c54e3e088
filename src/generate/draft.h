// SPDX-License-Identifier: Apache-2.0
//
// A case while it is drawn. The steps run in the order of their declarations. Each follows the plan, and the profile
// where the plan leaves a choice. Every draw gives a legal case: the steps choose the output side, the input follows.
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "abi/trilinear.h"
#include "core/case.h"
#include "core/random.h"
#include "generate/choices.h"
#include "generate/plan.h"
#include "generate/profile.h"

namespace convict::generate {

/// The sizes that share the budget of multiply-adds.
enum class Size { kBatch, kGroups, kInputChannels, kOutputChannels, kKernel, kExtent };
inline constexpr int kSizeCount = 6;

/// The draft uses the terms of the trilinear form: Y is the strided side (dst of conv, src of conv_transpose), X the
/// other. Channels are those of one group.
struct Draft {
  const Profile& profile;
  const Plan& plan;
  Random& random;
  double macs;  // multiply-adds left in the budget
  const Choices* choices = nullptr;  // what each step draws with; nullptr: all of them with one stream


  Case c = {};
  int64_t x_channels = 1, y_channels = 1;
  Axes y_extent = {1, 1, 1}, x_extent = {1, 1, 1};
  Axes rest = {0, 0, 0};                    // conv: rows of X behind the last window, which add no output
  std::optional<Size> lone = std::nullopt;  // gets the whole budget, while all other sizes are minimal

  std::array<uint8_t, kStepCount> visits = {};  // how often each step was begun

  bool is_conv() const { return c.op == CONVICT_CONV; }
  /// Begins a step: what it draws follows from its word, if it has one.
  void enter(Step step) {
    if (choices) random = choices->at(step, visits[static_cast<size_t>(step)]++);
  }
  /// A stream on which no other draw depends: of the step, or of the seed of the case.
  Random aside(Step step, uint64_t stream) const {
    return choices ? choices->at(step, 0, stream) : Random(c.seed, stream);
  }
  /// Draws a value within `bounds` such that value^times fits the budget, and divides the budget by that: one of
  /// `from`, or any number that the budget allows, with equal chances for equal ratios.
  int64_t take(Size size, std::span<const int64_t> from, Bounds bounds = {0, levels::kNoEnd}, int times = 1);
};

/// A number of [lowest, highest] with equal chances for equal ratios: its density falls smoothly. Precondition: 1 <=
/// lowest <= highest.
int64_t draw_smooth(Random& random, int64_t lowest, int64_t highest);

void draw_operation(Draft& draft);
/// Batch, groups, channels, kernel and the extents of Y, as far as the budget goes; strides and dilations.
void draw_sizes(Draft& draft);
/// Halves dilations, strides, extents of Y and kernels until one channel of X is within the limit of the profile.
void tame(Draft& draft);
/// Padding, output padding, and with them the extents of X.
void draw_padding(Draft& draft);
/// Bias, beta, types, layouts, views, fill, calls, threads, ReLU.
void draw_data(Draft& draft);

/// Draws whether an axis-wise attribute is alike on all axes.
inline bool draw_alike(Draft& draft) { return draft.c.rank == 1 || draft.random.chance(draft.profile.alike_axes); }

/// The bounds that the plan asks for, or `free` if it asks for none.
template <size_t N>
Bounds asked(const Plan& plan, FeatureId feature, const Bounds (&table)[N], Bounds free = {0, levels::kNoEnd}) {
  return plan.is_free(feature) ? free : table[plan[feature]];
}

/// Whether the plan asks for an extent of dst that Y alone does not decide. Only conv_transpose has such.
inline bool asks_for_output(const Draft& draft) {
  return !draft.is_conv() && !(draft.plan.is_free(feature::kOutLast) && draft.plan.is_free(feature::kOutParity));
}

/// Draws the extent of Y on this axis such that dst of conv_transpose has the extent that the plan asks for, if stride
/// and padding allow it.
void aim_at_output(Draft& draft, int axis);

/// Whether these features have the wished levels. Precondition: they depend on kernels, strides and dilations alone.
bool meets_wish(const Draft& draft, std::span<const FeatureId> features);

/// A legal case of a profile without masks and wishes, with a sampler other than kSteered: long axes, huge tensors, or
/// the uniform baseline.
Case draw_special(const Profile& profile, Random& random);

}  // namespace convict::generate
