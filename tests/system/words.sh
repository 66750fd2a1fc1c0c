#!/usr/bin/env bash
# No retired word or phrase in code, scripts and documents (tests/support/words.py, retired_words.txt).
source "$TORRE_SOURCE/tests/system/lib.sh"
command -v python3 >/dev/null || { echo "needs python3" && exit 77; }

mkdir -p tree/tests/support tree/docs
cp "$TORRE_SOURCE"/tests/support/{words.py,retired_words.txt} tree/tests/support
echo "A line in plain technical English." >tree/docs/page.md
python3 tree/tests/support/words.py >clean.txt && grep -q '^0 retired words in [1-9]' clean.txt
check "a tree without retired words passes" $?
printf 'A line that %s reads.\n' 'no''body' >>tree/docs/page.md
python3 tree/tests/support/words.py >found.txt
[[ $? == 1 ]] && grep -q '^docs/page.md:2: ' found.txt
check "a retired word is found, with its file and line" $?

python3 "$TORRE_SOURCE/tests/support/words.py"
check "no retired words in the source tree" $?
finish
