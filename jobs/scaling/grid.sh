# shellcheck shell=bash
# For gpus.sh and series.sh. grid_of MODE N: ranks along x and y of N GPUs in a mode or series, by the end of its name:
# -y, -xy, or neither: along x.
grid_of() {
  case $1 in
    *-xy) echo "$(($2 < 4 ? 1 : 2)) $(($2 < 4 ? $2 : $2 / 2))" ;;
    *-y) echo "1 $2" ;;
    *) echo "$2 1" ;;
  esac
}
