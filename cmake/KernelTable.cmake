# SPDX-License-Identifier: Apache-2.0
# Writes a C++ file that lists convict::<room>::<prefix><name> for every <folder>/<name>.cpp given, sorted by name, so
# that adding a kernel or a relation touches one file and needs no static initialiser. `accessor` is declared in
# `header`, seen from namespace convict, and returns them as a span of pointers to const `type`.
function(write_table output header room prefix type accessor)
  set(declarations "")
  set(entries "")
  foreach(file IN LISTS ARGN)
    get_filename_component(name ${file} NAME_WE)
    string(APPEND declarations "extern const ${type} ${prefix}${name};\n")
    string(APPEND entries "      &${room}::${prefix}${name},\n")
  endforeach()
  file(CONFIGURE OUTPUT ${output} @ONLY CONTENT
"// Written by cmake/KernelTable.cmake from file names.
#include \"@header@\"

namespace convict::@room@ {

@declarations@
}  // namespace convict::@room@

namespace convict {

std::span<const @type@* const> @accessor@() {
  static constexpr const @type@* kTable[] = {
@entries@  };
  return kTable;
}

}  // namespace convict
")
endfunction()
