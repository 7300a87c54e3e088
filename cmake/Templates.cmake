# SPDX-License-Identifier: Apache-2.0
# The files of templates/ as strings of a C++ file: `convict new-plugin` writes them. The program needs no folder of its
# own for that.
function(write_templates output folder)
  file(GLOB files CONFIGURE_DEPENDS ${folder}/*)
  set(entries "")
  foreach(file IN LISTS files)
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${file})
    get_filename_component(name ${file} NAME)
    file(READ ${file} text)
    string(APPEND entries "    {\"${name}\", R\"-text-(${text})-text-\"},\n")
  endforeach()
  set(content "// Written by cmake/Templates.cmake.
#include \"cli/templates.h\"

namespace convict::cli {

std::span<const Template> plugin_templates() {
  static constexpr Template kTemplates[] = {
${entries}  };
  return kTemplates;
}

}  // namespace convict::cli
")
  set(before "")
  if(EXISTS ${output})
    file(READ ${output} before)
  endif()
  if(NOT before STREQUAL content)  # else everything that depends on it would be made anew
    file(WRITE ${output} "${content}")
  endif()
endfunction()
