#!/usr/bin/env bash
# Links, lines and paths of the documentation (tests/support/docs.py).
set -u
cd "$TORRE_SOURCE" || exit 1
python3 tests/support/docs.py
