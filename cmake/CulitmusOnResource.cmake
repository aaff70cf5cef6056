# cmake -P CulitmusOnResource.cmake -- COMMAND...: runs a command on the GPU that CTest has given to the test, which then is
# its only one. CTest says in the environment which: CTEST_RESOURCE_GROUP_0=gpus, CTEST_RESOURCE_GROUP_0_GPUS=id:0,slots:1.
# Where it gave none (ctest without --resource-spec-file) the command chooses by itself.
cmake_minimum_required(VERSION 3.25)
set(command "")
set(found FALSE)
math(EXPR last "${CMAKE_ARGC} - 1")
foreach(k RANGE ${last})
  if(found)
    list(APPEND command "${CMAKE_ARGV${k}}")
  elseif("${CMAKE_ARGV${k}}" STREQUAL "--")
    set(found TRUE)
  endif()
endforeach()

string(TOUPPER "$ENV{CTEST_RESOURCE_GROUP_0}" resource)
if("$ENV{CTEST_RESOURCE_GROUP_0_${resource}}" MATCHES "^id:([^,]+)")
  set(ENV{CUDA_VISIBLE_DEVICES} "${CMAKE_MATCH_1}")
endif()
execute_process(COMMAND ${command} RESULT_VARIABLE code)
if(code)
  message(FATAL_ERROR "exit code ${code}")
endif()
