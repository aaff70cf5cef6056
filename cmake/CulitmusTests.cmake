# culitmus_add_tests(<folder or file>... [BACKENDS model|cpu|gpu...] [RUNS <n>] [OPTIONS <option>...] [NVRTC <library>...]
#                    [LABELS <label>...] [TIMEOUT <seconds>] [RESOURCE_GROUPS <group>...])
#
# Makes a CTest test of every litmus test and backend, named <backend>.<folder>.<file> and labelled <backend> and
# <folder>, so that `ctest -L gpu` runs one backend and `ctest -L locks` one folder. Where two would have one name the
# later is told apart by its extension, and by the folders around. Files that are added to a folder later become tests
# without touching CMake files.
#
#   model   `culitmus check`: the claims of the test hold, and where its folder has a table outcomes.txt with lines of
#           this test, the model allows what they record (CULITMUS_BLESS=1 in the environment writes them);
#           skipped where the test claims nothing and nothing is recorded
#   cpu     a short run on the CPU
#   gpu     a run on the GPU, which may be called cuda as on the command line; skipped where there is none
#
# BACKENDS defaults to model cpu gpu; RUNS (a cell) to 10k on the CPU, or what a second allows, and 10M on the GPU.
#
# OPTIONS are more options of `culitmus run`, such as --seed 1 --no-profile. NVRTC is its option --nvrtc, of the gpu alone.
# LABELS come beside those above. TIMEOUT is CTest's, for a whole test (300; that of the model alone is --timeout).
# RESOURCE_GROUPS are CTest's, of the gpu alone: `RESOURCE_GROUPS gpus:1` runs as many tests at once as the file of
# `ctest --resource-spec-file` has gpus, each on the one that CTest gives it; their ids are numbers or UUIDs of GPUs. Without
# it the tests on the GPU wait for each other.
#
# Needs the target culitmus::culitmus, which this project and its installed package define.

set(CULITMUS_ON_RESOURCE ${CMAKE_CURRENT_LIST_DIR}/CulitmusOnResource.cmake)
set(CULITMUS_CHECK_OUTCOMES ${CMAKE_CURRENT_LIST_DIR}/CulitmusCheckOutcomes.cmake)
set(CULITMUS_NO_GPU "error: (no CUDA d|the driver reports no)|error: no NVRTC")

# Sees arg_LABELS and arg_TIMEOUT of culitmus_add_tests.
function(_culitmus_add_test name label folder skip)
  add_test(NAME ${name} COMMAND ${ARGN})
  set_tests_properties(${name} PROPERTIES LABELS "${label};${folder};${arg_LABELS}" TIMEOUT ${arg_TIMEOUT})
  if(skip)
    set_tests_properties(${name} PROPERTIES SKIP_REGULAR_EXPRESSION "${CULITMUS_NO_GPU}")
  endif()
endfunction()

# The first free name of a file, as <folder>.<file>.
function(_culitmus_name_test out file backends)
  get_filename_component(long ${file} NAME)
  string(REGEX REPLACE "\\.(yaml|yml|litmus)$" "" short ${long})
  get_filename_component(around ${file} DIRECTORY)
  set(prefix "")
  while(NOT around STREQUAL "/")
    get_filename_component(folder ${around} NAME)
    set(prefix ${folder}.${prefix})
    foreach(stem ${short} ${long})
      set(taken FALSE)
      foreach(backend IN LISTS backends)
        if(TEST ${backend}.${prefix}${stem})
          set(taken TRUE)
        endif()
      endforeach()
      if(NOT taken)
        set(${out} ${prefix}${stem} PARENT_SCOPE)
        return()
      endif()
    endforeach()
    get_filename_component(around ${around} DIRECTORY)
  endwhile()
  message(FATAL_ERROR "culitmus_add_tests: this file is there twice: ${file}")
endfunction()

# Says what a call of culitmus_add_tests has that means nothing; CTest and the tool would say it later, and in other words.
macro(_culitmus_check_call)
  if(arg_KEYWORDS_MISSING_VALUES)
    message(FATAL_ERROR "culitmus_add_tests: nothing follows ${arg_KEYWORDS_MISSING_VALUES}")
  endif()
  if(NOT arg_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "culitmus_add_tests: no file or folder of tests is named")
  endif()
  if(DEFINED arg_RUNS AND NOT arg_RUNS MATCHES "^0*[1-9][0-9.]*(e[0-9]+)?[kMG]?$")
    message(FATAL_ERROR "culitmus_add_tests: RUNS is a number such as 500000, 1e6 or 10M, not '${arg_RUNS}'")
  endif()
  if(DEFINED arg_TIMEOUT AND NOT arg_TIMEOUT MATCHES "^[0-9.]*[1-9][0-9.]*$")
    message(FATAL_ERROR "culitmus_add_tests: TIMEOUT is a number of seconds, not '${arg_TIMEOUT}'")
  endif()
  foreach(group IN LISTS arg_RESOURCE_GROUPS)
    if(NOT group MATCHES "^([0-9]+,)?[a-z_][a-z0-9_]*:[0-9]+(,[a-z_][a-z0-9_]*:[0-9]+)*$")
      message(FATAL_ERROR "culitmus_add_tests: RESOURCE_GROUPS has groups such as gpus:1, not '${group}'")
    endif()
  endforeach()
  foreach(backend IN LISTS arg_BACKENDS)
    if(NOT backend MATCHES "^(model|cpu|gpu|cuda)$")
      message(FATAL_ERROR "culitmus_add_tests: unknown backend '${backend}': model, cpu or gpu")
    endif()
  endforeach()
endmacro()

function(culitmus_add_tests)
  cmake_parse_arguments(PARSE_ARGV 0 arg "" "RUNS;TIMEOUT" "BACKENDS;OPTIONS;NVRTC;LABELS;RESOURCE_GROUPS")
  _culitmus_check_call()
  if(NOT DEFINED arg_TIMEOUT)
    set(arg_TIMEOUT 300)
  endif()
  set(on_gpu ${arg_OPTIONS})
  if(arg_NVRTC)
    list(JOIN arg_NVRTC "," libraries)
    list(APPEND on_gpu --nvrtc ${libraries})
  endif()
  set(gives "")
  set(locks RESOURCE_LOCK gpu)
  if(arg_RESOURCE_GROUPS)
    set(gives ${CMAKE_COMMAND} -P ${CULITMUS_ON_RESOURCE} --)
    set(locks RESOURCE_GROUPS "${arg_RESOURCE_GROUPS}")
  endif()
  if(NOT arg_BACKENDS)
    set(arg_BACKENDS model cpu gpu)
  endif()
  list(TRANSFORM arg_BACKENDS REPLACE "^cuda$" gpu)
  set(files "")
  foreach(path IN LISTS arg_UNPARSED_ARGUMENTS)
    set(words "")
    if(path MATCHES "^[A-Z_]+$")
      set(words "; its words are BACKENDS, RUNS, OPTIONS, NVRTC, LABELS, TIMEOUT and RESOURCE_GROUPS")
    endif()
    get_filename_component(path ${path} ABSOLUTE)
    if(IS_DIRECTORY ${path})
      file(GLOB_RECURSE found CONFIGURE_DEPENDS ${path}/*.yaml ${path}/*.yml ${path}/*.litmus)
      list(APPEND files ${found})
    elseif(EXISTS ${path})
      list(APPEND files ${path})
    else()
      message(FATAL_ERROR "culitmus_add_tests: no such file or folder: ${path}${words}")
    endif()
  endforeach()
  if(NOT files)
    message(WARNING "culitmus_add_tests: no tests in '${arg_UNPARSED_ARGUMENTS}'")
  endif()
  foreach(file IN LISTS files)
    _culitmus_name_test(name_of_file ${file} "${arg_BACKENDS}")
    get_filename_component(folder ${file} DIRECTORY)
    get_filename_component(folder ${folder} NAME)
    foreach(backend IN LISTS arg_BACKENDS)
      set(name ${backend}.${name_of_file})
      set(runs ${arg_RUNS})
      if(backend STREQUAL model)
        _culitmus_add_test(${name} model ${folder} FALSE ${CMAKE_COMMAND} -DCULITMUS=$<TARGET_FILE:culitmus::culitmus>
          -DTESTS=${file} -P ${CULITMUS_CHECK_OUTCOMES})
        set_tests_properties(${name} PROPERTIES SKIP_REGULAR_EXPRESSION "^nothing was checked: ")
      elseif(backend STREQUAL cpu)
        if(NOT runs)
          set(runs 10k)
        endif()
        _culitmus_add_test(${name} cpu ${folder} FALSE culitmus::culitmus run ${file} --backend cpu -n ${runs} -t 1
          ${arg_OPTIONS})
        set_tests_properties(${name} PROPERTIES PROCESSORS 2)
      elseif(backend STREQUAL gpu)
        if(NOT runs)
          set(runs 10M)
        endif()
        _culitmus_add_test(${name} gpu ${folder} TRUE ${gives} $<TARGET_FILE:culitmus::culitmus> run ${file}
          --backend cuda -n ${runs} -t 20 ${on_gpu})
        set_tests_properties(${name} PROPERTIES ${locks})
      endif()
    endforeach()
  endforeach()
endfunction()
