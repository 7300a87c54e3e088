# SPDX-License-Identifier: Apache-2.0
#
# The clients known by name (src/run/named_clients.h): beside the program in a build tree, beside the modules once
# installed. Those in Python find the package two folders above their own (clients/<name>/../../python).
file(CREATE_LINK ${PROJECT_SOURCE_DIR}/clients ${PROJECT_BINARY_DIR}/clients SYMBOLIC)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/clients DESTINATION lib/convict
        FILES_MATCHING PATTERN *.py PATTERN *.js PATTERN *.json PATTERN *.sh PATTERN *.txt
        PATTERN __pycache__ EXCLUDE)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/python/convict DESTINATION lib/convict/python FILES_MATCHING PATTERN *.py)
