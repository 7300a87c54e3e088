// SPDX-License-Identifier: Apache-2.0
#include "lab/faults/effects.h"

#include <algorithm>
#include <array>
#include <vector>

#include "abi/element.h"
#include "core/layout.h"
#include "core/names.h"
#include "lab/faults/sound_kernel.h"

namespace convict::faults {
namespace {

using Coordinates = std::array<int64_t, CONVICT_MAX_DIMS>;

double get(const convict_tensor& tensor, const Coordinates& at) {
  return with_type(tensor.dtype, [&](auto zero) {
    return static_cast<double>(number(static_cast<const decltype(zero)*>(tensor.data)[position_of(tensor, at.data())]));
  });
}

void put(const convict_tensor& tensor, const Coordinates& at, double value) {
  with_type(tensor.dtype, [&](auto zero) {
    static_cast<decltype(zero)*>(tensor.data)[position_of(tensor, at.data())] = element_of<decltype(zero)>(value);
  });
}

bool is_empty(const convict_tensor& tensor) { return tensor.ndim == 0 || element_count(tensor) == 0; }

/// The last element.
Coordinates last_of(const convict_tensor& tensor) {
  Coordinates at = {};
  for (int dim = 0; dim < tensor.ndim; ++dim) at[static_cast<size_t>(dim)] = tensor.dims[dim] - 1;
  return at;
}

/// Whether the effect takes this weight for zero.
bool is_lost(Effect effect, const convict_problem& p, const convict_tensor& wei, const int64_t* at) {
  if (effect == Effect::kChannelLost) {
    const int dim = p.op == CONVICT_CONV ? 1 : 0;
    const int64_t per_group = std::max<int64_t>(1, p.op == CONVICT_CONV ? wei.dims[1] : wei.dims[0] / p.groups);
    return at[dim] % per_group == per_group - 1;
  }
  for (int dim = 2; dim < wei.ndim; ++dim)
    if (at[dim] != wei.dims[dim] - 1) return false;
  return true;
}

/// A copy of the buffer of the weights, in which the lost ones are 0.
std::vector<unsigned char> without_lost(Effect effect, const convict_problem& p, convict_tensor& wei) {
  const size_t size = type_size(wei.dtype);
  const auto* begin = static_cast<const unsigned char*>(wei.data);
  std::vector<unsigned char> copy(begin, begin + static_cast<size_t>(buffer_count(wei) - wei.offset) * size);
  wei.data = copy.data();
  with_type(wei.dtype, [&](auto zero) {
    for_each_element<decltype(zero)>(wei, [&](auto& element, const int64_t* at) {
      if (is_lost(effect, p, wei, at)) element = decltype(zero){};
    });
  });
  return copy;
}

convict_status run_sound(const convict_problem& p, const convict_tensors& t, char* error, size_t error_size) {
  const convict_implementation& sound = sound_kernel();
  return sound.run(&sound, &p, &t, error, error_size);
}

/// Lost weights; where weights are computed, their gradients are lost.
convict_status run_without(Effect effect, const convict_problem& p, convict_tensors t, char* error, size_t error_size) {
  if (p.pass == CONVICT_BACKWARD_WEIGHTS) {
    const convict_status status = run_sound(p, t, error, error_size);
    with_type(t.diff_wei.dtype, [&](auto zero) {
      for_each_element<decltype(zero)>(t.diff_wei, [&](auto& element, const int64_t* at) {
        if (is_lost(effect, p, t.diff_wei, at)) element = decltype(zero){};
      });
    });
    return status;
  }
  if (is_empty(t.wei)) return run_sound(p, t, error, error_size);
  const std::vector<unsigned char> copy = without_lost(effect, p, t.wei);
  return run_sound(p, t, error, error_size);
}

void copy_neighbours(const convict_tensor& out) {
  const int dim = out.ndim - 1;
  if (out.dims[dim] < 2) return;
  with_type(out.dtype, [&](auto zero) {
    for_each_element<decltype(zero)>(out, [&](auto& element, const int64_t* at) {
      if (at[dim] == out.dims[dim] - 1) element = *(&element - out.strides[dim]);
    });
  });
}

void exchange_axes(const convict_tensor& out) {
  const int dim = out.ndim - 1;
  if (out.ndim < 4 || out.dims[dim] < 2 || out.dims[dim - 1] < 2) return;
  Coordinates first = last_of(out), second = first;
  first[static_cast<size_t>(dim)] = second[static_cast<size_t>(dim) - 1] = 0;
  first[static_cast<size_t>(dim) - 1] = second[static_cast<size_t>(dim)] = 1;
  const double other = get(out, first);
  put(out, first, get(out, second));
  put(out, second, other);
}

/// The last elements of the last row, eight at most.
convict_status run_without_tail(const convict_problem& p, const convict_tensors& t, char* error, size_t error_size) {
  const convict_tensor& out = output_of(p, t);
  std::vector<double> old;
  Coordinates at = last_of(out);
  int64_t& last = at[static_cast<size_t>(out.ndim) - 1];
  const int64_t end = out.dims[out.ndim - 1], begin = end - (end % 8 == 0 ? 1 : end % 8);
  for (last = begin; last < end; ++last) old.push_back(get(out, at));
  const convict_status status = run_sound(p, t, error, error_size);
  for (last = begin; last < end; ++last) put(out, at, old[static_cast<size_t>(last - begin)]);
  return status;
}

/// A sixteenth of the element, or 1 of an integer.
void disturb(const convict_tensor& out) {
  Coordinates at = last_of(out);
  for (int64_t& index : at) index /= 2;
  const double value = get(out, at);
  put(out, at, is_integer(out.dtype) ? value + 1 : value * (1 + 0x1p-4));
}

}  // namespace

const convict_tensor& output_of(const convict_problem& p, const convict_tensors& t) {
  return p.pass == CONVICT_FORWARD ? t.dst : p.pass == CONVICT_BACKWARD_DATA ? t.diff_src : t.diff_wei;
}

double first_of_last_channel(const convict_problem& p, const convict_tensors& t) {
  const convict_tensor& out = output_of(p, t);
  Coordinates at = {};
  if (is_empty(out)) return 0;
  at[1] = out.dims[1] - 1;
  return get(out, at);
}

convict_status run_with_effect(Effect effect, double stale, const convict_problem& p, const convict_tensors& t,
                               char* error, size_t error_size) {
  const convict_tensor& out = output_of(p, t);
  if (is_empty(out)) return run_sound(p, t, error, error_size);
  if (effect == Effect::kTapLost || effect == Effect::kChannelLost) return run_without(effect, p, t, error, error_size);
  if (effect == Effect::kUnwrittenTail) return run_without_tail(p, t, error, error_size);
  const convict_status status = run_sound(p, t, error, error_size);
  switch (effect) {
    case Effect::kWrongIndex: copy_neighbours(out); break;
    case Effect::kWrongAxis: exchange_axes(out); break;
    case Effect::kStaleValue: {
      Coordinates at = {};
      at[1] = out.dims[1] - 1;
      put(out, at, stale);
      break;
    }
    default: disturb(out); break;
  }
  return status;
}

}  // namespace convict::faults
