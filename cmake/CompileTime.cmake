# SPDX-License-Identifier: Apache-2.0
# What keeps the program cheap to compile. None of it changes what the program does.
option(CONVICT_PCH "precompile the headers of other projects; OFF shows an include that is missing in a file" ON)

# precompile(<target> <header>...): what nearly all its files include. Only headers of other projects: ours change, and every
# change would compile everything. precompile(<target> REUSE_FROM <target>): the same, where all flags are the same.
function(precompile target)
  if(CONVICT_PCH AND ARGV1 STREQUAL REUSE_FROM)
    target_precompile_headers(${target} ${ARGN})
  elseif(CONVICT_PCH AND ARGN)
    target_precompile_headers(${target} PRIVATE ${ARGN})
  endif()
  # g++ looks for garbage in what was precompiled, too, up to a sixth of its time: 1 GB is never reached.
  if(CONVICT_PCH AND CMAKE_CXX_COMPILER_ID STREQUAL GNU)
    target_compile_options(${target} PRIVATE --param=ggc-min-heapsize=1000000)
  endif()
endfunction()
set(KERNEL_HEADERS <algorithm> <array> <cmath> <cstdint> <limits> <memory> <numeric> <string> <utility> <vector>)
set(COMMON_HEADERS ${KERNEL_HEADERS} <atomic> <chrono> <deque> <filesystem> <fstream> <functional> <iterator> <map> <optional>
                   <set> <span> <sstream> <string_view> <variant> <fmt/format.h>)

# Cold code waits for workers, speaks with them, reads or prints: less than one per cent of a campaign's time. Optimising it
# takes a third of the time of compiling it. Only where it would be optimised, and not in fuzzers, which do nothing else.
set(CONVICT_COLD "")
if(CMAKE_CXX_FLAGS MATCHES "-O2" AND NOT CMAKE_CXX_FLAGS MATCHES "-fsanitize")
  set(CONVICT_COLD -Og)
endif()
function(cold_targets)
  foreach(target IN LISTS ARGN)
    target_compile_options(${target} PRIVATE ${CONVICT_COLD})
  endforeach()
endfunction()

# unite(<target> [BY_FOLDER]): files are compiled together, many at a time, since most of the time of compiling one goes
# into what all of them include, and into templates of other projects that all of them use. BY_FOLDER, only those of one
# folder: tests are in one namespace, and a name of one folder would be taken for a name of another.
option(CONVICT_UNITY "compile many files at once; OFF compiles one that changed faster, and shows what it lacks" OFF)
set(FILES_AT_ONCE 32)
function(unite target)
  if(NOT CONVICT_UNITY)
    return()
  endif()
  get_target_property(files ${target} SOURCES)
  set(groups)
  foreach(file IN LISTS files)
    file(RELATIVE_PATH path ${PROJECT_SOURCE_DIR} ${file})
    file(STRINGS ${file} targets REGEX "simd/dispatch.h")  # compiled for each instruction set
    # Files that define a relation or a kernel are alike, and have the same names. What is generated is in the build
    # folder.
    if(path MATCHES "^(src/relations|kernels)/[^/]+$" OR targets OR NOT path MATCHES "^((src|lab|kernels|reports|tests).*)/")
      continue()
    endif()
    set(group all)
    if(ARGV1 STREQUAL BY_FOLDER)
      string(MAKE_C_IDENTIFIER ${CMAKE_MATCH_1} group)
    endif()
    list(APPEND groups ${group})
    list(APPEND files_of_${group} ${file})
  endforeach()
  list(REMOVE_DUPLICATES groups)
  foreach(group IN LISTS groups)
    list(LENGTH files_of_${group} count)
    math(EXPR parts "(${count} + ${FILES_AT_ONCE} - 1) / ${FILES_AT_ONCE}")
    set(number 0)
    foreach(file IN LISTS files_of_${group})
      math(EXPR part "${number} * ${parts} / ${count}")  # parts of about one size
      math(EXPR number "${number} + 1")
      set_source_files_properties(${file} PROPERTIES UNITY_GROUP ${group}_${part})
    endforeach()
  endforeach()
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
  if(CMAKE_CXX_COMPILER_ID STREQUAL GNU)  # takes included files for headers, which should have no anonymous namespaces
    target_compile_options(${target} PRIVATE -Wno-subobject-linkage)
  endif()
endfunction()
