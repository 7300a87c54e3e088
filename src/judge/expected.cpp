// SPDX-License-Identifier: Apache-2.0
#include "judge/expected.h"

#include "abi/element.h"
#include "core/layout.h"

namespace convict::judge {

template <class W>
std::vector<W> elements_of(const convict_tensor& from) {
  std::vector<W> to(static_cast<size_t>(element_count(from)));
  W* next = to.data();
  with_type(from.dtype, [&](auto zero) {
    for_each_element<decltype(zero)>(
        from, [&](const auto& element, const int64_t*) { *next++ = static_cast<W>(number(element)); });
  });
  return to;
}

template std::vector<double> elements_of(const convict_tensor&);
template std::vector<long double> elements_of(const convict_tensor&);

}  // namespace convict::judge
