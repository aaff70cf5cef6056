# What is installed: the tool, the shipped suite, completions, the manual page, the schemas of tests and results, the script of a
# campaign, and a package for other projects' CMake files.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

set(CULITMUS_TOOL ${CMAKE_INSTALL_BINDIR}/culitmus)
set(package ${CMAKE_INSTALL_LIBDIR}/cmake/culitmus)
configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/culitmusConfig.cmake.in
  ${PROJECT_BINARY_DIR}/culitmusConfig.cmake INSTALL_DESTINATION ${package} PATH_VARS CULITMUS_TOOL)
write_basic_package_version_file(${PROJECT_BINARY_DIR}/culitmusConfigVersion.cmake COMPATIBILITY SameMinorVersion)

install(TARGETS culitmus)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/litmus DESTINATION ${CMAKE_INSTALL_DATADIR}/culitmus)
# The playground, where it was built before.
install(FILES ${PROJECT_BINARY_DIR}/playground/index.html DESTINATION ${CMAKE_INSTALL_DATADIR}/culitmus
  RENAME playground.html OPTIONAL)
# Machine code of the suite, where it was made before (packages/make_code.c).
install(DIRECTORY ${PROJECT_BINARY_DIR}/code DESTINATION ${CMAKE_INSTALL_DATADIR}/culitmus OPTIONAL)
set(generated ${PROJECT_BINARY_DIR}/generated)
install(FILES ${generated}/culitmus.bash DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions
  RENAME culitmus)
install(FILES ${generated}/culitmus.zsh DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/site-functions RENAME _culitmus)
install(FILES ${generated}/culitmus.fish DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d)
install(FILES ${generated}/culitmus.schema DESTINATION ${CMAKE_INSTALL_DATADIR}/culitmus RENAME culitmus.schema.json)
install(FILES ${PROJECT_SOURCE_DIR}/docs/results.schema.json DESTINATION ${CMAKE_INSTALL_DATADIR}/culitmus
  RENAME culitmus-results.schema.json)
install(PROGRAMS ${PROJECT_SOURCE_DIR}/tests/bench/campaign DESTINATION ${CMAKE_INSTALL_DATADIR}/culitmus)
install(FILES ${generated}/culitmus.man DESTINATION ${CMAKE_INSTALL_MANDIR}/man1 RENAME culitmus.1)
install(FILES ${PROJECT_BINARY_DIR}/culitmusConfig.cmake ${PROJECT_BINARY_DIR}/culitmusConfigVersion.cmake
  ${PROJECT_SOURCE_DIR}/cmake/CulitmusTests.cmake ${PROJECT_SOURCE_DIR}/cmake/CulitmusCheckOutcomes.cmake
  ${PROJECT_SOURCE_DIR}/cmake/CulitmusOnResource.cmake
  DESTINATION ${package})
install(FILES ${PROJECT_SOURCE_DIR}/README.md ${PROJECT_SOURCE_DIR}/LICENSE ${PROJECT_SOURCE_DIR}/CHANGELOG.md
  ${PROJECT_SOURCE_DIR}/CONTRIBUTING.md DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(FILES ${PROJECT_SOURCE_DIR}/litmus/README.md DESTINATION ${CMAKE_INSTALL_DOCDIR}/litmus) # which README.md names
install(DIRECTORY ${PROJECT_SOURCE_DIR}/docs DESTINATION ${CMAKE_INSTALL_DOCDIR})
