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

tsubame() {
  "$torre" scaling --machine "$root/jobs/machines/tsubame2.5.cfg" --order 4 --precision fp64 --ranks 256 "$@"
}
h200() { "$torre" scaling --machine "$root/jobs/machines/h200-8.cfg" --order 2 --precision fp32 "$@"; }

# The paper's cases (docs/design/cluster-model.md): 112 and 42 towers a row on each of three devices; three sizes along
# y; TH by memory; along x.
tsubame --weak-y --weak-x --cells 3027,1008,384 --bytes 33 --th 100 --out "$out/tsubame-weak-112"
tsubame --weak-y --cells 3027,378,384 --bytes 33 --th 100 --out "$out/tsubame-weak-42"
for ny in 3312 13248 52992; do
  tsubame --strong-y --cells "720,$ny,384" --bytes 33 --th 100 --out "$out/tsubame-strong-y-$ny"
done
for th in 15 150; do
  tsubame --strong-y --cells 450,62208,128 --bytes 33 --th $th --out "$out/tsubame-strong-y-th$th"
  tsubame --strong-x --cells 38400,363,128 --bytes 24 --th $((th == 15 ? 100 : th)) \
    --out "$out/tsubame-strong-x-th$((th == 15 ? 100 : th))"
done

# A rank is a host with eight devices side by side along Y, 264 towers a row on each. The first slab lies in the
# devices' memory (29 of 141 GB), the second in the hosts' (1.2 of 1.5 TB).
h200 --weak-y --weak-x --cells 3000,12672,256 --th 128 --out "$out/h200-resident"
h200 --weak-y --weak-x --cells 15000,12672,256 --out "$out/h200-host"
h200 --strong-x --cells 12000,12672,256 --ranks 512 --out "$out/h200-strong"

# A rank is one device: eight ranks along X share a host and exchange overlaps over NVLink.
h200 --weak-x --cells 3000,1584,256 --ranks-per-node 8 --th 128 --out "$out/h200-devices-along-x"
