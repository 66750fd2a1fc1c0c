#!/usr/bin/env bash
# No function, struct, file or line of the tree is too long (tests/support/shape.py); and the script finds what is.
source "$TORRE_SOURCE/tests/system/lib.sh"
shape=$TORRE_SOURCE/tests/support/shape.py
(cd "$TORRE_SOURCE" && python3 "$shape")
check "functions within 60 lines, structs within 150, files within 500, lines within 120 columns" $?

lines() { yes "$1" | head -n "$2"; } # text, how many
git init -q planted && cd planted || exit 1
{ echo 'static int long_function(int a) {' && lines '  a++;' 59 && echo '}'; } >function.c
{ echo 'struct long_struct {' && lines '  int a;' 149 && echo '};'; } >struct.h
{ echo 'struct tile {' && echo '  void method() {' && lines '    a++;' 59 && echo '  }' && echo '};'; } >method.cuh
{ echo 'def long_function():' && lines '    a = 1' 60; } >function.py
{ echo 'long_function() {' && lines '  :' 59 && echo '}'; } >function.sh
lines 'a' 501 >file.md
printf '%0121d\n' 0 >line.md
{ echo 'int f(int a) {' && lines '  a++;' 58 && echo '}'; } >fits.c # 60 lines
git add .
python3 "$shape" >../found.txt
for what in 'function.c:1: long_function has 61' 'struct.h:1: struct long_struct has 151' \
  'method.cuh:2: .*method has 61' 'function.py:1: long_function has 61' 'function.sh:1: long_function has 61' \
  'file.md: 501 lines' 'line.md:1: 121 columns'; do
  grep -q "^$what" ../found.txt
  check "found: $what" $?
done
[[ $(grep -c 'at most' ../found.txt) == 7 ]]
check "and nothing else" $?
finish
