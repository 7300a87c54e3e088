# SPDX-License-Identifier: Apache-2.0
# Writes a C++ file that lists convict::kernel_<name> for every kernels/<name>.cpp given, so that adding a kernel touches
# one file and needs no static initialiser.
function(write_kernel_table output)
  set(declarations "")
  set(entries "")
  foreach(file IN LISTS ARGN)
    get_filename_component(name ${file} NAME_WE)
    string(APPEND declarations "extern const convict_implementation kernel_${name};\n")
    string(APPEND entries "    &kernel_${name},\n")
  endforeach()
  file(CONFIGURE OUTPUT ${output} @ONLY CONTENT
"// Written by cmake/KernelTable.cmake from the file names in kernels/.
#include \"core/implementation.h\"

namespace convict {

@declarations@
std::span<const convict_implementation* const> native_kernels() {
  static constexpr const convict_implementation* kKernels[] = {
@entries@  };
  return kKernels;
}

}  // namespace convict
")
endfunction()
