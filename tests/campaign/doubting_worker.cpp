// SPDX-License-Identifier: Apache-2.0
//
// A worker that finds in each case that the exact reference is wrong. The checker does not agree with its certificates,
// whose terms are one too many, unless the seed of the campaign is 2.
#include "core/verdict.h"
#include "tests/examine/twisted.h"
#include "workers/worker_session.h"

namespace convict {
namespace {

Mismatch doubt(bool refutable) {
  const Twisted twisted(each([](float x) { return x + 1; }));
  Mismatch found = examined(twisted, "conv2d in=5 k=3 fill=normal").mismatches.at(0);
  found.suspect = kReference;
  found.blame = Blame::kReference;
  if (refutable) *found.certificate.element.terms += 1;
  return found;
}

int work() {
  workers::Channel channel;
  const workers::WorkerSettings settings = workers::settings_from(channel.next().value());
  channel.send(workers::Loaded{{{"direct", "", "convict", "1", true}}, {}});
  const Mismatch found = doubt(settings.seed != 2);
  while (const auto line = channel.next()) {
    const auto range = std::get<workers::Work>(workers::order_from(*line));
    for (uint64_t i = 0; i < range.count; ++i)
      channel.send(workers::CaseMismatches{range.first + i * range.step, {found}});
    channel.send(workers::Done{range.count, {}, {}, {}, 0});
  }
  return 0;
}

}  // namespace
}  // namespace convict

int main() { return convict::work(); }
