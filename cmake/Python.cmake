# SPDX-License-Identifier: Apache-2.0
# The Python package, for the distribution's Python. A wheel has it by itself (pyproject.toml).
if(SKBUILD)
  return()
endif()
# Debian's Python looks into lib/python3 below /usr, and into lib/python3.X below /usr/local.
execute_process(COMMAND /usr/bin/python3 -c "import sys; print('%d.%d' % sys.version_info[:2], end='')"
                OUTPUT_VARIABLE python_version ERROR_QUIET)
if(CMAKE_INSTALL_PREFIX STREQUAL "/usr" OR NOT python_version)
  set(python_version 3)
endif()
set(CONVICT_PYTHON_DIR "lib/python${python_version}/dist-packages" CACHE STRING
    "where the Python package is installed, below the prefix")
install(DIRECTORY ${PROJECT_SOURCE_DIR}/python/convict DESTINATION ${CONVICT_PYTHON_DIR}
        FILES_MATCHING PATTERN "*.py" PATTERN "py.typed" PATTERN "__pycache__" EXCLUDE)
# With these two, pytest finds the plugin.
file(WRITE ${PROJECT_BINARY_DIR}/python/METADATA
     "Metadata-Version: 2.1\nName: convict\nVersion: ${PROJECT_VERSION}\n")
file(WRITE ${PROJECT_BINARY_DIR}/python/entry_points.txt "[pytest11]\nconvict = convict.pytest_plugin\n")
install(FILES ${PROJECT_BINARY_DIR}/python/METADATA ${PROJECT_BINARY_DIR}/python/entry_points.txt
        DESTINATION ${CONVICT_PYTHON_DIR}/convict-${PROJECT_VERSION}.dist-info)
