# SPDX-License-Identifier: Apache-2.0
#
# Folders that come with the program (shipped_folder in src/run/named_clients.h): beside it in a build tree, beside the
# modules once installed. These are the clients known by name, of which those in Python find the package two folders above
# their own (clients/<name>/../../python), and the corpus.
foreach(folder clients corpus)
  file(CREATE_LINK ${PROJECT_SOURCE_DIR}/${folder} ${PROJECT_BINARY_DIR}/${folder} SYMBOLIC)
endforeach()
install(DIRECTORY ${PROJECT_SOURCE_DIR}/clients DESTINATION lib/convict
        FILES_MATCHING PATTERN *.py PATTERN *.js PATTERN *.json PATTERN *.sh PATTERN *.txt
        PATTERN __pycache__ EXCLUDE)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/python/convict DESTINATION lib/convict/python FILES_MATCHING PATTERN *.py)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/corpus/seeds ${PROJECT_SOURCE_DIR}/corpus/networks DESTINATION lib/convict/corpus)
