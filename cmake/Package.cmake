# SPDX-License-Identifier: Apache-2.0
# What other projects find: find_package(convict), with the targets convict::convict (the header) and convict::program;
# and pkg-config.
include(CMakePackageConfigHelpers)
set(package_folder ${CMAKE_INSTALL_LIBDIR}/cmake/convict)
configure_package_config_file(${CMAKE_CURRENT_LIST_DIR}/convictConfig.cmake.in ${PROJECT_BINARY_DIR}/convictConfig.cmake
                              INSTALL_DESTINATION ${package_folder}
                              PATH_VARS CMAKE_INSTALL_INCLUDEDIR CMAKE_INSTALL_BINDIR)
write_basic_package_version_file(${PROJECT_BINARY_DIR}/convictConfigVersion.cmake COMPATIBILITY SameMajorVersion)
install(FILES ${PROJECT_BINARY_DIR}/convictConfig.cmake ${PROJECT_BINARY_DIR}/convictConfigVersion.cmake
        DESTINATION ${package_folder})
file(RELATIVE_PATH up_to_prefix /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)
configure_file(${CMAKE_CURRENT_LIST_DIR}/convict.pc.in ${PROJECT_BINARY_DIR}/convict.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/convict.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
