// SPDX-License-Identifier: Apache-2.0
//
// ggml's convolutions behind the C ABI, one implementation for each kind of processor that its package has a library
// for, and one more for each with the functions that are called direct. ggml computes f32 with kernels of f32 or f16,
// forward, channels first, with equal padding at both ends; groups only where each has one channel. Operands are copied
// into a context of ggml's and back.
//
// Left out: its quantized types, which have blocks of scales that a problem here has not.
#include "oracles/ggml/functions.h"

#include <cstdio>
#include <cstring>
#include <deque>
#include <string>
#include <vector>

#include "abi/convict.h"
#include "abi/element.h"
#include "abi/validity.h"
#include "oracles/shared/dense.h"

namespace convict::ggml {
namespace {

/// `self` of every implementation here.
struct Door : convict_implementation {
  const BaseFunctions* base;
  const CpuFunctions* cpu;
  bool direct;
  std::string text[2];  // name and description
};

bool is_depthwise(const convict_problem& p) { return p.groups > 1; }

int64_t count_of(const convict_tensor& tensor) {
  int64_t count = 1;
  for (int dim = 0; dim < tensor.ndim; ++dim) count *= tensor.dims[dim];
  return count;
}

/// Bytes of a context in which everything fits: operands and the image as a matrix, some of them twice; a graph, in 1
/// MiB; the buffer of the direct functions (GGML_IM2COL_WORK_SIZE, 16 MiB). Workers fill what malloc hands out, so that
/// memory costs time.
size_t memory_for(const Door& door, const convict_problem& p, const convict_tensors& t) {
  int64_t elements = count_of(t.src) + count_of(t.wei) + count_of(t.dst);
  elements += count_of(t.dst) / std::max<int64_t>(p.oc, 1) * p.ic * p.kernel[0] * p.kernel[1] * p.kernel[2];
  const size_t constant = door.direct && !is_depthwise(p) ? 17 : 1;
  return static_cast<size_t>(elements) * 16 + (constant << 20);
}

template <class T>
void copy_elements(const convict_tensor& from, void* to) {
  auto* place = static_cast<T*>(to);
  for_each_element<T>(from, [&](const T& element, const int64_t*) { *place++ = element; });
}

/// An operand with these extents, the innermost first; the elements in the order of its logical dimensions.
Tensor* operand(const Door& door, Context* context, const convict_tensor& tensor, std::vector<int64_t> extents) {
  const bool is_half = tensor.dtype == CONVICT_F16;
  Tensor* made =
      door.base->new_tensor(context, is_half ? kF16 : kF32, static_cast<int>(extents.size()), extents.data());
  if (is_half)
    copy_elements<uint16_t>(tensor, door.base->get_data(made));
  else
    copy_elements<float>(tensor, door.base->get_data(made));
  return made;
}

/// The logical dimensions of a tensor from the innermost to `first`. ggml has four at most: what is left is folded.
std::vector<int64_t> reversed(const convict_tensor& tensor) {
  std::vector<int64_t> extents(tensor.dims, tensor.dims + tensor.ndim);
  while (extents.size() > 4) {
    extents[1] *= extents[0];
    extents.erase(extents.begin());
  }
  return {extents.rbegin(), extents.rend()};
}

Tensor* convolve(const Door& door, Context* context, const convict_problem& p, Tensor* wei, Tensor* src) {
  const BaseFunctions& call = *door.base;
  const auto s = [&](int axis) { return static_cast<int>(p.stride[p.rank - 1 - axis]); };  // the innermost is 0
  const auto q = [&](int axis) { return static_cast<int>(p.pad_begin[p.rank - 1 - axis]); };
  const auto d = [&](int axis) { return static_cast<int>(p.dilation[p.rank - 1 - axis]); };
  if (p.op == CONVICT_CONV_TRANSPOSE)
    return p.rank == 1 ? call.conv_transpose_1d(context, wei, src, s(0), q(0), d(0))
                       : call.conv_transpose_2d_p0(context, wei, src, s(0));
  if (p.rank == 1) return (is_depthwise(p) ? call.conv_1d_dw : call.conv_1d)(context, wei, src, s(0), q(0), d(0));
  if (p.rank == 2) {
    const auto conv = door.direct ? (is_depthwise(p) ? call.conv_2d_dw_direct : call.conv_2d_direct)
                                  : (is_depthwise(p) ? call.conv_2d_dw : call.conv_2d);
    return conv(context, wei, src, s(0), s(1), q(0), q(1), d(0), d(1));
  }
  if (!door.direct) return call.conv_3d(context, wei, src, p.ic, s(0), s(1), s(2), q(0), q(1), q(2), d(0), d(1), d(2));
  return call.conv_3d_direct(context, wei, src, s(0), s(1), s(2), q(0), q(1), q(2), d(0), d(1), d(2),
                             static_cast<int>(p.ic), static_cast<int>(p.batch), static_cast<int>(p.oc));
}

/// Copies a result of ggml's, which may have strides of its own, to dst. Whether it has its extents.
bool fetch(const Door& door, const Tensor& result, const convict_tensor& dst, std::string* why) {
  std::vector<int64_t> wanted = reversed(dst);
  wanted.resize(4, 1);
  std::string text;
  for (int dim = 3; dim >= 0; --dim) text += std::to_string(result.extents[dim]) + (dim > 0 ? "x" : "");
  *why = "ggml computes a result of " + text;
  if (result.type != kF32 || std::memcmp(result.extents, wanted.data(), sizeof result.extents) != 0) return false;
  const auto* data = static_cast<const char*>(door.base->get_data(&result));
  int64_t at[4] = {};
  for_each_element<float>(dst, [&](float& element, const int64_t*) {
    size_t offset = 0;
    for (int dim = 0; dim < 4; ++dim) offset += static_cast<size_t>(at[dim]) * result.strides[dim];
    std::memcpy(&element, data + offset, sizeof element);
    for (int dim = 0; dim < 4 && ++at[dim] == result.extents[dim]; ++dim) at[dim] = 0;
  });
  return true;
}

convict_status run(const convict_implementation* self, const convict_problem* p, const convict_tensors* t, char* error,
                   size_t error_size) {
  const Door& door = *static_cast<const Door*>(self);
  Context* context = door.base->init({memory_for(door, *p, *t), nullptr, false});
  if (!context) {
    std::snprintf(error, error_size, "ggml has no memory for a context");
    return CONVICT_OUT_OF_MEMORY;
  }
  std::vector<int64_t> kernel = reversed(t->wei);
  Tensor* wei = operand(door, context, t->wei, kernel);
  Tensor* src = operand(door, context, t->src, reversed(t->src));
  Tensor* result = convolve(door, context, *p, wei, src);
  Graph* graph = door.base->new_graph(context);
  door.base->build_forward_expand(graph, result);
  const int status = door.cpu->compute(context, graph, p->threads);
  std::string why = "ggml computes nothing (ggml_status " + std::to_string(status) + ")";
  convict_status outcome = CONVICT_FAILED;
  if (status == 0) outcome = fetch(door, *result, t->dst, &why) ? CONVICT_OK : CONVICT_WRONG_SHAPE;
  door.base->free(context);
  if (outcome != CONVICT_OK) std::snprintf(error, error_size, "%s", why.c_str());
  return outcome;
}

const char* unsupported_transpose(const Door& door, const convict_problem& p) {
  if (door.direct) return "no function that is called direct deconvolves";
  if (p.rank == 3) return "ggml does not deconvolve images of rank 3";
  if (p.groups > 1) return "ggml has no groups when it deconvolves";
  for (int axis = 0; axis < p.rank; ++axis) {
    if (p.output_padding[axis] != 0) return "ggml has no output padding";
    if (p.rank == 1) continue;  // its function has a parameter for each
    if (p.stride[axis] != p.stride[0]) return "ggml has one stride when it deconvolves images";
    if (p.pad_begin[axis] != 0 || p.dilation[axis] != 1)
      return "ggml has neither padding nor dilation when it deconvolves images";
  }
  return nullptr;
}

const char* unsupported_conv(const Door& door, const convict_problem& p) {
  if (door.direct && p.rank == 1) return "no function that is called direct has rank 1";
  if (p.groups == 1) return nullptr;
  if (p.rank == 3) return "ggml has no groups of rank 3";
  return p.groups == p.ic && p.groups == p.oc ? nullptr : "ggml has groups of one channel only";
}

const char* unsupported(const convict_implementation* self, const convict_problem* p, const convict_tensors* t) {
  const Door& door = *static_cast<const Door*>(self);
  if (invalid(*p)) return "not a legal problem";  // ggml is not told the extents of dst
  if (p->pass != CONVICT_FORWARD) return "ggml has no gradients of convolutions";
  if (p->has_bias) return "ggml adds a bias by another operator";
  if (t->src.dtype != CONVICT_F32 || t->dst.dtype != CONVICT_F32) return "ggml has images of f32 only";
  if (t->wei.dtype != CONVICT_F32 && t->wei.dtype != CONVICT_F16) return "ggml has kernels of f32 or f16 only";
  for (int axis = 0; axis < p->rank; ++axis) {
    if (p->pad_begin[axis] != p->pad_end[axis]) return "ggml has one padding for both ends";
    if (p->pad_begin[axis] < 0) return "ggml has no negative padding";
  }
  return p->op == CONVICT_CONV ? unsupported_conv(door, *p) : unsupported_transpose(door, *p);
}

constexpr convict_contract kContract = {CONVICT_DIRECT,           CONVICT_F32,
                                        /*winograd_m=*/0,         /*winograd_r=*/0,
                                        /*flushes_subnormals=*/1, /*deterministic=*/1,
                                        CONVICT_FIXED_ORDER,      /*sum_block=*/0,
                                        /*accumulates=*/0,        /*fuses_relu=*/0};

/// Everything that the process has of ggml, until it ends.
struct Module {
  explicit Module(const std::string& folder) : library(load(folder)) {
    for (const Cpu& cpu : library.cpus)
      for (const bool direct : {false, true}) {
        Door& door = doors.emplace_back();
        door.text[0] = "ggml:" + cpu.name + (direct ? ":direct" : "");
        door.text[1] = "ggml for " + cpu.name + (direct ? ", the functions that are called direct" : "");
        static_cast<convict_implementation&>(door) = {
            door.text[0].c_str(), door.text[1].c_str(), "ggml", kContract, unsupported, run, nullptr, nullptr, nullptr};
        door.base = &library.base;
        door.cpu = &cpu.call;
        door.direct = direct;
        list.push_back(&door);
      }
    if (list.empty()) return;
    // By default it starts a debugger before it aborts.
    library.base.set_abort_callback([](const char* message) { std::fprintf(stderr, "%s\n", message); });
    plugin = {CONVICT_ABI_VERSION, library.base.version(), list.size(), list.data()};
  }

  Library library;
  std::deque<Door> doors;
  std::vector<const convict_implementation*> list;
  convict_plugin plugin{};
};

}  // namespace
}  // namespace convict::ggml

extern "C" const convict_plugin* convict_plugin_v1(void) {
  static const convict::ggml::Module module(CONVICT_GGML_FOLDER);
  return module.list.empty() ? nullptr : &module.plugin;
}
