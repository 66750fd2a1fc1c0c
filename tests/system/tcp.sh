#!/usr/bin/env bash
# Ranks on two hosts connected by TCP alone: the same files as one process. The hosts are network namespaces with names
# of their own.
source "$TORRE_SOURCE/tests/system/lib.sh"
command -v mpirun >/dev/null && command -v ip >/dev/null || { echo "no mpirun or no ip" && exit 77; }
left=torre-left-$$ right=torre-right-$$
clean_up() {
  ip netns del "$left" 2>/dev/null
  ip netns del "$right" 2>/dev/null
}
trap clean_up EXIT
if ! { ip netns add "$left" && ip netns add "$right" &&
  ip -n "$left" link add wire type veth peer name wire netns "$right"; } 2>why.txt; then
  echo "no network namespaces here: $(head -1 why.txt)" && exit 77
fi
for end in "$left 10.77.0.1" "$right 10.77.0.2"; do
  read -r space address <<<"$end"
  ip -n "$space" link set lo up && ip -n "$space" link set wire up &&
    ip -n "$space" address add "$address/24" dev wire || exit 77
done

# Runs a command on a host: in its network, under its name, with a folder of its own for files that processes of one
# machine share.
mkdir -p "$PWD/$left" "$PWD/$right"
cat >on-host.sh <<END_OF_FILE
#!/usr/bin/env bash
case \$1 in 10.77.0.1) space=$left ;; 10.77.0.2) space=$right ;; *) exit 255 ;; esac
shift
exec ip netns exec "\$space" unshare --uts \\
  sh -c "hostname \$space; cd '$PWD'; TMPDIR='$PWD'/\$space; export TMPDIR; \$*"
END_OF_FILE
chmod +x on-host.sh

job=job.cfg
reference_job "${coarse[@]}" -e 's/time_fs = 20.0/time_fs = 8.0/; s/from_fs = 10.0; }/from_fs = 4.0; }/' |
  awk '/^  { type = "snapshot"/ { skip = 1 } /^\);/ { skip = 0 } !skip' |
  sed 's/^    image = false; },$/    image = false; }/' >$job
"$TORRE" run "$job" --out one -q >/dev/null
check "one process runs" $?

sent() { ip -n "$left" -s link show wire | awk '/TX:/ { getline; print $1 }'; }
for grid in 2x1 1x2 2x2; do
  n=$((${grid%x*} * ${grid#*x})) before=$(sent)
  timeout 1500 ./on-host.sh 10.77.0.1 mpirun --bind-to none --mca btl tcp,self --mca pml ob1 \
    --mca plm_rsh_agent "$PWD/on-host.sh" \
    -H "10.77.0.1:$((n / 2)),10.77.0.2:$((n / 2))" -n "$n" "$TORRE" run "$job" --th 4 --dts 3 --threads 2 \
    --ranks $grid --out "r$grid" -q >"r$grid.txt" 2>&1
  check "$grid ranks on two hosts run" $?
  bytes=$(($(sent) - before))
  [[ $bytes -gt 100000 ]]
  check "their messages cross the wire: $bytes bytes" $?
  same=0
  for f in one/*.csv $(has_pictures && echo one/*.png); do cmp -s "$f" "r$grid/${f##*/}" || same=1; done
  check "$grid ranks on two hosts write the same tables and pictures" $same
done
finish
