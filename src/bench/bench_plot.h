/* Pictures of a bench.csv, by gnuplot. */
#ifndef TOR_SRC_BENCH_BENCH_PLOT_H
#define TOR_SRC_BENCH_BENCH_PLOT_H

/* Writes bench.gp to the folder and runs gnuplot on it, which makes th.png, towers.png, nz.png and roofline.png from
 * bench.csv. Without gnuplot the script stays, with a line that says so. copy: bandwidth [bytes/s] for the roof. */
void tor_bench_plot(const char *folder, double copy);

#endif
