# Writes ${OUT}.c and ${OUT}.h from ${FILES}; run by culitmus_embed at build time. Bytes are written as numbers, so
# nothing of a file needs quoting.
file(WRITE ${OUT}.h "#ifndef CULITMUS_EMBEDDED_${NAME}_H\n#define CULITMUS_EMBEDDED_${NAME}_H\n#include \"base/embedded.h\"\n"
  "extern const struct embedded embedded_${NAME}[]; /* ends with {0} */\n#endif\n")
set(code "#include \"embedded_${NAME}.h\"\n")
set(table "")
set(k 0)
foreach(file IN LISTS FILES)
  get_filename_component(base ${file} NAME)
  file(READ ${file} hex HEX)
  string(REGEX REPLACE "(..)" "0x\\1," bytes "${hex}")
  string(APPEND code "static const char text_${k}[] = {${bytes}0};\n")
  string(APPEND table "    {\"${base}\", text_${k}},\n")
  math(EXPR k "${k} + 1")
endforeach()
file(WRITE ${OUT}.c "${code}const struct embedded embedded_${NAME}[] = {\n${table}    {0},\n};\n")
