/* Draws a line plot that its standard input describes: draw FILE.png|.svg|.pdf
 *
 *   title TEXT, xlabel TEXT, ylabel TEXT
 *   xlog BASE, ylog BASE, yrange LO HI
 *   line LABEL, points LABEL, dashed LABEL, bar LABEL    begins a series, `-` being no label
 *   colour N                                             of the series (io/image/image.h)
 *   X Y                                                  a point of the series; an empty line breaks its line */
#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "io/image/image.h"
#include "src/base/error.h"
#include "src/base/types.h"

enum { MOST_SERIES = 32, MOST_POINTS = 1 << 16 };
static double x[MOST_SERIES][MOST_POINTS], y[MOST_SERIES][MOST_POINTS];
static struct tor_image_series series[MOST_SERIES];
static struct tor_image_plot plot = {.series = series};

static int begin_series(const char *word, char *label) {
  static const struct {
    const char *word;
    enum tor_image_style style;
  } styles[] = {{"line", TOR_IMAGE_LINE_POINTS},
                {"points", TOR_IMAGE_POINTS},
                {"dashed", TOR_IMAGE_DASHED},
                {"bar", TOR_IMAGE_BAR}};
  for (size_t i = 0; i < sizeof styles / sizeof *styles; i++) {
    if (strcmp(word, styles[i].word) || plot.nseries == MOST_SERIES) continue;
    const int k = plot.nseries++;
    series[k] = (struct tor_image_series){
        .label = strcmp(label, "-") ? label : NULL, .x = x[k], .y = y[k], .style = styles[i].style};
    return 1;
  }
  return 0;
}

/* Reads the rest of a line after its word; false for an unknown word. */
static int read_word(const char *word, char *text) {
  if (!strcmp(word, "title")) return (plot.title = text) != NULL;
  if (!strcmp(word, "xlabel")) return (plot.xlabel = text) != NULL;
  if (!strcmp(word, "ylabel")) return (plot.ylabel = text) != NULL;
  if (!strcmp(word, "xlog")) return (plot.xlog = atoi(text)) > 1;
  if (!strcmp(word, "ylog")) return (plot.ylog = atoi(text)) > 1;
  if (!strcmp(word, "yrange")) return sscanf(text, "%lf %lf", &plot.y[0], &plot.y[1]) == 2;
  if (!strcmp(word, "colour") && plot.nseries) return (series[plot.nseries - 1].colour = atoi(text)) != 0;
  return begin_series(word, text);
}

static int read_line(const char *line) {
  char word[16];
  double px = (double)NAN, py = (double)NAN;
  int used = 0;
  if (isalpha((unsigned char)*line))
    return sscanf(line, "%15s %n", word, &used) == 1 && read_word(word, tor_strdup(line + used));
  if (*line && sscanf(line, "%lf %lf", &px, &py) != 2) return 0;
  if (!plot.nseries) return !*line;
  struct tor_image_series *s = &series[plot.nseries - 1];
  if (s->n == MOST_POINTS) return 0;
  x[plot.nseries - 1][s->n] = px;
  y[plot.nseries - 1][s->n++] = py;
  return 1;
}

int main(int argc, char **argv) {
  char line[512];
  if (argc != 2) {
    fprintf(stderr, "draw FILE < DESCRIPTION\n");
    return TOR_EXIT_USER;
  }
  for (int number = 1; fgets(line, sizeof line, stdin); number++) {
    line[strcspn(line, "\n")] = 0;
    if (read_line(line)) continue;
    fprintf(stderr, "draw: line %d: got \"%s\"\n", number, line);
    return TOR_EXIT_USER;
  }
  if (!tor_image_lines(argv[1], &plot)) return TOR_EXIT_OK;
  fprintf(stderr, "draw: %s: %s\n", argv[1],
          errno == ENOTSUP  ? "this build has no cairo"
          : errno == EINVAL ? "no points"
                            : strerror(errno));
  return TOR_EXIT_FAILURE;
}
