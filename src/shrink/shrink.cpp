// SPDX-License-Identifier: Apache-2.0
#include "shrink/shrink.h"

#include <set>
#include <string>

#include "core/case_text.h"
#include "core/geometry.h"
#include "shrink/passes.h"

namespace convict::shrink {
namespace {

class Shrinking {
 public:
  Shrinking(const Case& c, const StillFails& still_fails, const GoOn& go_on)
      : best_(c), still_fails_(still_fails), go_on_(go_on) {
    tried_.insert(to_text(c));
  }

  Case run() {
    do {
      while (exhaust(shrink_passes())) {
      }
      // What uses up many runs comes last.
    } while (improve(axis_orders) || improve(joint_steps) || improve(one_hot_seeds) || improve(near_plain) ||
             improve(reseeded_steps));
    return best_;
  }

 private:
  /// Whether any pass made the case smaller. After a success the same pass goes on from there.
  bool exhaust(const std::vector<ShrinkPass>& passes) {
    bool any = false;
    for (const ShrinkPass pass : passes)
      while (improve(pass)) any = true;
    return any;
  }

  bool improve(ShrinkPass pass) {
    const Case from = best_;
    for (const Case& step : pass(from))
      for (const Case& candidate : with_product_of(from, step))
        if (accept(candidate)) return true;
    return false;
  }

  bool accept(const Case& candidate) {
    if (stopped_ || !tried_.insert(to_text(candidate)).second || resolve(candidate).why_not) return false;
    stopped_ = !go_on_();
    if (stopped_ || !still_fails_(candidate)) return false;
    best_ = candidate;
    return true;
  }

  Case best_;
  const StillFails& still_fails_;
  const GoOn& go_on_;
  std::set<std::string> tried_;  // also prevents cycles between passes
  bool stopped_ = false;
};

}  // namespace

Case shrink(const Case& c, const StillFails& still_fails, const GoOn& go_on) {
  return Shrinking(c, still_fails, go_on).run();
}

}  // namespace convict::shrink
