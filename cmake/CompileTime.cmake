# SPDX-License-Identifier: Apache-2.0
# What keeps the program cheap to compile. Neither changes what it does.
option(CONVICT_PCH "precompile the headers of other projects; OFF shows an include that is missing in a file" ON)

# precompile(<target> [JSON]): what nearly all its files include, and with JSON the largest header of all. Only headers of
# other projects: ours change, and every change would compile everything.
function(precompile target)
  if(NOT CONVICT_PCH)
    return()
  endif()
  set(headers <algorithm> <array> <atomic> <chrono> <cmath> <deque> <filesystem> <fstream> <functional> <iterator> <limits>
              <map> <memory> <numeric> <optional> <set> <span> <sstream> <string> <string_view> <utility> <variant> <vector>
              <fmt/format.h>)
  if("JSON" IN_LIST ARGN)
    list(APPEND headers <nlohmann/json.hpp>)
  endif()
  target_precompile_headers(${target} PRIVATE ${headers})
endfunction()

# cold(<target>): its code waits for workers, reads or prints, and is never what a campaign waits for. Optimising it takes a
# quarter of the time of compiling it. Only in optimised builds, and not for fuzzers, which run it all the time.
function(cold target)
  if(CMAKE_CXX_FLAGS MATCHES "-O2" AND NOT CMAKE_CXX_FLAGS MATCHES "-fsanitize")
    target_compile_options(${target} PRIVATE -Og)
  endif()
endfunction()
