#!/usr/bin/env bash
# The series of docs/design/cluster-model.md: predicted weak and strong scaling of TSUBAME2.5 and of hosts with eight
# H200.
#
#   bash jobs/scaling/run.sh [FOLDER]      (default results/scaling; TORRE=path of the program, default build/torre)
#
# Tables go to the terminal and, with pictures, to a folder for each case. Predictions only: it takes seconds.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
torre=${TORRE:-$root/build/torre}
out=${1:-$root/results/scaling}

tsubame() { "$torre" scaling --machine "$root/jobs/machines/tsubame2.5.cfg" --order 4 --precision fp64 "$@"; }
h200() { "$torre" scaling --machine "$root/jobs/machines/h200-8.cfg" --order 2 --precision fp32 "$@"; }

# The paper's cases: 112 towers a row on each of three devices; 0.3e12 cells on 256 nodes; a fixed domain along X.
tsubame --weak-y --weak-x --cells 9000,1008,128 --th 64 --out "$out/tsubame-weak"
for th in 32 64 128 256; do
  tsubame --strong-x --cells 38400,363,128 --th "$th" --ranks 512 --out "$out/tsubame-strong-th$th"
done

# A rank is a host with eight devices side by side along Y, 264 towers a row on each. The first slab lies in the
# devices' memory (29 of 141 GB), the second in the hosts' (1.2 of 1.5 TB).
h200 --weak-y --weak-x --cells 3000,12672,256 --th 128 --out "$out/h200-resident"
h200 --weak-y --weak-x --cells 15000,12672,256 --out "$out/h200-host"
h200 --strong-x --cells 12000,12672,256 --ranks 512 --out "$out/h200-strong"

# A rank is one device: eight ranks along X share a host and exchange overlaps over NVLink.
h200 --weak-x --cells 3000,1584,256 --ranks-per-node 8 --th 128 --out "$out/h200-devices-along-x"
