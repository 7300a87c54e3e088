// SPDX-License-Identifier: Apache-2.0
//
// Channels are split in two parts. If the result has these channels, the results of the parts are concatenated; if it
// sums over them, the results of the parts add up.
#include "relations/shared/split.h"

namespace convict::relations {
namespace {

bool is_tried(const Call& call, const Index& index) {
  return index.extent > 1 && (!is_summed(call, index) || keeps_sums(call.output_type));
}

const char* unsuited(const Call& call) {
  if (call.problem.groups > 1) return "groups";
  if (call.problem.ic == 1 && call.problem.oc == 1) return "one channel";
  if (!is_tried(call, x_channel_index(call)) && !is_tried(call, y_channel_index(call)))
    return "16-bit results do not add up";
  return nullptr;
}

std::optional<Violation> check(const Call& call, Runner& runner) {
  const std::optional<Results> whole = runner.run(call);
  if (!whole) return std::nullopt;
  for (const Index& channel : {x_channel_index(call), y_channel_index(call)}) {
    if (!is_tried(call, channel)) continue;
    const int64_t begins[] = {0, (channel.extent + 1) / 2};
    if (auto found = differs_from_parts(*whole, call, channel, begins, runner)) return found;
  }
  return std::nullopt;
}

}  // namespace

extern const Relation relation_channel_split = {
    "channel-split", "channels in two parts: their results add up, or stand side by side", true, unsuited, check};

}  // namespace convict::relations
