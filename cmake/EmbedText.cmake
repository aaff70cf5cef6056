# culitmus_embed(<target> <name> <glob>...) makes each file a C string and a table of them:
#   #include "embedded_<name>.h"  ->  const struct embedded embedded_<name>[] = {{"file", "text"}, ..., {0}}
# A file named again in another glob is embedded once; the table is sorted by file name.
function(culitmus_embed target name)
  file(GLOB files CONFIGURE_DEPENDS ${ARGN})
  set(out ${CMAKE_CURRENT_BINARY_DIR}/embedded_${name})
  add_custom_command(
    OUTPUT ${out}.c ${out}.h
    COMMAND ${CMAKE_COMMAND} -DNAME=${name} "-DFILES=${files}" -DOUT=${out}
            -P ${PROJECT_SOURCE_DIR}/cmake/EmbedTextScript.cmake
    DEPENDS ${files} ${PROJECT_SOURCE_DIR}/cmake/EmbedTextScript.cmake
    VERBATIM)
  target_sources(${target} PRIVATE ${out}.c ${out}.h)
endfunction()
