# SPDX-License-Identifier: Apache-2.0
# LibTorch is found by header and libraries rather than by its own CMake package, which wants every optional backend the
# distribution was built with.
find_path(LIBTORCH_INCLUDE ATen/ATen.h REQUIRED)
find_library(LIBTORCH_CPU torch_cpu REQUIRED)
find_library(LIBTORCH_C10 c10 REQUIRED)
add_library(convict_libtorch MODULE oracles/libtorch.cpp)
target_include_directories(convict_libtorch SYSTEM PRIVATE ${LIBTORCH_INCLUDE})
target_link_libraries(convict_libtorch PRIVATE convict_flags ${LIBTORCH_CPU} ${LIBTORCH_C10})
set_target_properties(convict_libtorch PROPERTIES PREFIX "")
if(CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
  set_target_properties(convict_libtorch PROPERTIES CXX_STANDARD 17)  # headers of 1.13 do not compile as C++20 with clang
endif()
