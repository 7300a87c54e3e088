// SPDX-License-Identifier: Apache-2.0
//
// A kernel that is right, and what is done to its results: what a case shows of a fault.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "abi/element.h"
#include "certificate/check.h"
#include "core/case_text.h"
#include "examine/pipeline.h"
#include "run/loader.h"
#include "tests/examine/direct_kernel.h"

namespace convict {

using Twist = std::function<void(const convict_problem&, const convict_tensors&)>;

/// The correct kernel, and what is done to its results after each call.
struct Twisted : convict_implementation {
  explicit Twisted(Twist twist = [](const auto&, const auto&) {}) : convict_implementation(direct()), twist_(twist) {
    name = "twisted";
    lineage = "twisted";
    run = [](const convict_implementation* self, const convict_problem* p, const convict_tensors* t, char* error,
             size_t size) {
      const convict_status status = direct().run(self, p, t, error, size);
      static_cast<const Twisted*>(self)->twist_(*p, *t);
      return status;
    };
  }
  Twist twist_;
};

inline examine::Examination examined(const convict_implementation& target, const std::string& line,
                                     bool with_witness = false) {
  std::vector<run::Subject> subjects = {{&target, true, ""}};
  if (with_witness) subjects.push_back({&direct(), false, ""});
  return examine::LocalExaminer{std::move(subjects)}.examine(parse_case(line));
}

/// Applies `change(value)` to every element of dst.
inline Twist each(const std::function<float(float)>& change) {
  return [=](const convict_problem&, const convict_tensors& t) {
    for_each_element<float>(t.dst, [&](float& element, const int64_t*) { element = change(element); });
  };
}

inline certificate::CertificateCheck checked(const Mismatch& found) {
  return certificate::check_certificate(found.problem_case, found.verdict, found.certificate);
}

}  // namespace convict
