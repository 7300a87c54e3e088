// SPDX-License-Identifier: Apache-2.0
#include "oracles/onednn/choice.h"

#include <cstring>

#include "oracles/onednn/attributes.h"
#include "oracles/onednn/primitive.h"

namespace convict::onednn {

/// Bytes to compare. Padding between members may differ: then the library chooses again.
Choice::Key Choice::key_of(const convict_problem& p, const convict_tensors& t, Layouts layouts) {
  Key key;
  std::memset(&key, 0, sizeof key);
  std::memcpy(&key.problem, &p, sizeof p);
  std::memcpy(&key.tensors, &t, sizeof t);
  key.layouts = layouts;
  key.tensors.workspace = nullptr;
  for (convict_tensor* tensor :
       {&key.tensors.src, &key.tensors.wei, &key.tensors.bias, &key.tensors.dst, &key.tensors.diff_src,
        &key.tensors.diff_wei, &key.tensors.diff_bias, &key.tensors.diff_dst, &key.tensors.scale,
        &key.tensors.multiplier, &key.tensors.shift}) {
    tensor->data = nullptr;
    tensor->offset = 0;
  }
  return key;
}

Choice::Choice(const convict_problem& p, const convict_tensors& t, Layouts layouts) : key_(key_of(p, t, layouts)) {
  dnnl::primitive_attr attr = describe_attributes(p, t).attr;
  attr.set_scratchpad_mode(dnnl::scratchpad_mode::user);
  describe_primitive(p, describe_operands(p, t, layouts), attr, &descriptor_);  // a refusal is `run`'s to explain
}

bool Choice::is_for(const convict_problem& p, const convict_tensors& t, Layouts layouts) const {
  if (!descriptor_) return false;
  const Key wanted = key_of(p, t, layouts);
  return std::memcmp(&wanted, &key_, sizeof wanted) == 0;
}

size_t Choice::scratchpad() const {
  return descriptor_ ? descriptor_.query_md(dnnl::query::scratchpad_md).get_size() : 0;
}

}  // namespace convict::onednn
