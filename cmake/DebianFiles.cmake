# Run by cpack, before it packs what is below ${CPACK_TEMPORARY_INSTALL_DIRECTORY}. Debian wants manual pages compressed, the
# licence as a file called copyright, and folders that everybody may read, whatever umask says. And it wants to know which
# packages have the libraries of the tool: cpack itself would look for these in each file, which takes half a minute.
set(prefix ${CPACK_TEMPORARY_INSTALL_DIRECTORY}/usr)
file(GLOB pages ${prefix}/share/man/*/*.1)
execute_process(COMMAND gzip -9n ${pages} COMMAND_ERROR_IS_FATAL ANY)
file(RENAME ${prefix}/share/doc/culitmus/LICENSE ${prefix}/share/doc/culitmus/copyright)
file(CHMOD_RECURSE ${prefix} DIRECTORY_PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE
  WORLD_READ WORLD_EXECUTE)

set(folder ${CPACK_TOPLEVEL_DIRECTORY}/libraries)
file(WRITE ${folder}/debian/control "Source: culitmus\n\nPackage: culitmus\nArchitecture: any\n")
execute_process(COMMAND dpkg-shlibdeps -O ${prefix}/bin/culitmus WORKING_DIRECTORY ${folder}
  OUTPUT_VARIABLE needed ERROR_VARIABLE said RESULT_VARIABLE code OUTPUT_STRIP_TRAILING_WHITESPACE)
if(NOT code EQUAL 0)
  message(FATAL_ERROR "dpkg-shlibdeps, of the package dpkg-dev, does not say what the tool needs: ${said}")
endif()
string(REPLACE "shlibs:Depends=" "" CPACK_DEBIAN_PACKAGE_DEPENDS "${needed}")
