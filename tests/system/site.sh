#!/usr/bin/env bash
# docs/site.sh: the documentation as a web site, whose links lead somewhere.
source "$TORRE_SOURCE/tests/system/lib.sh"
command -v mkdocs >/dev/null || { echo "no mkdocs" && exit 77; }

bash "$TORRE_SOURCE/docs/site.sh" site >out.txt 2>&1
check "the site is built" $?
grep -q 'wrote .*site/index.html' out.txt && grep -q '<table' site/docs/user/job-file.html &&
  cmp -s site/jobs/reference.cfg "$TORRE_SOURCE/jobs/reference.cfg"
check "pages and the files that they name" $?
mkdir -p tree/tests && cp -r "$TORRE_SOURCE"/{*.md,LICENSE,docs,jobs} tree &&
  cp -r "$TORRE_SOURCE/tests/stress" tree/tests
echo "[a page](nowhere.md)" >>tree/docs/index.md
! bash tree/docs/site.sh broken >out.txt 2>&1 && grep -q "link to 'docs/nowhere.md' which is not found" out.txt
check "a link that leads nowhere is found" $?
finish
