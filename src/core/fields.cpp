// SPDX-License-Identifier: Apache-2.0
#include "core/fields.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <vector>

#include "abi/validity.h"
#include "core/earlier.h"
#include "core/names.h"
#include "core/text.h"

namespace convict::inline core {
namespace {

/// Calls `set(axis, part)` for each part of "AxBxC"; one part stands for all axes.
template <class Set>
void for_each_axis(std::string_view value, int rank, const Set& set) {
  const auto parts = split(value, 'x');
  if (parts.size() != 1 && parts.size() != static_cast<size_t>(rank))
    throw BadValue(fmt::format("{} values for {} axes", parts.size(), rank));
  for (int axis = 0; axis < rank; ++axis) set(axis, parts[parts.size() == 1 ? 0 : axis]);
}

constexpr std::array<std::string_view, 4> kPadModeNames = {"explicit", "same_upper", "same_lower",
                                                           "valid"};  // by PadMode

std::string print_padding(const Case& c) {
  if (c.pad_mode != PadMode::kExplicit) return std::string(kPadModeNames[static_cast<size_t>(c.pad_mode)]);
  std::string text;
  bool is_default = true;
  for (int axis = 0; axis < c.rank; ++axis) {
    is_default &= c.pad_begin[axis] == 0 && c.pad_end[axis] == 0;
    text += fmt::format("{}{}", axis == 0 ? "" : "x", c.pad_begin[axis]);
    if (c.pad_begin != c.pad_end) text += fmt::format(":{}", c.pad_end[axis]);
  }
  return is_default ? "" : text;
}

void parse_padding(std::string_view value, Case& to) {
  const std::vector<std::string> words(kPadModeNames.begin() + 1, kPadModeNames.end());
  if (const auto word = std::ranges::find(words, value); word != words.end()) {
    to.pad_mode = static_cast<PadMode>(1 + (word - words.begin()));
    return;
  }
  if (!value.empty() && value[0] >= 'a' && value[0] <= 'z') throw BadValue("unknown word" + suggestion(value, words));
  for_each_axis(value, to.rank, [&](int axis, std::string_view part) {
    const size_t colon = part.find(':');
    to.pad_begin[axis] = number_in(part.substr(0, colon), -kLargestStep, kLargestStep);
    to.pad_end[axis] = colon == std::string_view::npos ? to.pad_begin[axis]
                                                       : number_in(part.substr(colon + 1), -kLargestStep, kLargestStep);
  });
}

std::string print_types(const Case& c) {
  const std::string text = text_of_types(c);
  return text == kDataTypeNames[0] ? "" : text;
}

constexpr std::array<std::string_view, 14> kFillNames = {
    "int",  "normal",     "wide",       "positive",        "comb",   "special", "subnormal",
    "zero", "structured", "large_sums", "special_weights", "sparse", "ones",    "onehot"};  // by Fill
constexpr std::array<std::string_view, 3> kScaleNames = {"none", "tensor", "channel"};      // by Scale
constexpr std::array<std::string_view, 6> kCallsNames = {"once",  "again",    "refilled",
                                                         "after", "together", "reshaped"};  // by Calls

struct ViewName {
  bool Views::*member;
  std::string_view name;
};
constexpr ViewName kViewNames[] = {{&Views::src, "src"}, {&Views::wei, "wei"}, {&Views::dst, "dst"}};

std::string print_views(const Case& c) {
  std::string text;
  for (const ViewName& view : kViewNames)
    if (c.views.*view.member) text += (text.empty() ? "" : "+") + std::string(view.name);
  return text;
}

void parse_views(std::string_view value, Case& to) {
  for (const std::string_view part : split(value, '+')) {
    const auto found = std::ranges::find(kViewNames, part, &ViewName::name);
    if (found == std::end(kViewNames)) throw BadValue("not src, wei, dst or several of them joined by +");
    to.views.*found->member = true;
  }
}

std::string print_beta(const Case& c) { return c.beta == 0 ? "" : fmt::format("{}", c.beta); }

/// Few values, because exact data has to stay exact: multiples of 1/2 up to 2.
constexpr double kBetas[] = {0.0, 1.0, -1.0, 0.5, -0.5, 2.0, -2.0};
constexpr std::string_view kBetaNames[] = {"0", "1", "-1", "0.5", "-0.5", "2", "-2"};

void parse_beta(std::string_view value, Case& to) {
  for (const double beta : kBetas)
    if (value == fmt::format("{}", beta)) {
      to.beta = beta;
      return;
    }
  throw BadValue("not one of 0, 0.5, 1, 2 or their negatives");
}

std::string print_zero_points(const Case& c) {
  return c.src_zero == 0 && c.dst_zero == 0 ? "" : fmt::format("{}:{}", c.src_zero, c.dst_zero);
}

constexpr int64_t kLowestZero = std::numeric_limits<int8_t>::min(), kHighestZero = std::numeric_limits<uint8_t>::max();

void parse_zero_points(std::string_view value, Case& to) {
  const auto parts = split(value, ':');
  if (parts.size() != 2) throw BadValue("not of the form src:dst");
  to.src_zero = static_cast<int>(number_in(parts[0], kLowestZero, kHighestZero));
  to.dst_zero = static_cast<int>(number_in(parts[1], kLowestZero, kHighestZero));
}

std::string print_clamp(const Case& c) {
  const bool is_default = c.clamp_low == kNoClampLow && c.clamp_high == kNoClampHigh;
  return is_default ? "" : text_of_clamp(c);
}

std::string print_seed(const Case& c) { return c.seed == 0 ? "" : std::to_string(c.seed); }

void parse_seed(std::string_view value, Case& to) {
  const auto seed = parse_unsigned(value);
  if (!seed) throw BadValue("not a number of 0 to 18446744073709551615");
  to.seed = *seed;
}

constexpr auto kMostSeed = std::numeric_limits<int64_t>::max();

template <auto Member>
auto& number_at(auto& c, int axis) {
  if constexpr (std::is_same_v<decltype(Member), bool Views::*>)
    return c.views.*Member;
  else if constexpr (std::is_same_v<decltype(Member), Axes Case::*>)
    return (c.*Member)[static_cast<size_t>(axis)];
  else
    return c.*Member;
}

template <auto Member>
constexpr Slot number_slot(std::string_view name, int64_t lowest, int64_t highest,
                           std::span<const std::string_view> words = {}) {
  constexpr bool kPerAxis = std::is_same_v<decltype(Member), Axes Case::*>;
  const auto get = [](const Case& c, int axis) { return static_cast<int64_t>(number_at<Member>(c, axis)); };
  const auto set = [](Case& c, int axis, int64_t value) {
    auto& number = number_at<Member>(c, axis);
    number = static_cast<std::remove_reference_t<decltype(number)>>(value);
  };
  return {name, kPerAxis, lowest, highest, words, get, set};
}

template <auto Member>
constexpr Slot word_slot(std::string_view name, std::span<const std::string_view> words) {
  return number_slot<Member>(name, 0, static_cast<int64_t>(words.size()) - 1, words);
}

template <auto Member>
constexpr Slot type_slot(std::string_view name) {
  const auto get = [](const Case& c, int) { return place_of(c.*Member); };
  const auto set = [](Case& c, int, int64_t value) { c.*Member = kDataTypes[value]; };
  return {name, false, 0, std::size(kDataTypes) - 1, kDataTypeNames, get, set};
}

constexpr Slot of_kind(SlotKind kind, Slot slot) {
  slot.kind = kind;
  return slot;
}

constexpr std::string_view kActivationNames[] = {"channels_first", "channels_last"};  // by value
constexpr std::string_view kWeightNames[] = {"oihw", "iohw", "ohwi", "hwio"};         // by value

constexpr Slot kBatchSlots[] = {of_kind(SlotKind::kSize, number_slot<&Case::batch>("n", 0, kLargestCount))};
constexpr Slot kGroupSlots[] = {of_kind(SlotKind::kGroups, number_slot<&Case::groups>("g", 1, kLargestCount))};
constexpr Slot kIcSlots[] = {of_kind(SlotKind::kChannels, number_slot<&Case::ic>("ic", 0, kLargestCount))};
constexpr Slot kOcSlots[] = {of_kind(SlotKind::kChannels, number_slot<&Case::oc>("oc", 0, kLargestCount))};
constexpr Slot kInSlots[] = {of_kind(SlotKind::kSize, number_slot<&Case::in>("in", 0, kLargestCount))};
constexpr Slot kKernelSlots[] = {number_slot<&Case::kernel>("k", 1, kLargestStep)};
constexpr Slot kStrideSlots[] = {number_slot<&Case::stride>("s", 1, kLargestStep)};
constexpr Slot kDilationSlots[] = {number_slot<&Case::dilation>("d", 1, kLargestStep)};
constexpr Slot kPaddingSlots[] = {
    of_kind(SlotKind::kPaddingWord, word_slot<&Case::pad_mode>("p.mode", kPadModeNames)),
    of_kind(SlotKind::kPadding, number_slot<&Case::pad_begin>("p.begin", -kLargestStep, kLargestStep)),
    of_kind(SlotKind::kPadding, number_slot<&Case::pad_end>("p.end", -kLargestStep, kLargestStep))};
constexpr Slot kOutputPaddingSlots[] = {
    of_kind(SlotKind::kOutputPadding, number_slot<&Case::output_padding>("op", 0, kLargestStep))};
constexpr Slot kBiasSlots[] = {word_slot<&Case::bias>("bias", kNoYes)};
constexpr Slot kBetaSlots[] = {
    {"beta", false, 0, std::size(kBetas) - 1, kBetaNames,
     [](const Case& c, int) { return std::ranges::find(kBetas, c.beta) - std::begin(kBetas); },
     [](Case& c, int, int64_t value) { c.beta = kBetas[value]; }}};
constexpr Slot kReluSlots[] = {word_slot<&Case::relu>("relu", kNoYes)};
constexpr Slot kZeroSlots[] = {number_slot<&Case::src_zero>("zp.src", kLowestZero, kHighestZero),
                               number_slot<&Case::dst_zero>("zp.dst", kLowestZero, kHighestZero)};
constexpr Slot kScaleSlots[] = {word_slot<&Case::scale>("scale", kScaleNames)};
constexpr Slot kRequantSlots[] = {word_slot<&Case::requant>("requant", kRequantNames)};
constexpr Slot kClampSlots[] = {number_slot<&Case::clamp_low>("clamp.low", kNoClampLow, kNoClampHigh),
                                number_slot<&Case::clamp_high>("clamp.high", kNoClampLow, kNoClampHigh)};
constexpr Slot kTypeSlots[] = {type_slot<&Case::src_type>("dt.src"), type_slot<&Case::wei_type>("dt.wei"),
                               type_slot<&Case::dst_type>("dt.dst")};
constexpr Slot kLayoutSlots[] = {word_slot<&Case::src_layout>("lay.src", kActivationNames),
                                 word_slot<&Case::wei_layout>("lay.wei", kWeightNames),
                                 word_slot<&Case::dst_layout>("lay.dst", kActivationNames)};
constexpr Slot kViewSlots[] = {word_slot<&Views::src>("view.src", kNoYes), word_slot<&Views::wei>("view.wei", kNoYes),
                               word_slot<&Views::dst>("view.dst", kNoYes)};
constexpr Slot kFillSlots[] = {of_kind(SlotKind::kFill, word_slot<&Case::fill>("fill", kFillNames))};
constexpr Slot kSeedSlots[] = {of_kind(SlotKind::kSeed, number_slot<&Case::seed>("seed", 0, kMostSeed))};
constexpr Slot kThreadSlots[] = {number_slot<&Case::threads>("threads", 1, kLargestThreads)};
template <size_t which>
constexpr Slot earlier_slot(std::string_view name) {
  return {name,
          false,
          0,
          1,
          kNoYes,
          [](const Case& c, int) { return int64_t{c.before[which].is_used()}; },
          [](Case& c, int, int64_t value) { value == 0 ? drop_earlier(c, which) : add_earlier(c, which); },
          SlotKind::kEarlier};
}
constexpr Slot kEarlierSlots[] = {earlier_slot<0>("before.1"), earlier_slot<1>("before.2"),
                                  earlier_slot<2>("before.3")};
constexpr Slot kCallSlots[] = {word_slot<&Case::calls>("calls", kCallsNames)};

constexpr Field kFields[] = {
    {"n", "batch: a number from 0 (default 1)", kBatchSlots},
    {"g", "groups: a number from 1 (default 1)", kGroupSlots},
    {"ic", "input channels of all groups: a number from 0 (default 1)", kIcSlots},
    {"oc", "output channels of all groups: a number from 0 (default 1)", kOcSlots},
    {.key = "in",
     .help = "spatial input extents from 0, one for all axes or one each: 9, 5x9, 3x5x9 (no default)",
     .slots = kInSlots,
     .required = true},
    {"k", "kernel extents from 1: 3, 3x7 (default 1)", kKernelSlots},
    {"s", "strides from 1: 2, 2x1 (default 1)", kStrideSlots},
    {"d", "dilations from 1, 1 is dense: 2, 1x2 (default 1)", kDilationSlots},
    {"p",
     "padding, negative crops: 1, 1x2, begin:end for an axis (0:1x3:3), same_upper, same_lower or valid (default 0)",
     kPaddingSlots, print_padding, parse_padding},
    {"op", "output padding of conv_transpose from 0: 1, 1x0 (default 0)", kOutputPaddingSlots},
    {.key = "bias",
     .help = "a bare word: forward adds a bias, backward_weights computes its gradient",
     .slots = kBiasSlots,
     .bare = true},
    {"beta", "the old contents of the output times this are added: 0.5, 1, 2 or a negative of them (default 0)",
     kBetaSlots, print_beta, parse_beta},
    {.key = "relu",
     .help = "a bare word: forward replaces what is negative in the end by 0",
     .slots = kReluSlots,
     .bare = true},
    {"dt",
     "data types, one for all or src:wei:dst, of f32, f64, f16 and bf16; or u8 or s8, s8, and s32, f32, s8 or u8; or "
     "s16:s8:s16 with requant (default f32)",
     kTypeSlots, print_types, parse_types},
    {"zp", "zero points src:dst of u8 and s8: 128:0, -3:5 (default 0:0)", kZeroSlots, print_zero_points,
     parse_zero_points},
    {"scale", "what sums of integers are multiplied by: none, tensor (one number) or channel (one each) (default none)",
     kScaleSlots},
    {"requant",
     "how sums of integers become integers by multipliers and shifts, of the tensor or of each channel (scale): single "
     "(one rounding, halves upward), double (two roundings) or even (halves to even) (default none)",
     kRequantSlots},
    {"clamp", "ends low:high of requantized results, numbers of dst: 0:127 (default -32768:32767)", kClampSlots,
     print_clamp, parse_clamp},
    {"lay",
     "layouts src:wei:dst, for rank 2 of nchw nhwc and oihw iohw ohwi hwio (default nchw:oihw:nchw, conv_transpose "
     "iohw)",
     kLayoutSlots, print_layouts, parse_layouts},
    {"view", "operands that are parts of a larger buffer: src, wei, dst, src+dst... (default none)", kViewSlots,
     print_views, parse_views},
    {"fill",
     "data: int (exact integers, default), comb (one product per output), normal, positive or wide (reals), special "
     "(NaN, infinities), special_weights, structured (weights with zero slices, runs or patterns), large_sums (near "
     "2^24), subnormal, zero, sparse, ones, onehot (the seed says where)",
     kFillSlots},
    {"seed", "of the data: a number from 0 (default 0)", kSeedSlots, print_seed, parse_seed},
    {"threads", "a number from 1 to 1024 (default 1)", kThreadSlots},
    {"calls",
     "what an implementation is called for: once (default), again (twice), refilled (with other contents before), "
     "after (another problem), together (with calls on other threads, where it allows that) or reshaped (prepared for "
     "another batch size or extent, where it can do that)",
     kCallSlots},
    {"before",
     "up to 3 problems computed first, by what differs: relu:1 or oc:8,in[1]:9, apart by '/' (default none)",
     kEarlierSlots, text_of_earlier,
     [](std::string_view value, Case& to) {
       if (const std::string why = read_earlier(value, to); !why.empty()) throw BadValue(why);
     }},
};

}  // namespace

std::span<const Field> fields() { return kFields; }

std::string Field::print(const Case& c) const {
  if (print_slots) return print_slots(c);
  const Slot& slot = slots.front();
  std::string text;
  bool is_default = !required;
  for (int axis = 0; axis < count_of(slot, c.rank); ++axis) {
    const int64_t value = slot.get(c, axis);
    is_default &= value == slot.get(Case(), axis);
    if (axis > 0) text += 'x';
    text += slot.words.empty() ? std::to_string(value) : slot.words[static_cast<size_t>(value)];
  }
  return is_default ? "" : bare ? std::string(key) : text;
}

void Field::parse(std::string_view value, Case& to) const {
  if (parse_slots) return parse_slots(value, to);
  const Slot& slot = slots.front();
  const auto set = [&](int axis, std::string_view part) {
    slot.set(to, axis, number_in(part, slot.lowest, slot.highest));
  };
  if (bare) return slot.set(to, 0, 1);
  if (slot.per_axis) return for_each_axis(value, to.rank, set);
  if (slot.words.empty()) return set(0, value);
  const auto word = std::ranges::find(slot.words, value);
  if (word == slot.words.end())
    throw BadValue("unknown word" + suggestion(value, std::vector<std::string>(slot.words.begin(), slot.words.end())));
  slot.set(to, 0, word - slot.words.begin());
}

std::span<const Slot> slots() {
  static const std::vector<Slot> all = [] {
    std::vector<Slot> list;
    for (const Field& field : kFields) list.insert(list.end(), field.slots.begin(), field.slots.end());
    return list;
  }();
  return all;
}

Case plain_case(const Case& c) {
  Case plain;
  plain.op = c.op;
  plain.pass = c.pass;
  plain.rank = c.rank;
  plain.wei_layout = default_weight_layout(c.op);
  return plain;
}

}  // namespace convict::inline core
