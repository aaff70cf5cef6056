# Writes the table of contents of a folder of tests (-DCULITMUS=<tool> -DSUITE=<folder> -DOUT=<file>): its preface.md, then
# a line a test, with what a GPU showed where results (-DRESULTS=<JSON of culitmus run>) exist. With -DCOMPARE=<file> it
# fails when that file says otherwise.
set(folders guide classic locks barriers scans peer host cluster launches pasted bugs)
set(judged ${OUT}.json)

function(culitmus)
  execute_process(COMMAND ${CULITMUS} ${ARGN} WORKING_DIRECTORY ${SUITE} OUTPUT_QUIET COMMAND_ERROR_IS_FATAL ANY)
endfunction()

culitmus(check ${folders} --json ${judged})
if(RESULTS AND EXISTS ${RESULTS})
  file(READ ${RESULTS} observed) # wherever that was run, its tests are those of this folder
  string(REGEX REPLACE "\"file\": *\"[^\"]*litmus/" "\"file\": \"" observed "${observed}")
  file(WRITE ${OUT}.observed "${observed}")
  culitmus(merge ${judged} ${OUT}.observed --markdown ${OUT}.tables)
  file(REMOVE ${OUT}.observed)
else()
  culitmus(report ${judged} --markdown ${OUT}.tables)
endif()
file(READ ${SUITE}/preface.md preface)
file(READ ${OUT}.tables tables)
file(WRITE ${OUT} "${preface}${tables}")
file(REMOVE ${judged} ${OUT}.tables)

if(COMPARE)
  file(READ ${COMPARE} old)
  if(NOT old STREQUAL "${preface}${tables}")
    message(FATAL_ERROR "${COMPARE} is not what the tests say now; see ${OUT}, and build the target suite-readme")
  endif()
endif()
