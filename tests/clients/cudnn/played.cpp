// SPDX-License-Identifier: Apache-2.0
//
// Plays cuDNN's backend API and a device, for a client that has neither: libcudnn.so.9 and libcudart.so.13 in one. It
// computes what descriptors say, as textbook sums in f64. "names.h" has the values of clients/cudnn/names.py.
// Engines: 0 is right; 1 cuts operands of f32 to 11 bits, and says TENSOR_CORE; 2 swaps the paddings of the last axis;
// 3 writes an element behind its output where that has an odd number of rows; 4 ends the device where kernels are
// dilated by more than 2; 5 takes no groups; 6 leaves the last element of its output; 7 takes nothing.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <map>
#include <vector>

#include "names.h"

namespace {

constexpr int64_t kEngines = 8;
constexpr int kBadParameter = 2000, kNotSupported = 3000, kIllegalAddress = 700;

int device_error = 0;  // stays, as that of a device does

struct Descriptor {
  int kind = 0;
  std::map<int, std::vector<char>> attributes = {};

  template <class T>
  std::vector<T> list(int name) const {
    const std::vector<char>& bytes = attributes.at(name);
    std::vector<T> all(bytes.size() / sizeof(T));
    std::memcpy(all.data(), bytes.data(), bytes.size());
    return all;
  }
  template <class T>
  T one(int name) const {
    return list<T>(name).at(0);
  }
  const Descriptor& of(int name) const { return *one<Descriptor*>(name); }
};

size_t size_of(int type) {
  switch (type) {
    case CUDNN_TYPE_DATA_TYPE:
    case CUDNN_TYPE_FLOAT:
    case CUDNN_TYPE_CONVOLUTION_MODE:
    case CUDNN_TYPE_NUMERICAL_NOTE: return 4;
    default: return 8;
  }
}

/// x, w or y, with its memory.
struct Operand {
  std::vector<int64_t> dims, strides;
  int type = 0;
  char* data = nullptr;

  int64_t offset(const std::vector<int64_t>& at) const {
    int64_t sum = 0;
    for (size_t i = 0; i < at.size(); ++i) sum += at[i] * strides[i];
    return sum;
  }
  double get(int64_t i) const {
    if (type == CUDNN_DATA_DOUBLE) return reinterpret_cast<double*>(data)[i];
    if (type == CUDNN_DATA_FLOAT) return reinterpret_cast<float*>(data)[i];
    if (type == CUDNN_DATA_HALF) return static_cast<double>(reinterpret_cast<_Float16*>(data)[i]);
    const uint32_t bits = uint32_t{reinterpret_cast<uint16_t*>(data)[i]} << 16;
    float value;
    std::memcpy(&value, &bits, sizeof value);
    return value;
  }
  void set(int64_t i, double value) const {
    if (type == CUDNN_DATA_DOUBLE) reinterpret_cast<double*>(data)[i] = value;
    if (type == CUDNN_DATA_FLOAT) reinterpret_cast<float*>(data)[i] = static_cast<float>(value);
    if (type == CUDNN_DATA_HALF) reinterpret_cast<_Float16*>(data)[i] = static_cast<_Float16>(value);
    if (type != CUDNN_DATA_BFLOAT16) return;
    const float rounded = static_cast<float>(value);
    uint32_t bits;
    std::memcpy(&bits, &rounded, sizeof bits);
    if (!std::isnan(rounded)) bits += 0x7FFF + (bits >> 16 & 1);
    reinterpret_cast<uint16_t*>(data)[i] = static_cast<uint16_t>(bits >> 16);
  }
};

struct Window {
  std::vector<int64_t> dilations, strides, before, behind;
};

/// Calls `visit` with each index below `extents`.
template <class Visit>
void each(const std::vector<int64_t>& extents, const Visit& visit) {
  for (const int64_t extent : extents)
    if (extent == 0) return;
  std::vector<int64_t> at(extents.size(), 0);
  for (;;) {
    visit(at);
    size_t axis = extents.size();
    while (axis > 0 && ++at[axis - 1] == extents[axis - 1]) at[--axis] = 0;
    if (axis == 0) return;
  }
}

/// Calls `term` with where x, w and y meet: y[n, k, o] has x[n, c, i] * w[k, c', r].
template <class Term>
void each_term(const Operand& x, const Operand& w, const Operand& y, const Window& window, const Term& term) {
  const int64_t channels = w.dims[1], filters_of_group = w.dims[0] / (x.dims[1] / channels);
  const std::vector<int64_t> taps(w.dims.begin() + 1, w.dims.end());
  std::vector<int64_t> i = x.dims, r = w.dims;
  each(y.dims, [&](const std::vector<int64_t>& o) {
    each(taps, [&](const std::vector<int64_t>& tap) {
      i[0] = o[0], i[1] = o[1] / filters_of_group * channels + tap[0];
      r[0] = o[1], r[1] = tap[0];
      for (size_t axis = 2; axis < o.size(); ++axis) {
        r[axis] = tap[axis - 1];
        i[axis] = o[axis] * window.strides[axis - 2] - window.before[axis - 2] + r[axis] * window.dilations[axis - 2];
        if (i[axis] < 0 || i[axis] >= x.dims[axis]) return;
      }
      term(x.offset(i), w.offset(r), y.offset(o));
    });
  });
}

double cut_to_11_bits(double value) {
  float narrow = static_cast<float>(value);
  uint32_t bits;
  std::memcpy(&bits, &narrow, sizeof bits);
  bits &= std::isfinite(narrow) ? ~uint32_t{0x1FFF} : ~uint32_t{0};
  std::memcpy(&narrow, &bits, sizeof narrow);
  return narrow;
}

/// Adds up products of two operands in the elements of the third, which are those of `written`.
void compute(int64_t engine, const Operand& x, const Operand& w, const Operand& y, const Operand& written,
             const Window& window) {
  const auto factor = [&](const Operand& from, int64_t i) {
    return engine == 1 && from.type == CUDNN_DATA_FLOAT ? cut_to_11_bits(from.get(i)) : from.get(i);
  };
  std::vector<int64_t> elements;
  each(written.dims, [&](const std::vector<int64_t>& at) { elements.push_back(written.offset(at)); });
  const int64_t last = *std::max_element(elements.begin(), elements.end());
  std::vector<double> sums(last + 1, 0.0);
  each_term(x, w, y, window, [&](int64_t i, int64_t r, int64_t o) {
    if (&written == &y) sums[o] += factor(x, i) * factor(w, r);
    if (&written == &x) sums[i] += factor(w, r) * factor(y, o);
    if (&written == &w) sums[r] += factor(x, i) * factor(y, o);
  });
  for (const int64_t at : elements)
    if (engine != 6 || at != last) written.set(at, sums[at]);
  if (engine == 3 && written.dims[2] % 2 == 1) written.set(last + 1, 1);
}

struct Names {
  int convolution, x, w, y, written;
};

Names names_of(int kind) {
  if (kind == CUDNN_BACKEND_OPERATION_CONVOLUTION_FORWARD_DESCRIPTOR)
    return {CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_CONV_DESC, CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_X,
            CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_W, CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_Y, 2};
  if (kind == CUDNN_BACKEND_OPERATION_CONVOLUTION_BACKWARD_DATA_DESCRIPTOR)
    return {CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_CONV_DESC, CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_DX,
            CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_W, CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_DY, 0};
  return {CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_CONV_DESC, CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_X,
          CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_DW, CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_DY, 1};
}

const Descriptor& operation_of(const Descriptor& engine) {
  return engine.of(CUDNN_ATTR_ENGINE_OPERATION_GRAPH).of(CUDNN_ATTR_OPERATIONGRAPH_OPS);
}

bool has_groups(const Descriptor& operation) {
  const Names names = names_of(operation.kind);
  return operation.of(names.x).list<int64_t>(CUDNN_ATTR_TENSOR_DIMENSIONS)[1] !=
         operation.of(names.w).list<int64_t>(CUDNN_ATTR_TENSOR_DIMENSIONS)[1];
}

Operand operand_of(const Descriptor& tensor, const Descriptor& pack) {
  const int64_t id = tensor.one<int64_t>(CUDNN_ATTR_TENSOR_UNIQUE_ID);
  const auto ids = pack.list<int64_t>(CUDNN_ATTR_VARIANT_PACK_UNIQUE_IDS);
  const auto pointers = pack.list<char*>(CUDNN_ATTR_VARIANT_PACK_DATA_POINTERS);
  Operand operand{tensor.list<int64_t>(CUDNN_ATTR_TENSOR_DIMENSIONS), tensor.list<int64_t>(CUDNN_ATTR_TENSOR_STRIDES),
                  tensor.one<int>(CUDNN_ATTR_TENSOR_DATA_TYPE), nullptr};
  for (size_t i = 0; i < ids.size(); ++i)
    if (ids[i] == id) operand.data = pointers[i];
  return operand;
}

void execute(const Descriptor& engine, const Descriptor& pack) {
  const Descriptor& operation = operation_of(engine);
  const Names names = names_of(operation.kind);
  const Descriptor& convolution = operation.of(names.convolution);
  Window window{convolution.list<int64_t>(CUDNN_ATTR_CONVOLUTION_DILATIONS),
                convolution.list<int64_t>(CUDNN_ATTR_CONVOLUTION_FILTER_STRIDES),
                convolution.list<int64_t>(CUDNN_ATTR_CONVOLUTION_PRE_PADDINGS),
                convolution.list<int64_t>(CUDNN_ATTR_CONVOLUTION_POST_PADDINGS)};
  const int64_t number = engine.one<int64_t>(CUDNN_ATTR_ENGINE_GLOBAL_INDEX);
  if (number == 2) std::swap(window.before.back(), window.behind.back());
  for (const int64_t dilation : window.dilations)
    if (number == 4 && dilation > 2) device_error = kIllegalAddress;
  const Operand operands[] = {operand_of(operation.of(names.x), pack), operand_of(operation.of(names.w), pack),
                              operand_of(operation.of(names.y), pack)};
  compute(number, operands[0], operands[1], operands[2], operands[names.written], window);
}

}  // namespace

extern "C" {

int cudnnCreate(void** handle) { return *handle = &device_error, 0; }
size_t cudnnGetVersion() { return 90000; }
const char* cudnnGetErrorString(int status) { return status == kNotSupported ? "NOT_SUPPORTED" : "BAD_PARAM"; }
void cudnnGetLastErrorString(char* message, size_t size) {
  if (size > 0) *message = 0;
}

int cudnnBackendCreateDescriptor(int kind, void** descriptor) { return *descriptor = new Descriptor{kind}, 0; }
int cudnnBackendDestroyDescriptor(void* descriptor) { return delete static_cast<Descriptor*>(descriptor), 0; }

int cudnnBackendSetAttribute(void* descriptor, int name, int type, int64_t count, const void* elements) {
  const auto* bytes = static_cast<const char*>(elements);
  static_cast<Descriptor*>(descriptor)->attributes[name] = {bytes, bytes + static_cast<size_t>(count) * size_of(type)};
  return 0;
}

int cudnnBackendFinalize(void* descriptor) {
  const Descriptor& one = *static_cast<Descriptor*>(descriptor);
  if (one.kind != CUDNN_BACKEND_ENGINE_DESCRIPTOR) return 0;
  const int64_t number = one.one<int64_t>(CUDNN_ATTR_ENGINE_GLOBAL_INDEX);
  if (number < 0 || number >= kEngines) return kBadParameter;
  return number == 7 || (number == 5 && has_groups(operation_of(one))) ? kNotSupported : 0;
}

int cudnnBackendGetAttribute(void* descriptor, int name, int, int64_t, int64_t* count, void* elements) {
  const Descriptor& one = *static_cast<Descriptor*>(descriptor);
  *count = 1;
  if (name == CUDNN_ATTR_OPERATIONGRAPH_ENGINE_GLOBAL_COUNT) *static_cast<int64_t*>(elements) = kEngines;
  if (name == CUDNN_ATTR_EXECUTION_PLAN_WORKSPACE_SIZE) *static_cast<int64_t*>(elements) = 100;
  if (name != CUDNN_ATTR_ENGINE_NUMERICAL_NOTE) return 0;
  *count = one.one<int64_t>(CUDNN_ATTR_ENGINE_GLOBAL_INDEX) == 1;
  *static_cast<int*>(elements) = CUDNN_NUMERICAL_NOTE_TENSOR_CORE;
  return 0;
}

int cudnnBackendExecute(void*, void* plan, void* pack) {
  const Descriptor& engine = static_cast<Descriptor*>(plan)
                                 ->of(CUDNN_ATTR_EXECUTION_PLAN_ENGINE_CONFIG)
                                 .of(CUDNN_ATTR_ENGINECFG_ENGINE);
  execute(engine, *static_cast<Descriptor*>(pack));
  return 0;
}

const char* cudaGetErrorString(int) { return "an illegal memory access was encountered"; }
int cudaGetLastError() { return device_error; }
int cudaDeviceSynchronize() { return device_error; }
int cudaMalloc(void** address, size_t size) { return *address = std::aligned_alloc(256, (size + 255) / 256 * 256), 0; }
int cudaFree(void* address) { return std::free(address), device_error; }
int cudaMemcpy(void* to, const void* from, size_t size, int) { return std::memcpy(to, from, size), device_error; }
int cudaMemset(void* to, int value, size_t size) { return std::memset(to, value, size), device_error; }
}
