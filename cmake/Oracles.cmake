# SPDX-License-Identifier: Apache-2.0
# Oracles: one loadable module, one vendor each. Both vendors are found by header and library rather than by
# their own CMake packages, which insist on every optional backend the distribution built them with (OpenCL, gflags...).

# add_oracle(<name> HEADER <header> LIBRARIES <library>...): oracles/<name>.cpp and oracles/<name>/ -> convict_<name>.so
function(add_oracle name)
  cmake_parse_arguments(ORACLE "" "HEADER" "LIBRARIES" ${ARGN})
  string(TOUPPER ${name} upper)
  find_path(${upper}_INCLUDE ${ORACLE_HEADER} REQUIRED)
  file(GLOB parts CONFIGURE_DEPENDS oracles/${name}/*.cpp)
  add_library(convict_${name} MODULE oracles/${name}.cpp ${parts})
  target_include_directories(convict_${name} SYSTEM PRIVATE ${${upper}_INCLUDE})
  target_link_libraries(convict_${name} PRIVATE convict_flags)
  foreach(library IN LISTS ORACLE_LIBRARIES)
    find_library(${upper}_${library} ${library} REQUIRED)
    target_link_libraries(convict_${name} PRIVATE ${${upper}_${library}})
  endforeach()
  set_target_properties(convict_${name} PROPERTIES PREFIX "")
endfunction()

if(CONVICT_LIBTORCH)
  add_oracle(libtorch HEADER ATen/ATen.h LIBRARIES torch_cpu c10)
  if(CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
    set_target_properties(convict_libtorch PROPERTIES CXX_STANDARD 17)  # 1.13's headers are no C++20 to clang
  endif()
endif()
if(CONVICT_ONEDNN)
  add_oracle(onednn HEADER dnnl.hpp LIBRARIES dnnl)
endif()
