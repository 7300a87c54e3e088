# SPDX-License-Identifier: Apache-2.0
# The files of known causes, corpus/known/*.causes, as strings of a C++ file: the program knows them wherever it is
# installed.

# write_causes(<output.cpp> <file>...)
function(write_causes output)
  set(files "")
  foreach(file IN LISTS ARGN)
    get_filename_component(name ${file} NAME)
    file(READ ${file} text)
    # A literal of a compiler may be limited to 64 KiB, so that each cause has its own.
    string(REPLACE "\ncause " "\n)-cause-\"\n     R\"-cause-(cause " text "${text}")
    string(APPEND files "    {\"${name}\", R\"-cause-(${text})-cause-\"},\n")
  endforeach()
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${ARGN})
  file(CONFIGURE OUTPUT ${output} @ONLY CONTENT
"// Written by cmake/KnownCauses.cmake.
#include \"core/cause.h\"

namespace convict::inline core {
namespace {

constexpr ShippedFile kFiles[] = {
@files@};

}  // namespace

std::span<const ShippedFile> shipped_cause_files() { return kFiles; }

}  // namespace convict::inline core
")
endfunction()
