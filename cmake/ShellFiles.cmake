# SPDX-License-Identifier: Apache-2.0
# Completion scripts and manual pages, written by the program itself so that they cannot disagree with it. They belong
# to the program: whoever builds it can install it. A program for another machine cannot write them here.
if(CMAKE_CROSSCOMPILING)
  return()
endif()
set(shell_files ${PROJECT_BINARY_DIR}/shell)
add_custom_command(
  TARGET convict POST_BUILD
  COMMAND ${CMAKE_COMMAND} -E rm -rf ${shell_files}
  COMMAND ${CMAKE_COMMAND} -E make_directory ${shell_files}/man
  COMMAND convict completion bash > ${shell_files}/convict
  COMMAND convict completion zsh > ${shell_files}/_convict
  COMMAND convict completion fish > ${shell_files}/convict.fish
  COMMAND convict man ${shell_files}/man
  VERBATIM)

install(FILES ${shell_files}/convict DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions)
install(FILES ${shell_files}/_convict DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/site-functions)
install(FILES ${shell_files}/convict.fish DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d)
install(DIRECTORY ${shell_files}/man/ DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
