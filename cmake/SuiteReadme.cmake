# Writes the table of contents of a folder of tests (-DCULITMUS=<tool> -DSUITE=<folder> -DOUT=<file>): its preface.md, then
# a line a test, with what GPUs showed: the folder's JSON files are results of culitmus run. -DJUDGED=<folder> has the
# results of culitmus check of each folder of tests; else they are made. With -DCOMPARE=<file> it fails when that file says
# otherwise; but where there is no nvcc, it leaves out what only nvcc can compile, which comes last.
set(folders guide classic locks barriers scans peer host cluster launches async mbarrier proxies pipelines pasted bugs lifted)
set(compiled "\n## lifted\n")
find_program(NVCC nvcc)
if(COMPARE AND NOT NVCC)
  list(REMOVE_ITEM folders lifted)
endif()

function(culitmus)
  execute_process(COMMAND ${CULITMUS} ${ARGN} WORKING_DIRECTORY ${SUITE} OUTPUT_QUIET COMMAND_ERROR_IS_FATAL ANY)
endfunction()

if(JUDGED)
  list(TRANSFORM folders PREPEND ${JUDGED}/ OUTPUT_VARIABLE judged)
  list(TRANSFORM judged APPEND .json)
else()
  set(judged ${OUT}.judged.json)
  culitmus(check ${folders} --json ${judged})
endif()
file(GLOB records ${SUITE}/*.json)
list(SORT records ORDER DESCENDING) # the GPU of the first one names the column
set(merged)
foreach(results IN LISTS judged records)
  file(READ ${results} text) # wherever that was run, its tests are those of this folder
  string(REGEX REPLACE "\"file\": *\"[^\"]*litmus/" "\"file\": \"" text "${text}")
  get_filename_component(name ${results} NAME)
  file(WRITE ${OUT}.${name} "${text}")
  list(APPEND merged ${OUT}.${name})
endforeach()
culitmus(merge ${merged} --markdown ${OUT}.tables)
file(READ ${SUITE}/preface.md preface)
file(READ ${OUT}.tables tables)
file(WRITE ${OUT} "${preface}${tables}")
file(REMOVE ${merged} ${OUT}.tables ${OUT}.judged.json)

if(COMPARE)
  file(READ ${COMPARE} old)
  if(NOT NVCC)
    string(FIND "${old}" "${compiled}" end)
    string(SUBSTRING "${old}" 0 ${end} old)
  endif()
  if(NOT old STREQUAL "${preface}${tables}")
    message(FATAL_ERROR "${COMPARE} is not what the tests say now; see ${OUT}, and build the target suite-readme")
  endif()
endif()
