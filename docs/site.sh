#!/usr/bin/env bash
# The documentation as a web site, by MkDocs (Debian: mkdocs):
#
#   bash docs/site.sh [FOLDER]        default build-site
#
# README.md is the first page; pages, jobs and pictures lie as in the repository, so that the pages' links lead to them.
# Exit status 1 where a link leads nowhere; 77 without mkdocs.
set -eu
top=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
out=$(realpath -m "${1:-build-site}")
if ! command -v mkdocs >/dev/null; then
  echo "mkdocs is not installed (Debian, Ubuntu: apt-get install mkdocs)" >&2
  exit 77
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/pages"
cd "$top"
cp -r README.md CHANGELOG.md CONTRIBUTING.md SECURITY.md LICENSE docs jobs "$work/pages"
mkdir -p "$work/pages/tests/stress" # pages name some of these
cp tests/stress/*.py "$work/pages/tests/stress"
cat >"$work/mkdocs.yml" <<TEXT
site_name: Torre
docs_dir: pages
site_dir: $out
use_directory_urls: false
theme: readthedocs
markdown_extensions: [tables, fenced_code, toc, footnotes]
TEXT
mkdocs build --strict --clean -f "$work/mkdocs.yml" >"$work/log" 2>&1 || { cat "$work/log" >&2 && exit 1; }
echo "wrote $out/index.html"
