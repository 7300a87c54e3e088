// SPDX-License-Identifier: Apache-2.0
#include "generate/draw.h"

#include <algorithm>
#include <iterator>

#include "abi/validity.h"
#include "core/geometry.h"
#include "generate/cost.h"
#include "generate/draft.h"

namespace convict::generate {
namespace {

constexpr int kAttempts = 4;  // of a case with a wish

/// The profile as this case has it: with its own share of multiply-adds and of elements. Large ones are the rarer the
/// more they cost. Many products come with many elements.
Profile within_budget(Profile profile, bool roomy, Random& random) {
  constexpr double kRoom = 8;  // times as much at least, where a wish needs it
  constexpr double kProductsOfAnElement = 4, kLeastElements = 512;
  const double more = roomy ? kRoom : 1;
  const auto most = static_cast<double>(profile.most_elements);
  profile.most_macs =
      draw_budget(random, more * profile.least_macs, profile.most_macs, kFreeMacs);
  const double elements = draw_budget(random, more * kLeastElements, most, kFreeElements);
  profile.most_elements =
      static_cast<int64_t>(std::min(std::max(elements, profile.most_macs / kProductsOfAnElement), most));
  return profile;
}

/// Reduces batch, then groups, then channels while a tensor or the cost is too large. Keeps the drawn geometry.
void trim(const Profile& profile, Draft& draft) {
  Case& c = draft.c;
  double x = 1, y = 1, taps = 1;
  for (int axis = 0; axis < c.rank; ++axis) {
    x *= static_cast<double>(draft.x_extent[axis]);
    y *= static_cast<double>(draft.y_extent[axis]);
    taps *= static_cast<double>(c.kernel[axis]);
  }
  const auto fits = [&] {
    const auto images = static_cast<double>(c.batch * c.groups);
    const auto x_channels = static_cast<double>(draft.x_channels), y_channels = static_cast<double>(draft.y_channels);
    return images * std::max(x * x_channels, y * y_channels) <= static_cast<double>(profile.most_elements) &&
           images * x_channels * y_channels * taps * y <= profile.most_macs;
  };
  for (int64_t* count : {&c.batch, &c.groups, &draft.x_channels, &draft.y_channels})
    while (*count > 1 && !fits()) *count /= 2;
}

/// Makes a case illegal in one way. Returns false if the case does not allow it.
using Spoil = bool (*)(Case&, const convict_problem&, Random&, int axis);

bool too_much_output_padding(Case& c, const convict_problem&, Random& random, int axis) {
  if (c.op != CONVICT_CONV_TRANSPOSE || is_same(c)) return false;
  c.output_padding[axis] = std::max(c.stride[axis], c.dilation[axis]) + random.below(2);
  return true;
}

bool output_padding_of_conv(Case& c, const convict_problem&, Random&, int axis) {
  if (c.op != CONVICT_CONV || is_same(c)) return false;
  c.output_padding[axis] = 1;
  return true;
}

/// Sets groups that divide the channels of one side only.
bool groups_do_not_divide(Case& c, int64_t Case::*broken, int64_t Case::*whole, Random& random) {
  if (c.groups == 1) {
    c.groups = random.between(2, 3);
    c.*whole *= c.groups;
    c.*broken *= c.groups;
  }
  c.*broken += random.between(1, c.groups - 1);
  return true;
}

bool groups_do_not_divide_ic(Case& c, const convict_problem&, Random& random, int) {
  return groups_do_not_divide(c, &Case::ic, &Case::oc, random);
}

bool groups_do_not_divide_oc(Case& c, const convict_problem&, Random& random, int) {
  return groups_do_not_divide(c, &Case::oc, &Case::ic, random);
}

bool window_too_large(Case& c, const convict_problem& p, Random& random, int axis) {
  if (c.op != CONVICT_CONV || is_same(c)) return false;
  const int64_t padded = c.in[axis] + p.pad_begin[axis] + p.pad_end[axis];  // a window of one more does not fit
  c.kernel[axis] = (padded + c.dilation[axis] - 1) / c.dilation[axis] + 1 + random.below(2);
  return true;
}

bool everything_cropped(Case& c, const convict_problem& p, Random& random, int axis) {
  if (c.pad_mode != PadMode::kExplicit) return false;
  int64_t& side = random.chance(0.5) ? c.pad_begin[axis] : c.pad_end[axis];
  const int64_t more = random.below(2);
  if (c.op == CONVICT_CONV_TRANSPOSE)
    side += p.out[axis] + more;
  else
    side -= c.in[axis] + c.pad_begin[axis] + c.pad_end[axis] + more;
  return true;
}

constexpr Spoil kSpoils[] = {too_much_output_padding, output_padding_of_conv, groups_do_not_divide_ic,
                             groups_do_not_divide_oc, window_too_large,       everything_cropped};

}  // namespace

Case draw(const Profile& usual, const Plan& plan, Random& random, const Choices* choices) {
  Profile profile = plan.typical ? with_typical_values(usual) : usual;
  Draft draft{profile, plan, random, 0, choices};
  draft.enter(Step::kBudget);
  profile = within_budget(profile, plan.roomy, random);
  draft.macs = profile.most_macs;
  draw_operation(draft);
  draw_sizes(draft);
  draw_padding(draft);
  trim(profile, draft);
  Case& c = draft.c;
  c.ic = c.groups * (draft.is_conv() ? draft.x_channels : draft.y_channels);
  c.oc = c.groups * (draft.is_conv() ? draft.y_channels : draft.x_channels);
  draw_data(draft);
  return c;
}

bool shows(const Case& c, const Tuple& wish) {
  const Resolved resolved = resolve(c);
  for (int i = 0; i < wish.size; ++i)
    if (features()[wish.feature[i]].level(c, resolved.problem) != wish.level[i]) return false;
  return true;
}

Case draw_wished(const Profile& profile, const Plan& mask, const Tuple& wish, Random& random) {
  Plan plan = mask;
  Case c;
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    if (attempt > 0) {
      plan = {};  // drops typical values, too
      plan.threads = mask.threads;
      plan.roomy = true;
    }
    plan.wish(wish);
    plan.thrifty = attempt >= 2;
    c = draw(profile, plan, random);
    if (shows(c, wish)) break;
  }
  return c;
}

namespace {

Case drawn(const Profile* profile, const Recipe& recipe) {
  const Choices& choices = recipe.choices;
  Random pick = choices.at(Step::kProfile), numbers = choices.at(Step::kIntegers);
  const Profile one = drawn_profile(profile, pick, numbers);
  Random random = choices.at(Step::kOrder);
  if (one.sampler != Sampler::kSteered) return draw_special(one, random);
  Plan plan = mask_of(one, choices);
  if (recipe.wish != Recipe::kNoWish) plan.wish(tuple_of(recipe.wish));
  return draw(one, plan, random, &choices);
}

/// Gives `c` what these steps decided of `from`.
void keep(Case& c, const Case& from, uint64_t steps) {
  const auto keeps = [&](Step step) { return (steps >> static_cast<int>(step) & 1) != 0; };
  const auto take = [&](Step step, auto... fields) {
    if (keeps(step)) ((c.*fields = from.*fields), ...);
  };
  take(Step::kOperation, &Case::op, &Case::wei_layout);
  take(Step::kPass, &Case::pass);
  take(Step::kBatch, &Case::batch);
  if (keeps(Step::kGrouping)) {
    c.ic = keeps(Step::kInput) ? from.ic : c.ic / c.groups * from.groups;
    c.oc = keeps(Step::kOutput) ? from.oc : c.oc / c.groups * from.groups;
    c.groups = from.groups;
  }
  take(Step::kBias, &Case::bias);
  take(Step::kType, &Case::src_type, &Case::wei_type, &Case::dst_type);
  take(Step::kZeroPoints, &Case::src_zero, &Case::dst_zero, &Case::scale);
  take(Step::kRequantization, &Case::requant, &Case::clamp_low, &Case::clamp_high);
  take(Step::kBeta, &Case::beta);
  take(Step::kLayouts, &Case::src_layout, &Case::dst_layout);
  take(Step::kWeights, &Case::wei_layout);
  take(Step::kViews, &Case::views);
  take(Step::kThreads, &Case::threads);
  take(Step::kRelu, &Case::relu);
  if (from.calls != Case().calls) take(Step::kCalls, &Case::calls);  // the usual ones say nothing
  if (from.fill != Case().fill) take(Step::kFill, &Case::fill);
  if (keeps(Step::kRank)) c.rank = from.rank;
  if (c.rank != from.rank) return;
  take(Step::kKernel, &Case::kernel);
  take(Step::kStride, &Case::stride);
  take(Step::kDilation, &Case::dilation);
  take(Step::kExtent, &Case::in);
  take(Step::kPadding, &Case::pad_mode, &Case::pad_begin, &Case::pad_end);
  take(Step::kOutputPadding, &Case::output_padding);
}

}  // namespace

Case made(const Profile* profile, const Recipe& recipe, std::span<const Case> examples) {
  Case c = drawn(profile, recipe);
  if (recipe.kept == 0) return c;
  keep(c, examples[recipe.example], recipe.kept);
  c.before = {};  // they were legal for what was drawn
  return c;
}

bool is_worth_asking(const Case& c, const Recipe& recipe) {
  const bool shows_its_wish = recipe.wish == Recipe::kNoWish || shows(c, tuple_of(recipe.wish));
  return shows_its_wish && (recipe.kept == 0 || can_be_asked(c));
}

bool is_one_too_many(const Profile* profile, const Case& c, const Recipe& recipe) {
  constexpr double kOneChannel = 0.5, kOneTap = 0.4;  // are left out
  if (!profile || profile->sampler != Sampler::kMixed || recipe.wish != Recipe::kNoWish) return false;
  const bool one_channel = c.ic == 1 && c.oc == 1;
  const bool one_tap = std::ranges::all_of(c.kernel, [](int64_t extent) { return extent == 1; });
  if (!one_channel && !one_tap) return false;
  Random random = recipe.choices.at(Step::kData, 0, 1);
  return random.chance(1 - (one_channel ? 1 - kOneChannel : 1) * (one_tap ? 1 - kOneTap : 1));
}

void make_illegal(Case& c, Random& random) {
  c.before = {};  // they would be illegal as well
  const convict_problem p = resolve(c).problem;
  const auto first = random.below(std::size(kSpoils));
  const auto axis = static_cast<int>(random.below(c.rank));
  for (size_t i = 0; i < std::size(kSpoils); ++i)  // one always works: groups have no condition
    if (kSpoils[(static_cast<size_t>(first) + i) % std::size(kSpoils)](c, p, random, axis)) return;
}

using namespace feature;
using namespace levels;

void draw_operation(Draft& draft) {
  const Plan& plan = draft.plan;
  Random& random = draft.random;
  Case& c = draft.c;
  draft.enter(Step::kOperation);
  c.op = random.chance(draft.profile.transposed) ? CONVICT_CONV_TRANSPOSE : CONVICT_CONV;
  if (draft.profile.transposed < 1 && !plan.is_free(kRemainder) && plan[kRemainder] != kNothingLeft)
    c.op = CONVICT_CONV;
  if (!plan.is_free(kOutputPadding) && plan[kOutputPadding] != kNoOutputPadding) c.op = CONVICT_CONV_TRANSPOSE;
  if (!plan.is_free(kOp) && (draft.profile.transposed < 1 || plan.wishes(kOp)))
    c.op = static_cast<convict_op>(CONVICT_CONV + plan[kOp]);
  draft.enter(Step::kPass);
  c.pass = static_cast<convict_pass>(CONVICT_FORWARD + (plan.is_free(kPass) ? random.below(3) : plan[kPass]));
  if (plan.is_free(kPass) && plan.is(kBias, 1) && c.pass == CONVICT_BACKWARD_DATA)
    c.pass = random.chance(0.5) ? CONVICT_FORWARD : CONVICT_BACKWARD_WEIGHTS;
  if (draft.profile.integers) c.pass = CONVICT_FORWARD;
  draft.enter(Step::kRank);
  c.rank = plan.is_free(kRank) ? static_cast<int>(random.pick(draft.profile.ranks)) : 1 + plan[kRank];
  const bool needs_axes = plan[kKernelAxes] >= kOddDiffer || plan[kStride] >= kDifferLastOne ||
                          plan.is(kDilation, kDilationsDiffer) || plan.is(kInAxes, kDiffer) ||
                          plan.is(kOutputPadding, kSomeAxes);
  if (plan.is_free(kRank) && needs_axes) c.rank = std::max(c.rank, 2);
  c.wei_layout = default_weight_layout(c.op);
}

}  // namespace convict::generate
