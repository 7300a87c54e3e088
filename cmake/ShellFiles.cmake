# SPDX-License-Identifier: Apache-2.0
# Completion scripts and manual pages, made from what the program says, so that they cannot disagree with it. A program
# for another machine cannot say it here.
if(CMAKE_CROSSCOMPILING)
  return()
endif()
set(shell_files ${PROJECT_BINARY_DIR}/shell)
find_program(HELP2MAN help2man)
if(HELP2MAN)
  set(write_pages COMMAND ${PROJECT_SOURCE_DIR}/cmake/man_pages.sh $<TARGET_FILE:convict> ${shell_files}/man)
else()
  message(STATUS "without manual pages: there is no help2man")
endif()
add_custom_command(
  TARGET convict POST_BUILD
  COMMAND ${CMAKE_COMMAND} -E rm -rf ${shell_files}
  COMMAND ${CMAKE_COMMAND} -E make_directory ${shell_files}/man
  COMMAND convict completion bash > ${shell_files}/convict
  COMMAND convict completion zsh > ${shell_files}/_convict
  COMMAND convict completion fish > ${shell_files}/convict.fish
  ${write_pages}
  VERBATIM)

install(FILES ${shell_files}/convict DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions)
install(FILES ${shell_files}/_convict DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/site-functions)
install(FILES ${shell_files}/convict.fish DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d)
install(DIRECTORY ${shell_files}/man/ DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
