# SPDX-License-Identifier: Apache-2.0
# Oracles: one loadable module, one vendor each. Vendors are found by header and library rather than by
# their own CMake packages, which insist on every optional backend the distribution built them with (OpenCL, gflags...).

# all of them
add_custom_target(oracles)

# add_oracle(<name> [OPTIONAL] HEADER <header> LIBRARIES <library>... [FOLDER <folder>]): oracles/<name>.cpp and
# oracles/<name>/ -> convict_<name>.so. OPTIONAL: no module where the header is not. FOLDER: of the headers, in /usr/include.
# CONVICT_<NAME>_ROOT, a folder with include/ and lib/, comes before the system's own.
function(add_oracle name)
  cmake_parse_arguments(ORACLE "OPTIONAL" "HEADER;FOLDER" "LIBRARIES" ${ARGN})
  string(TOUPPER ${name} upper)
  find_path(${upper}_INCLUDE ${ORACLE_HEADER} HINTS ${CONVICT_${upper}_ROOT}/include PATH_SUFFIXES ${ORACLE_FOLDER})
  if(NOT ${upper}_INCLUDE)
    if(ORACLE_OPTIONAL)
      message(STATUS "without ${name}: there is no ${ORACLE_HEADER}")
      return()
    endif()
    message(FATAL_ERROR "oracle ${name}: there is no ${ORACLE_HEADER}")
  endif()
  file(GLOB parts CONFIGURE_DEPENDS oracles/${name}/*.cpp)
  add_library(convict_${name} MODULE oracles/${name}.cpp ${parts})
  target_include_directories(convict_${name} SYSTEM PRIVATE ${${upper}_INCLUDE})
  target_link_libraries(convict_${name} PRIVATE convict_flags)
  foreach(library IN LISTS ORACLE_LIBRARIES)
    find_library(${upper}_${library} ${library} HINTS ${CONVICT_${upper}_ROOT}/lib REQUIRED)
    target_link_libraries(convict_${name} PRIVATE ${${upper}_${library}})
  endforeach()
  add_dependencies(oracles convict_${name})
  # The headers of a vendor take most of the time of compiling each file.
  set_target_properties(convict_${name} PROPERTIES PREFIX "" UNITY_BUILD ${CONVICT_UNITY} UNITY_BUILD_BATCH_SIZE 0)
endfunction()

if(CONVICT_LIBTORCH)
  add_oracle(libtorch HEADER ATen/ATen.h LIBRARIES torch_cpu c10)
  if(CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
    set_target_properties(convict_libtorch PROPERTIES CXX_STANDARD 17)  # 1.13's headers are no C++20 to clang
    target_compile_options(convict_libtorch PRIVATE -Wno-c++20-extensions)
  endif()
endif()
if(CONVICT_ONEDNN)
  add_oracle(onednn HEADER dnnl.hpp LIBRARIES dnnl)
  # Intel's packages have a oneDNN that finds the processor by OpenCL. They do not say where its driver lies, nor where the
  # libraries of the library do: a path of the older kind, RPATH, holds for those too.
  find_library(ONEDNN_OPENCL intelocl HINTS ${CONVICT_ONEDNN_ROOT}/lib NO_DEFAULT_PATH)
  if(ONEDNN_OPENCL)
    target_compile_definitions(convict_onednn PRIVATE "CONVICT_ONEDNN_OPENCL=\"${ONEDNN_OPENCL}\"")
    target_link_options(convict_onednn PRIVATE -Wl,--disable-new-dtags)
  endif()
endif()

# Put on trial if the user names them; no campaign has them as witnesses of its own accord.
if(CONVICT_MORE_LIBRARIES)
  add_oracle(opencv OPTIONAL HEADER opencv2/dnn.hpp FOLDER opencv4 LIBRARIES opencv_dnn opencv_core)
  # XNNPACK of 2023 and later wants a reshape before it is set up, which the module does not know.
  find_path(XNNPACK_INCLUDE xnnpack.h)
  if(XNNPACK_INCLUDE)
    include(CheckCXXSourceCompiles)
    set(CMAKE_TRY_COMPILE_TARGET_TYPE STATIC_LIBRARY)  # compiling is enough
    check_cxx_source_compiles("
      #include <xnnpack.h>
      xnn_status sets_up() { return xnn_setup_convolution2d_nhwc_f32(nullptr, 0, 0, 0, nullptr, nullptr, nullptr); }
      " XNNPACK_SETS_UP_AT_ONCE)
    unset(CMAKE_TRY_COMPILE_TARGET_TYPE)
  endif()
  if(XNNPACK_SETS_UP_AT_ONCE)
    add_oracle(xnnpack HEADER xnnpack.h LIBRARIES XNNPACK pthreadpool)
  endif()

  # What `make libraries` has unpacked into build/; folders that the user names come first.
  set(CONVICT_GGML_ROOT "" CACHE PATH "folder of libggml-base.so and libggml-cpu-*.so")
  find_path(GGML_FOLDER libggml-base.so NO_DEFAULT_PATH PATHS "${CONVICT_GGML_ROOT}"
            "${CMAKE_SOURCE_DIR}/build/npm/@node-llama-cpp/linux-x64/bins/linux-x64")
  if(GGML_FOLDER)
    file(GLOB parts CONFIGURE_DEPENDS oracles/ggml/*.cpp)
    add_library(convict_ggml MODULE oracles/ggml.cpp ${parts})
    target_compile_definitions(convict_ggml PRIVATE "CONVICT_GGML_FOLDER=\"${GGML_FOLDER}\"")
    target_link_libraries(convict_ggml PRIVATE convict_flags ${CMAKE_DL_LIBS})
    set_target_properties(convict_ggml PROPERTIES PREFIX "")
    add_dependencies(oracles convict_ggml)
  else()
    message(STATUS "without ggml: there is no libggml-base.so")
  endif()

  set(CONVICT_ONNXRUNTIME_ROOT "" CACHE PATH "folder of ONNX Runtime: include/ and lib/")
  list(APPEND CMAKE_PREFIX_PATH "${CONVICT_ONNXRUNTIME_ROOT}")
  list(APPEND CMAKE_INCLUDE_PATH "${CMAKE_SOURCE_DIR}/build/deb/libonnxruntime-dev/usr/include")
  list(APPEND CMAKE_LIBRARY_PATH "${CMAKE_SOURCE_DIR}/build/npm/onnxruntime-node/bin/napi-v6/linux/x64")
  find_library(ONNXRUNTIME NAMES onnxruntime libonnxruntime.so.1)
  if(ONNXRUNTIME)
    set(ONNXRUNTIME_onnxruntime ${ONNXRUNTIME})  # where add_oracle looks
    add_oracle(onnxruntime OPTIONAL HEADER onnxruntime_cxx_api.h FOLDER onnxruntime LIBRARIES onnxruntime)
  else()
    message(STATUS "without onnxruntime: there is no libonnxruntime.so")
  endif()
endif()
