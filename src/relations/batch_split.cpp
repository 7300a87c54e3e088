// SPDX-License-Identifier: Apache-2.0
//
// Images are independent: each gives the same result alone as in a batch, in any order. A weight gradient is the sum of
// the weight gradients of the images.
#include "relations/shared/split.h"

namespace convict::relations {
namespace {

Index image_index(const Call& call) {
  return {"image", call.problem.batch, 0, -1, 0, false, [](convict_problem& p, int64_t begin, int64_t end) {
            p.batch = end - begin;
          }};
}

const char* unsuited(const Call& call) {
  if (call.problem.batch == 1) return "one image";
  if (is_summed(call, image_index(call)) && !keeps_sums(call.output_type)) return "16-bit results do not add up";
  return nullptr;
}

std::optional<Violation> differs_backwards(const Results& original, const Call& call, Runner& runner) {
  Call backwards = call;
  x_of(backwards) = flipped(x_of(call), 0);
  y_of(backwards) = flipped(y_of(call), 0);
  return differs(original, backwards, runner, "the images in reverse order", [&](Results& r) {
    if (face_of(call) != Face::kW) r.main = flipped(r.main, 0);
  });
}

std::optional<Violation> check(const Call& call, Runner& runner) {
  const std::optional<Results> whole = runner.run(call);
  if (!whole) return std::nullopt;
  const Index image = image_index(call);
  if (auto found = differs_from_parts(*whole, call, image, cuts_of(image), runner)) return found;
  return differs_backwards(*whole, call, runner);
}

}  // namespace

extern const Relation relation_batch_split = {"batch-split", "images together give what each gives alone, in any order",
                                              true, unsuited, check};

}  // namespace convict::relations
