# Writes a file's bytes as a C array: cmake -DIN=font.ttf -DOUT=font.c -DNAME=tor_font -P embed.cmake
file(READ ${IN} hex HEX)
string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," bytes "${hex}")
file(WRITE ${OUT} "#include <stddef.h>\nextern const unsigned char ${NAME}[];\nextern const size_t ${NAME}_size;\n"
                  "const unsigned char ${NAME}[] = {${bytes}};\nconst size_t ${NAME}_size = sizeof ${NAME};\n")
