# Writes ${OUT}: the names in the texts ${FILES} that bodies call or use, sorted, as rows of a table of C: functions and
# macros (words before a parenthesis), types, variables, and words that a macro joins to others, which end in '*'. Run at
# build time, by runner/CMakeLists.txt.
set(names "")
foreach(file IN LISTS FILES)
  file(READ ${file} text)
  string(REGEX REPLACE "[][;]" "@" text "${text}") # brackets and semicolons mean something in lists of CMake
  string(REGEX REPLACE "/\\*([^*]|\\*+[^*/])*\\*+/" "" text "${text}")
  string(REGEX MATCHALL "[A-Za-z0-9_]+\\(" calls "${text}")
  string(REGEX MATCHALL "[A-Za-z0-9]+_[A-Za-z0-9_]*##" joined "${text}")
  string(REGEX MATCHALL "#define [a-z][A-Za-z0-9_]*" macros "${text}")
  string(REGEX MATCHALL "typedef [^@{()]*@" types "${text}")
  string(REGEX MATCHALL "\n} [a-z][A-Za-z0-9_]*@" variables "${text}")
  string(REGEX REPLACE "##" "*" joined "${joined}")
  list(APPEND names ${calls} ${joined} ${macros} ${types} ${variables})
endforeach()
list(TRANSFORM names REPLACE "[^A-Za-z0-9_*]+$" "")
list(TRANSFORM names REPLACE "^.*[^A-Za-z0-9_]([A-Za-z0-9_]+[*]?)$" "\\1")
list(FILTER names INCLUDE REGEX "^[a-z][A-Za-z0-9_]") # what has one letter is a parameter
list(FILTER names EXCLUDE REGEX "__")
list(SORT names COMPARE STRING)
list(REMOVE_DUPLICATES names)
list(TRANSFORM names PREPEND "\"")
list(TRANSFORM names APPEND "\",\n")
list(JOIN names "" rows)
file(WRITE ${OUT} "${rows}")
