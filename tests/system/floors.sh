#!/usr/bin/env bash
# No include points up: reads the includes of the tree (tests/support/floors.py).
set -u
cd "$TORRE_SOURCE" || exit 1
if python3 tests/support/floors.py; then
  echo "ok   no include points up, guards follow paths"
else
  echo "fail floors"
  exit 1
fi
