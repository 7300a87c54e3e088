# SPDX-License-Identifier: Apache-2.0
# libFuzzer targets: every tests/fuzz/targets/fuzz_<name>.cpp is a program. Built by clang with the preset `fuzz` they are fuzzers;
# in any other build the same sources get a main that replays files, so that none rots.
option(CONVICT_FUZZ "link libFuzzer (clang only; the preset `fuzz` sets it)" OFF)
set(CONVICT_FUZZING_ENGINE "" CACHE STRING
    "with CONVICT_FUZZ: what to link instead of the compiler's own libFuzzer, as OSS-Fuzz says in $LIB_FUZZING_ENGINE")

# UndefinedBehaviorSanitizer makes clang compile the kernels, with a version for each instruction set, six times as long:
# 209 s instead of 36 s of CPU for kernels/simd/tiles.cpp. The preset `asan` has it for them.
if(CONVICT_FUZZ AND NOT CONVICT_FUZZING_ENGINE)
  target_compile_options(convict_kernels PRIVATE -fno-sanitize=undefined)
endif()

file(GLOB fuzz_files CONFIGURE_DEPENDS src/fuzz/*.cpp)
list(FILTER fuzz_files EXCLUDE REGEX "/(guided|record_hooks)\\.cpp$")  # of programs that an engine calls
add_library(convict_fuzz OBJECT ${fuzz_files})
target_link_libraries(convict_fuzz PUBLIC convict_examine)
unite(convict_fuzz)

file(GLOB fuzz_parsers CONFIGURE_DEPENDS tests/fuzz/parsers/*.cpp)
add_library(convict_fuzz_parsers OBJECT ${fuzz_parsers})
target_link_libraries(convict_fuzz_parsers PUBLIC convict_core)
unite(convict_fuzz_parsers)

# What several programs share that an engine, or replay_main.cpp, calls.
add_library(convict_fuzz_hooks OBJECT src/fuzz/record_hooks.cpp)
target_link_libraries(convict_fuzz_hooks PUBLIC convict_fuzz)
add_library(convict_fuzz_examiner OBJECT tests/fuzz/targets/examiner.cpp)
target_link_libraries(convict_fuzz_examiner PUBLIC convict_fuzz)
add_library(convict_fuzz_replay OBJECT tests/fuzz/targets/replay_main.cpp)
target_link_libraries(convict_fuzz_replay PUBLIC convict_examine)

# Where files are replayed and nothing else, speed is of no use.
function(replays target)
  if(NOT CONVICT_FUZZ)
    cold_targets(${target})
    precompile(${target} REUSE_FROM convict_core)
  endif()
endfunction()
replays(convict_fuzz_parsers)

# A program of one file, which is compiled as a library is, so that it can share precompiled headers with one.
function(add_replaying name file)
  add_library(${name}_object OBJECT tests/fuzz/targets/${file})
  target_link_libraries(${name}_object PUBLIC convict_core)
  replays(${name}_object)
  add_executable(${name} $<TARGET_OBJECTS:${name}_object>)
  target_link_libraries(${name} PRIVATE convict_fuzz_parsers convict_core)
endfunction()

add_custom_target(fuzzers)  # what the preset builds

# add_fuzzer(<name> [RECORDS]): RECORDS if the input is a record (src/fuzz/record.h), mutated field by field; such
# a program has no use for what lies beyond the examination of a case.
function(add_fuzzer name)
  cmake_parse_arguments(FUZZER "RECORDS" "" "" ${ARGN})
  if(FUZZER_RECORDS)
    add_executable(${name} tests/fuzz/targets/${name}.cpp)
    target_link_libraries(${name} PRIVATE convict_fuzz_hooks convict_fuzz_examiner)
  else()
    add_replaying(${name} ${name}.cpp)
  endif()
  if(CONVICT_FUZZ AND CONVICT_FUZZING_ENGINE)
    target_link_libraries(${name} PRIVATE ${CONVICT_FUZZING_ENGINE})
  elseif(CONVICT_FUZZ)
    target_link_options(${name} PRIVATE -fsanitize=fuzzer)
  else()
    target_link_libraries(${name} PRIVATE convict_fuzz_replay)
  endif()
  target_link_libraries(${name} PRIVATE convict_fuzz convict_workers convict_examine convict_kernels)
  add_dependencies(fuzzers ${name})
endfunction()

file(GLOB fuzzer_files CONFIGURE_DEPENDS tests/fuzz/targets/fuzz_*.cpp)
foreach(file IN LISTS fuzzer_files)
  get_filename_component(name ${file} NAME_WE)
  if(name MATCHES "^fuzz_(kernels|oracles)$")
    add_fuzzer(${name} RECORDS)
  else()
    add_fuzzer(${name})
  endif()
endforeach()

# fuzz_seeds OUT_DIR CORPUS_DIR: their first inputs, and dictionaries.
add_replaying(fuzz_seeds seeds.cpp)
target_link_libraries(fuzz_seeds PRIVATE convict_fuzz convict_workers convict_examine convict_kernels)
add_dependencies(fuzzers fuzz_seeds)

# The worker of `convict fuzz --engine libfuzzer`. libFuzzer without its main is in the compiler's own folder.
if(CONVICT_FUZZ AND NOT CONVICT_FUZZING_ENGINE)
  execute_process(COMMAND ${CMAKE_CXX_COMPILER} -print-runtime-dir OUTPUT_VARIABLE runtime
                  OUTPUT_STRIP_TRAILING_WHITESPACE)
  execute_process(COMMAND ${CMAKE_CXX_COMPILER} -print-resource-dir OUTPUT_VARIABLE resources
                  OUTPUT_STRIP_TRAILING_WHITESPACE)
  find_library(CONVICT_LIBFUZZER NAMES clang_rt.fuzzer_no_main-${CMAKE_SYSTEM_PROCESSOR} clang_rt.fuzzer_no_main
               PATHS ${runtime} ${resources}/lib/linux NO_DEFAULT_PATH REQUIRED)
  add_executable(convict-guided src/fuzz/guided.cpp)
  target_link_libraries(convict-guided PRIVATE convict_fuzz_hooks convict_fuzz convict_workers convict_examine convict_kernels
                        ${CONVICT_LIBFUZZER})
  add_dependencies(fuzzers convict-guided)
  foreach(module convict_libtorch convict_onednn)
    if(TARGET ${module})
      add_dependencies(fuzzers ${module})
    endif()
  endforeach()
  install(TARGETS convict-guided RUNTIME DESTINATION lib/convict)
endif()
