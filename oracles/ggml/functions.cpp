// SPDX-License-Identifier: Apache-2.0
#include "oracles/ggml/functions.h"

#include <dlfcn.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <string_view>

namespace convict::ggml {
namespace {

/// A function by name. Whether there is one.
template <class Function>
bool find(void* library, const char* name, Function& function) {
  void* symbol = dlsym(library, name);
  std::memcpy(&function, &symbol, sizeof function);
  return symbol != nullptr;
}

bool find_all(void* library, BaseFunctions& base) {
  return find(library, "ggml_version", base.version) &&
         find(library, "ggml_set_abort_callback", base.set_abort_callback) && find(library, "ggml_init", base.init) &&
         find(library, "ggml_free", base.free) && find(library, "ggml_new_tensor", base.new_tensor) &&
         find(library, "ggml_get_data", base.get_data) && find(library, "ggml_new_graph", base.new_graph) &&
         find(library, "ggml_build_forward_expand", base.build_forward_expand) &&
         find(library, "ggml_conv_1d", base.conv_1d) && find(library, "ggml_conv_1d_dw", base.conv_1d_dw) &&
         find(library, "ggml_conv_transpose_1d", base.conv_transpose_1d) &&
         find(library, "ggml_conv_2d", base.conv_2d) && find(library, "ggml_conv_2d_dw", base.conv_2d_dw) &&
         find(library, "ggml_conv_2d_direct", base.conv_2d_direct) &&
         find(library, "ggml_conv_2d_dw_direct", base.conv_2d_dw_direct) &&
         find(library, "ggml_conv_transpose_2d_p0", base.conv_transpose_2d_p0) &&
         find(library, "ggml_conv_3d", base.conv_3d) && find(library, "ggml_conv_3d_direct", base.conv_3d_direct);
}

bool find_all(void* library, CpuFunctions& cpu) {
  return find(library, "ggml_cpu_init", cpu.init) && find(library, "ggml_backend_score", cpu.score) &&
         find(library, "ggml_graph_compute_with_ctx", cpu.compute);
}

constexpr std::string_view kBegin = "libggml-cpu-", kEnd = ".so";

}  // namespace

Library load(const std::string& folder) {
  Library library{};
  void* base = dlopen((folder + "/libggml-base.so").c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!base || !find_all(base, library.base)) return library;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(folder, error)) {
    const std::string file = entry.path().filename();
    if (!file.starts_with(kBegin) || !file.ends_with(kEnd)) continue;
    void* handle = dlopen(entry.path().c_str(), RTLD_NOW | RTLD_LOCAL);
    Cpu cpu{file.substr(kBegin.size(), file.size() - kBegin.size() - kEnd.size()), {}};
    if (!handle || !find_all(handle, cpu.call) || cpu.call.score() == 0) continue;
    cpu.call.init();
    library.cpus.push_back(std::move(cpu));
  }
  std::ranges::sort(library.cpus, {}, &Cpu::name);
  return library;
}

}  // namespace convict::ggml
