/* Pictures of a bench.csv: see bench_plot.h. */
#include "src/bench/bench_plot.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "io/files/folder.h"
#include "io/image/gnuplot.h"

/* Columns by number: 1 series, 3 order, 4 precision, 5 engine, 9 nz, 11 TH, 12 towers, 13 rate, 14 bytes. */
static const char script[] = "set datafile separator comma\n"
                             "set terminal pngcairo size 900,600 font 'sans,12'\n"
                             "set key top left\nset grid\nset ylabel 'G cell updates/s'\nset yrange [0:*]\n"
                             "pick(series, order) = strcol(1) eq series && $3 == order ? $13 * 1e-9 : NaN\n"
                             "set logscale x 2\n"
                             "set output 'th.png'\nset xlabel 'steps of a stage, TH'\n"
                             "plot for [o=2:4:2] 'bench.csv' every ::1 using 11:(pick('th', o)) with linespoints pt 7 "
                             "title sprintf('order %d', o)\n"
                             "set output 'towers.png'\nset xlabel 'towers in a row'\n"
                             "plot for [o=2:4:2] 'bench.csv' every ::1 using 12:(pick('towers', o)) with linespoints "
                             "pt 7 title sprintf('order %d', o)\n"
                             "set output 'nz.png'\nset xlabel 'cells along z'\n"
                             "plot for [o=2:4:2] 'bench.csv' every ::1 using 9:(pick('nz', o)) with linespoints pt 7 "
                             "title sprintf('order %d', o)\n"
                             "set output 'roofline.png'\nset xlabel 'cell updates for each byte of memory "
                             "traffic'\nset logscale y 10\nset yrange [*:*]\n"
                             "at(engine, order, prec) = strcol(1) eq 'feature' && strcol(5) eq engine && $3 == order "
                             "&& strcol(4) eq prec ? $13 * 1e-9 : NaN\n"
                             "plot copy * 1e-9 * x lw 2 title 'copy bandwidth', \\\n"
                             "  for [o=2:4:2] for [p in 'fp32 fp64'] 'bench.csv' every ::1 using (1 / "
                             "$14):(at('stepwise', o, p)) pt 6 title sprintf('stepwise, order %d, %s', o, p), \\\n"
                             "  for [o=2:4:2] for [p in 'fp32 fp64'] 'bench.csv' every ::1 using (1 / "
                             "$14):(at('diamond', o, p)) pt 7 title sprintf('diamond, order %d, %s', o, p)\n";

void tor_bench_plot(const char *folder, double copy) {
  char path[4096];
  snprintf(path, sizeof path, "%s/bench.gp", folder);
  FILE *f = tor_folder_create(path);
  if (!f || fprintf(f, "copy = %g\n%s", copy, script) < 0 || tor_folder_commit(f, path)) {
    fprintf(stderr, "torre: %s was not written: %s\n", path, strerror(errno));
    return;
  }
  int status = tor_gnuplot_run(folder, "bench.gp", 0);
  if (status == 127)
    printf("wrote %s; install gnuplot and run it there for the pictures\n", path);
  else if (status)
    fprintf(stderr, "torre: gnuplot ended with status %d on %s\n", status, path);
  else
    printf("wrote th.png, towers.png, nz.png and roofline.png to %s\n", folder);
}
