// SPDX-License-Identifier: Apache-2.0
//
// The functions of ggml that a convolution needs. Its packages ship libraries without headers; these declarations
// follow the signatures of ggml's public headers, include/ggml.h and include/ggml-cpu.h. Extents are innermost first.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace convict::ggml {

struct Context;
struct Graph;

/// How ggml_tensor begins.
struct Tensor {
  int type;  // ggml_type
  void* buffer;
  int64_t extents[4];
  size_t strides[4];  // in bytes
};
inline constexpr int kF32 = 0, kF16 = 1;  // ggml_type

struct ContextOptions {
  size_t memory_size;
  void* memory;     // nullptr: ggml allocates it
  bool no_operand;  // tensors get no data
};

/// Those of libggml-base.so, which all processors share.
struct BaseFunctions {
  const char* (*version)();
  void (*(*set_abort_callback)(void (*callback)(const char* message)))(const char*);  // returns the last one
  Context* (*init)(ContextOptions);
  void (*free)(Context*);
  Tensor* (*new_tensor)(Context*, int type, int dims, const int64_t* extents);
  void* (*get_data)(const Tensor*);
  Graph* (*new_graph)(Context*);
  void (*build_forward_expand)(Graph*, Tensor*);
  // Kernel, image; then stride, padding and dilation, each of all axes.
  Tensor* (*conv_1d)(Context*, Tensor*, Tensor*, int, int, int);
  Tensor* (*conv_1d_dw)(Context*, Tensor*, Tensor*, int, int, int);
  Tensor* (*conv_transpose_1d)(Context*, Tensor*, Tensor*, int, int, int);
  Tensor* (*conv_2d)(Context*, Tensor*, Tensor*, int, int, int, int, int, int);
  Tensor* (*conv_2d_dw)(Context*, Tensor*, Tensor*, int, int, int, int, int, int);
  Tensor* (*conv_2d_direct)(Context*, Tensor*, Tensor*, int, int, int, int, int, int);
  Tensor* (*conv_2d_dw_direct)(Context*, Tensor*, Tensor*, int, int, int, int, int, int);
  Tensor* (*conv_transpose_2d_p0)(Context*, Tensor*, Tensor*, int stride);
  Tensor* (*conv_3d)(Context*, Tensor*, Tensor*, int64_t ic, int, int, int, int, int, int, int, int, int);
  Tensor* (*conv_3d_direct)(Context*, Tensor*, Tensor*, int, int, int, int, int, int, int, int, int, int ic, int batch,
                            int oc);
};

/// Those of libggml-cpu-<processor>.so.
struct CpuFunctions {
  void (*init)();
  int (*score)();  // 0: this machine lacks instructions that it uses
  int (*compute)(Context*, Graph*, int threads);
};

/// One library for one kind of processor.
struct Cpu {
  std::string name;  // "haswell"
  CpuFunctions call;
};

/// What the folder holds, as far as it works on this machine.
struct Library {
  BaseFunctions base;
  std::vector<Cpu> cpus;  // sorted by name
};

/// Loads libggml-base.so and every libggml-cpu-*.so of a folder. No processors: it cannot be used.
Library load(const std::string& folder);

}  // namespace convict::ggml
