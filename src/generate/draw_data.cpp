// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>

#include "core/earlier.h"
#include "core/geometry.h"
#include "generate/draft.h"

namespace convict::generate {
namespace {

using namespace feature;
using namespace levels;

/// Rates of unusual values, on average over all blocks. A busy block has three times the rate, so that two or three of
/// these values meet often enough; other blocks have a third of it. Wishes add a little to each.
constexpr double kBetaRate = 0.2, kViewRate = 0.25, kCallsRate = 0.12;
constexpr double kReluRate = 0.05;  // of forward passes
constexpr double kF64Rate = 0.06, kF16Rate = 0.08, kBf16Rate = 0.08;

double rate(const Draft& draft, double average) {
  constexpr double kBusy = 3, kQuiet = (1 - kBusy * kBusyShare) / (1 - kBusyShare);
  return average * (draft.plan.busy ? kBusy : kQuiet);
}

bool is_affordable(const Case& c, const Profile& profile, double factor) {
  const convict_problem p = resolve(c).problem;
  double src = static_cast<double>(c.batch * c.ic), dst = static_cast<double>(c.batch * c.oc);
  for (int axis = 0; axis < c.rank; ++axis)
    src *= static_cast<double>(p.in[axis]), dst *= static_cast<double>(p.out[axis]);
  return multiply_adds(p) <= factor * profile.most_macs &&
         std::max(src, dst) <= factor * static_cast<double>(profile.most_elements);
}

struct Rate {
  int64_t level;
  double rate;
};
constexpr Rate kFills[] = {{static_cast<int>(Fill::kInt), 0.41},           {static_cast<int>(Fill::kComb), 0.18},
                           {static_cast<int>(Fill::kNormal), 0.10},        {static_cast<int>(Fill::kWide), 0.04},
                           {static_cast<int>(Fill::kPositive), 0.04},      {static_cast<int>(Fill::kSpecial), 0.05},
                           {static_cast<int>(Fill::kSubnormal), 0.05},     {static_cast<int>(Fill::kZero), 0.03},
                           {static_cast<int>(Fill::kStructured), 0.05},    {static_cast<int>(Fill::kLargeSums), 0.025},
                           {static_cast<int>(Fill::kSpecialWeights), 0.025}};

int draw_level(Random& random, std::span<const Rate> rates) {
  double left = static_cast<double>(random.bits() >> 11) * 0x1p-53;
  for (const Rate& rate : rates)
    if ((left -= rate.rate) < 0) return static_cast<int>(rate.level);
  return static_cast<int>(rates[0].level);
}

/// The level that the plan asks for. Without one: 0, or at the average rate one of `others`.
int level_or(Draft& draft, FeatureId id, double average, std::span<const Rate> others) {
  if (!draft.plan.is_free(id)) return draft.plan[id];
  return draft.random.chance(rate(draft, average)) ? draw_level(draft.random, others) : 0;
}

/// Draws a zero point: often the middle or an end of the type, or a neighbour of 0.
int draw_zero_point(Random& random, convict_dtype type) {
  const bool is_unsigned = type == CONVICT_U8;
  const int64_t lowest = is_unsigned ? 0 : -128, highest = lowest + 255;
  const int64_t usual[] = {0, 0, 0, 1, 3, lowest, highest, is_unsigned ? 128 : -1, is_unsigned ? 127 : -2};
  return static_cast<int>(random.chance(0.3) ? random.between(lowest, highest)
                                             : random.pick(std::span<const int64_t>(usual)));
}

void draw_integers(Draft& draft) {
  Case& c = draft.c;
  Random& random = draft.random;
  constexpr convict_dtype kOutputs[] = {CONVICT_S32, CONVICT_F32, CONVICT_S8, CONVICT_U8};
  constexpr Rate kScales[] = {{static_cast<int>(Scale::kChannel), 0.45},
                              {static_cast<int>(Scale::kTensor), 0.40},
                              {static_cast<int>(Scale::kNone), 0.15}};
  draft.enter(Step::kType);
  c.src_type = random.chance(0.6) ? CONVICT_U8 : CONVICT_S8;
  c.wei_type = CONVICT_S8;
  c.dst_type = random.pick(std::span<const convict_dtype>(kOutputs));
  draft.enter(Step::kZeroPoints);
  c.src_zero = draw_zero_point(random, c.src_type);
  if (c.dst_type == CONVICT_S8 || c.dst_type == CONVICT_U8) c.dst_zero = draw_zero_point(random, c.dst_type);
  if (c.dst_type != CONVICT_S32) c.scale = static_cast<Scale>(draw_level(random, kScales));
}

void draw_types(Draft& draft) {
  if (draft.profile.integers) return draw_integers(draft);
  Case& c = draft.c;
  draft.enter(Step::kType);
  constexpr std::array<convict_dtype, 3> kMixtures[] = {{CONVICT_BF16, CONVICT_BF16, CONVICT_F32},
                                                        {CONVICT_F16, CONVICT_F16, CONVICT_F32},
                                                        {CONVICT_F32, CONVICT_BF16, CONVICT_F32},
                                                        {CONVICT_F32, CONVICT_F16, CONVICT_F32}};
  const double all = kF64Rate + kF16Rate + kBf16Rate + draft.profile.mixed_types;
  const Rate others[] = {{levels::kF64, kF64Rate / all},
                         {levels::kF16, kF16Rate / all},
                         {levels::kBf16, kBf16Rate / all},
                         {levels::kMixed, draft.profile.mixed_types / all}};
  const int level = level_or(draft, kType, all, others);
  c.src_type = c.wei_type = c.dst_type = static_cast<convict_dtype>(CONVICT_F32 + level);
  if (level != levels::kMixed) return;
  const auto& mixture = kMixtures[draft.random.below(std::size(kMixtures))];
  c.src_type = mixture[0];
  c.wei_type = mixture[1];
  c.dst_type = mixture[2];
}

/// Whether the types can hold products of subnormals: f32 or f64.
bool holds_subnormals(const Case& c) {
  return c.src_type == c.wei_type && c.src_type == c.dst_type &&
         (c.src_type == CONVICT_F32 || c.src_type == CONVICT_F64);
}

void draw_fill(Draft& draft) {
  draft.enter(Step::kFill);
  Case& c = draft.c;
  const bool integers = draft.profile.integers;
  if (!integers && draft.plan.wishes(kFill) && draft.plan.is(kFill, static_cast<int>(Fill::kSubnormal)) &&
      !draft.plan.wishes(kType) && !holds_subnormals(c))
    c.src_type = c.wei_type = c.dst_type = CONVICT_F32;
  c.fill = static_cast<Fill>(draft.plan.is_free(kFill) ? draw_level(draft.random, kFills) : draft.plan[kFill]);
  if (c.fill == Fill::kSubnormal && !holds_subnormals(c)) c.fill = Fill::kInt;
  if ((c.fill == Fill::kSpecial || c.fill == Fill::kSpecialWeights) && integers) c.fill = Fill::kNormal;
}

void draw_beta(Draft& draft) {
  draft.enter(Step::kBeta);
  constexpr Rate kLevels[] = {{kBetaOne, 0.5}, {kOtherBeta, 0.5}};
  const int level = level_or(draft, kBeta, kBetaRate, kLevels);
  if (level == kNoBeta) return;
  constexpr double kOthers[] = {-1, 0.5, -0.5, 2, -2}, kWhole[] = {-1, 2, -2};
  // Half of an odd subnormal is not a number of the type, and s32 has no halves.
  const bool halves = draft.c.fill != Fill::kSubnormal && draft.c.dst_type != CONVICT_S32;
  draft.c.beta = level == kBetaOne ? 1 : draft.random.pick(halves ? std::span<const double>(kOthers) : kWhole);
}

void draw_layouts(Draft& draft) {
  Case& c = draft.c;
  const Profile& profile = draft.profile;
  draft.enter(Step::kLayouts);
  int level = draft.plan[kLayouts];
  if (level == Plan::kFree) {
    level = draft.random.chance(profile.channels_last) ? levels::kLast : levels::kFirst;
    if (draft.random.chance(profile.channels_last / 4))
      level = static_cast<int>(draft.random.between(levels::kLastToFirst, levels::kFirstToLast));
  }
  const auto as_layout = [](bool last) {
    return last ? ActivationLayout::kChannelsLast : ActivationLayout::kChannelsFirst;
  };
  c.src_layout = as_layout(level == levels::kLast || level == levels::kLastToFirst);
  c.dst_layout = as_layout(level == levels::kLast || level == levels::kFirstToLast);
  draft.enter(Step::kWeights);
  if (!draft.plan.is_free(feature::kWeights))
    c.wei_layout = static_cast<WeightLayout>(draft.plan[feature::kWeights]);
  else if (draft.random.chance(profile.other_weights))
    c.wei_layout = static_cast<WeightLayout>(draft.random.below(4));
}

void draw_views(Draft& draft) {
  draft.enter(Step::kViews);
  Views& views = draft.c.views;
  constexpr Rate kLevels[] = {{kSrcView, 0.25}, {kWeiView, 0.25}, {kDstView, 0.25}, {kSeveralViews, 0.25}};
  const int level = level_or(draft, kViews, kViewRate, kLevels);
  views = {level == kSrcView, level == kWeiView, level == kDstView};
  if (level != kSeveralViews) return;
  const auto without = draft.random.below(4);  // which of the three is no view; 3: all are views
  views = {without != 0, without != 1, without != 2};
}

void draw_threads(Draft& draft) {
  draft.enter(Step::kThreads);
  draft.c.threads = draft.plan.threads;
  if (!draft.plan.wishes(feature::kThreads)) return;
  const int level = draft.plan[feature::kThreads];
  if (levels::kThreadCounts[level].contain(draft.c.threads)) return;
  draft.c.threads = level == 0 ? 1 : level == 1 ? draft.random.between(2, 4) : 8;
}

/// Another value for a field of an earlier problem: twice, half, or a few more or less.
int64_t other_value(Random& random, int64_t value, int64_t unit) {
  switch (random.below(5)) {
    case 0: return value * random.between(2, 3);
    case 1: return value / 2 / unit * unit;
    case 2: return value - unit;
    default: return value + unit * random.between(1, 4);
  }
}

/// Of all operands; of integers, of one. It need not be legal.
void draw_other_type(Random& random, Case& c) {
  constexpr convict_dtype kReals[] = {CONVICT_F32, CONVICT_F64, CONVICT_F16, CONVICT_BF16};
  constexpr convict_dtype kOfIntegers[] = {CONVICT_U8, CONVICT_S8, CONVICT_S32, CONVICT_F32};
  if (is_integer(c.src_type))
    (random.chance(0.3) ? c.src_type : c.dst_type) = random.pick(std::span<const convict_dtype>(kOfIntegers));
  else
    c.src_type = c.wei_type = c.dst_type = random.pick(std::span<const convict_dtype>(kReals));
}

/// Draws how a problem is computed, with operands of the same shapes. It need not be legal.
int64_t other_way(Random& random, const Case& c, const ChangeableField& field) {
  constexpr int64_t kThreads[] = {1, 2, 3, 4, 8};
  Case other = c;
  if (field.name == "threads") return random.pick(std::span<const int64_t>(kThreads));
  if (field.name == "dt") {
    draw_other_type(random, other);
    return field.get(other, 0);
  }
  if (field.name == "clamp") {
    other.clamp_low = random.chance(0.5) ? c.dst_zero : kNoClampLow;
    other.clamp_high = random.chance(0.5) ? c.dst_zero + static_cast<int>(random.below(32)) : kNoClampHigh;
    return field.get(other, 0);
  }
  return random.between(field.lowest, field.highest);  // a switch, or one of few words
}

/// A change of a size, or of what a plan may forget beside the sizes: fused operations, types, layouts, threads.
Change draw_change(Random& random, const Case& c) {
  constexpr double kWays = 0.5;
  const auto fields = static_cast<int64_t>(changeable_fields().size());
  const auto sizes = static_cast<int64_t>(kChangeableSizes);
  const bool is_size = !random.chance(kWays);
  Change change;
  change.field = static_cast<uint8_t>(1 + (is_size ? random.below(sizes) : random.between(sizes, fields - 1)));
  const ChangeableField& field = field_of(change);
  change.axis = static_cast<uint8_t>(field.per_axis ? random.below(c.rank) : 0);
  if (is_size) {
    const bool channels = field.name == "ic" || field.name == "oc";
    change.value = std::max(field.lowest, other_value(random, field.get(c, change.axis), channels ? c.groups : 1));
  } else {
    change.value = other_way(random, c, field);
  }
  return change;
}

/// One to three problems before this one, each with one or two other sizes or ways, as far as they are legal and not
/// much more expensive. They have a stream of their own from the seed of the case, so that no other draw depends on
/// them.
void draw_earlier(Draft& draft) {
  constexpr uint64_t kStream = 0x6561726c;
  constexpr int kTries = 24;       // many ways are not legal
  constexpr double kMoreMacs = 4;  // times the budget of the case, for each: memory of a larger problem may be left
  Case& c = draft.c;
  Random random = draft.aside(Step::kCalls, kStream);
  const size_t wanted = random.chance(0.6) ? 1 : static_cast<size_t>(random.between(2, 3));
  size_t used = 0;
  for (int tries = 0; tries < kTries && used < wanted; ++tries) {
    Earlier earlier;
    const size_t changes = random.chance(0.65) ? 1 : 2;
    for (size_t i = 0; i < changes; ++i) earlier.changes[i] = draw_change(random, c);
    Case attempt = c;
    attempt.before[used] = earlier;
    const Case other = earlier_cases(attempt).back();
    const bool differs = std::ranges::all_of(earlier.changes, [&](const Change& change) {
      return change.field == 0 || field_of(change).get(c, change.axis) != change.value;
    });
    if (!differs || resolve(attempt).why_not) continue;
    if (is_affordable(other, draft.profile, kMoreMacs)) c = attempt, ++used;
  }
}

/// Requantization takes the place of scales in f32. It has a stream of its own from the seed of the case, so that no
/// other draw depends on it.
void draw_requantization(Draft& draft) {
  constexpr uint64_t kStream = 0x72657175;
  constexpr double kShare = 0.4, kWide = 0.25, kClamp = 0.3;
  Case& c = draft.c;
  Random random = draft.aside(Step::kRequantization, kStream);
  if (!draft.profile.integers || c.beta != 0 || !random.chance(kShare)) return;
  if (c.scale == Scale::kNone) c.scale = random.chance(0.8) ? Scale::kChannel : Scale::kTensor;
  if (random.chance(kWide)) {
    c.src_type = c.dst_type = CONVICT_S16;
    c.src_zero = c.dst_zero = 0;
    c.requant = Requant::kSingle;
  } else {
    if (c.dst_type != CONVICT_S8 && c.dst_type != CONVICT_U8) {
      c.dst_type = random.chance(0.75) ? CONVICT_S8 : CONVICT_U8;
      c.dst_zero = draw_zero_point(random, c.dst_type);
    }
    c.requant =
        random.pick(std::span<const Requant>({Requant::kSingle, Requant::kDouble, Requant::kDouble, Requant::kEven}));
  }
  if (!random.chance(kClamp)) return;
  // As activations have them: ReLU from the zero point on, ReLU6 up to a number above it.
  const int highest = c.dst_type == CONVICT_S16 ? kNoClampHigh : c.dst_type == CONVICT_U8 ? 255 : 127;
  c.clamp_low = c.dst_zero;
  if (random.chance(0.5)) c.clamp_high = static_cast<int>(random.between(c.dst_zero, highest));
}

}  // namespace

void draw_data(Draft& draft) {
  Case& c = draft.c;
  const Plan& plan = draft.plan;
  draft.enter(Step::kBias);
  const bool bias = plan.is_free(kBias) ? draft.random.chance(draft.profile.bias) : plan[kBias] != 0;
  c.bias = c.pass != CONVICT_BACKWARD_DATA && bias;
  draw_types(draft);
  draw_fill(draft);
  draw_beta(draft);
  draw_layouts(draft);
  draw_views(draft);
  constexpr Rate kCallLevels[] = {{static_cast<int>(Calls::kAgain), 0.25},
                                  {static_cast<int>(Calls::kRefilled), 0.20},
                                  {static_cast<int>(Calls::kAfter), 0.18},
                                  {kEarlierProblems, 0.37}};
  draft.enter(Step::kCalls);
  const int calls = level_or(draft, kCalls, kCallsRate, kCallLevels);
  if (calls != kEarlierProblems) c.calls = static_cast<Calls>(calls);
  draw_threads(draft);
  draft.enter(Step::kData);
  c.seed = draft.random.bits() >> 40;  // 24 bits are short on a line, and suffice because the problem varies too
  // These have streams of their own, so that no other draw depends on them.
  constexpr uint64_t kReluStream = 0x72656c75, kTogetherStream = 0x746f6765, kReshapedStream = 0x72657368;
  constexpr double kTogether = 0.05;  // of the calls made again: threads cost milliseconds
  constexpr double kReshaped = 0.4;   // of the calls after one for another problem
  if (calls == kCalledAgain && draft.aside(Step::kCalls, kTogetherStream).chance(kTogether)) c.calls = Calls::kTogether;
  if (calls == kCalledAfter && draft.aside(Step::kCalls, kReshapedStream).chance(kReshaped)) c.calls = Calls::kReshaped;
  if (c.pass == CONVICT_FORWARD) c.relu = draft.aside(Step::kRelu, kReluStream).chance(rate(draft, kReluRate));
  draw_requantization(draft);
  if (calls == kEarlierProblems) draw_earlier(draft);  // which differ from all of the above
}

}  // namespace convict::generate
