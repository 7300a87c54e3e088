# SPDX-License-Identifier: Apache-2.0
# The web page of `convict report --format html` as two strings of a C++ file: page.html with styles, chart library and
# scripts in place of its {{names}}, cut at {{facts}}. A Content-Security-Policy names the hashes of what may run, so
# that nothing else does, whatever a database puts into the page.

# The SHA-256 of the text in the variable `text`, in base64 as browsers want it.
function(content_hash text output)
  string(SHA256 hex "${${text}}")
  string(APPEND hex "00")  # 33 bytes are 11 groups of 3
  set(alphabet "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/")
  set(base64 "")
  foreach(group RANGE 10)
    math(EXPR at "${group} * 6")
    string(SUBSTRING "${hex}" ${at} 6 bytes)
    foreach(shift 18 12 6 0)
      math(EXPR sextet "(0x${bytes} >> ${shift}) & 63")
      string(SUBSTRING "${alphabet}" ${sextet} 1 letter)
      string(APPEND base64 "${letter}")
    endforeach()
  endforeach()
  string(SUBSTRING "${base64}" 0 43 base64)
  set(${output} "sha256-${base64}=" PARENT_SCOPE)
endfunction()

# write_page(<output.cpp> <folder> <chart library> <script>...): the scripts are joined in that order.
function(write_page output folder chart_library)
  file(READ ${folder}/page.html page)
  file(READ ${folder}/page.css style)
  set(inputs ${folder}/page.css)
  file(READ ${chart_library} chart)
  set(script "\"use strict\";\n")
  foreach(name IN LISTS ARGN)
    file(READ ${folder}/${name} text)
    string(APPEND script "${text}")
    list(APPEND inputs ${folder}/${name})
  endforeach()
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${folder}/page.html ${inputs})
  foreach(part style chart script)
    content_hash(${part} hash)
    string(REPLACE "{{${part}-hash}}" "${hash}" page "${page}")
  endforeach()
  foreach(part style chart script)
    string(REPLACE "{{${part}}}" "${${part}}" page "${page}")
  endforeach()
  string(FIND "${page}" "{{facts}}" at)
  string(SUBSTRING "${page}" 0 ${at} before)
  math(EXPR behind "${at} + 9")
  string(SUBSTRING "${page}" ${behind} -1 after)
  file(CONFIGURE OUTPUT ${output} @ONLY CONTENT
"// Written by cmake/WebPage.cmake.
#include \"reports/html/page_document.h\"

namespace convict::html {

std::string_view page_before_facts() {
  return R\"-page-(@before@)-page-\";
}

std::string_view page_after_facts() {
  return R\"-page-(@after@)-page-\";
}

}  // namespace convict::html
")
endfunction()
