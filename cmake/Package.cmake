# What `cpack` makes of what is installed (Install.cmake): a Debian package. The driver and NVRTC are loaded when the tool
# runs, so they are suggested and not needed.
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_VENDOR "the culitmus authors")
set(CPACK_PACKAGE_CONTACT "${CPACK_PACKAGE_VENDOR}")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_PRE_BUILD_SCRIPTS ${PROJECT_SOURCE_DIR}/cmake/DebianFiles.cmake)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION devel)
set(CPACK_DEBIAN_PACKAGE_DESCRIPTION
"A litmus test is what a few threads do, and an outcome to ask about. culitmus says whether the PTX memory model allows
that outcome, for every placement of the threads and every scope of fence, and how often a GPU shows it in millions of
runs.")
set(CPACK_DEBIAN_PACKAGE_RECOMMENDS "gcc | c-compiler, libc6-dev | libc-dev") # to run tests on a CPU
set(CPACK_DEBIAN_PACKAGE_SUGGESTS "libcuda1, libnvrtc12 | cuda-nvrtc-13-0, graphviz")
include(CPack)
