/* Pictures: the colour maps are even and symmetric, the PNG holds the colours that the array calls for, and every form
 * of a picture is the same file each time. Skipped in a build without cairo. */
#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "tests/support/temporary.h"
#include "io/image/image.h"

#ifdef TORRE_CAIRO
#include <cairo.h>

static char folder[] = "/tmp/torre_image_XXXXXX", path[64], part[72];
static cairo_surface_t *picture;
static int width, height;

static void read_back(void) {
  if (picture) cairo_surface_destroy(picture);
  picture = cairo_image_surface_create_from_png(path);
  assert_int_equal(cairo_surface_status(picture), CAIRO_STATUS_SUCCESS);
  assert_int_equal(cairo_image_surface_get_format(picture), CAIRO_FORMAT_RGB24);
  width = cairo_image_surface_get_width(picture);
  height = cairo_image_surface_get_height(picture);
}

static uint32_t pixel(int x, int y) {
  const unsigned char *data = cairo_image_surface_get_data(picture);
  return ((const uint32_t *)(data + (size_t)y * (size_t)cairo_image_surface_get_stride(picture)))[x] & 0xffffff;
}

/* How many pixels have the colour; box: x0, y0, x1, y1 of them. */
static int find_colour(uint32_t rgb, int box[4]) {
  int count = 0;
  box[0] = box[1] = 1 << 30;
  box[2] = box[3] = -1;
  for (int y = 0; y < height; y++)
    for (int x = 0; x < width; x++) {
      if (pixel(x, y) != rgb) continue;
      count++;
      if (x < box[0]) box[0] = x;
      if (y < box[1]) box[1] = y;
      if (x > box[2]) box[2] = x;
      if (y > box[3]) box[3] = y;
    }
  return count;
}

static int count_colour(uint32_t rgb) {
  int box[4];
  return find_colour(rgb, box);
}

/* Dark pixels in a part of the picture: letters, ticks. */
static int count_ink(int x0, int y0, int x1, int y1) {
  int count = 0;
  for (int y = y0; y < y1; y++)
    for (int x = x0; x < x1; x++) count += (pixel(x, y) & 255) < 0x80;
  return count;
}

/* A file's bytes with a 0 at the end, to be freed. */
static char *load(const char *name, size_t *size) {
  FILE *f = fopen(name, "rb");
  assert_non_null(f);
  char *bytes = calloc(1, 1 << 22);
  assert_non_null(bytes);
  *size = fread(bytes, 1, (1 << 22) - 1, f);
  fclose(f);
  return bytes;
}

/* CIE lightness of an sRGB colour, 0 to 100. */
static double lightness(uint32_t rgb) {
  static const double weight[3] = {0.0721750, 0.7151522, 0.2126729};
  double y = 0;
  for (int i = 0; i < 3; i++) {
    double s = (rgb >> (8 * i) & 255) / 255.0;
    y += weight[i] * (s <= 0.04045 ? s / 12.92 : pow((s + 0.055) / 1.055, 2.4));
  }
  return y > 216.0 / 24389 ? 116 * cbrt(y) - 16 : y * 24389 / 27;
}

static void diverging_map_is_symmetric_and_monotone_in_lightness(void **state) {
  (void)state;
  enum { STEPS = 256 };
  for (int i = 0; i < STEPS; i++) {
    const double t = (double)i / STEPS, next = (i + 1.0) / STEPS;
    for (int sign = -1; sign < 2; sign += 2) /* 8 bits round by up to 0.25 */
      assert_true(lightness(tor_image_colour(TOR_IMAGE_DIVERGING, sign * t)) >
                  lightness(tor_image_colour(TOR_IMAGE_DIVERGING, sign * next)) - 0.25);
    assert_true(fabs(lightness(tor_image_colour(TOR_IMAGE_DIVERGING, t)) -
                     lightness(tor_image_colour(TOR_IMAGE_DIVERGING, -t))) < 1.5); /* some reds are cut to sRGB */
  }
  const uint32_t blue = tor_image_colour(TOR_IMAGE_DIVERGING, -1), red = tor_image_colour(TOR_IMAGE_DIVERGING, 1),
                 middle = tor_image_colour(TOR_IMAGE_DIVERGING, 0);
  assert_true(lightness(middle) > 93 && lightness(middle) - lightness(blue) > 50);
  assert_true(abs((int)(middle >> 16) - (int)(middle & 255)) < 2);
  assert_true((blue & 255) > 2 * (blue >> 16) && (red >> 16) > 2 * (red & 255));
  assert_int_equal(tor_image_colour(TOR_IMAGE_DIVERGING, -7), blue);
  assert_int_equal(tor_image_colour(TOR_IMAGE_DIVERGING, 7), red);
}

static void sequential_map_is_linear_in_lightness(void **state) {
  (void)state;
  const double first = lightness(tor_image_colour(TOR_IMAGE_SEQUENTIAL, 0)),
               last = lightness(tor_image_colour(TOR_IMAGE_SEQUENTIAL, 1));
  assert_true(first < 1 && last > 95);
  for (int i = 0; i <= 512; i++)
    assert_true(fabs(lightness(tor_image_colour(TOR_IMAGE_SEQUENTIAL, i / 512.0)) - first - (last - first) * i / 512) <
                1.5);
}

static struct tor_image small_image(const double *values) {
  return (struct tor_image){.nx = 2,
                            .ny = 2,
                            .values = values,
                            .x = {0, 2},
                            .y = {0, 2},
                            .xlabel = "x [nm]",
                            .ylabel = "y [nm]",
                            .bar_label = "E_x [V/m]",
                            .mode = TOR_IMAGE_DIVERGING};
}

static void cells_become_blocks_with_row_0_at_the_bottom(void **state) {
  (void)state;
  const double values[4] = {-1, 0.5, 0.25, 1};
  struct tor_image image = small_image(values);
  assert_int_equal(tor_image_write(path, &image), 0);
  read_back();
  assert_true(width > 1000 && width < 1200 && height > 940 && height < 1100);
  int lower[4], upper[4];
  assert_true(count_colour(tor_image_colour(TOR_IMAGE_DIVERGING, -1)) >= 450 * 450);
  assert_true(count_colour(tor_image_colour(TOR_IMAGE_DIVERGING, 1)) >= 450 * 450);
  /* Of the two others the colour bar has at most a row. */
  assert_in_range(find_colour(tor_image_colour(TOR_IMAGE_DIVERGING, 0.5), lower), 450 * 450, 450 * 450 + 100);
  assert_in_range(find_colour(tor_image_colour(TOR_IMAGE_DIVERGING, 0.25), upper), 450 * 450, 450 * 450 + 100);
  assert_true(lower[1] > upper[1]); /* row 0 below row 1 */
  assert_true(upper[0] < 200 && lower[2] > 900);
}

/* The plot's first pixel: right and below of its frame. */
static void plot_corner(int corner[2]) {
  int box[4];
  assert_true(find_colour(tor_image_colour(TOR_IMAGE_DIVERGING, 1), box) >= 900 * 900);
  corner[0] = box[0], corner[1] = box[1];
}

static void axes_labels_and_the_colour_bar_stand_around_the_plot(void **state) {
  (void)state;
  const double values[4] = {1, 1, 1, 1};
  int c[2], bare, ticks = 0;
  struct tor_image image = small_image(values);
  image.title = "a title";
  assert_int_equal(tor_image_write(path, &image), 0);
  read_back();
  plot_corner(c);
  assert_int_equal(pixel(c[0] - 1, c[1] + 450), 0x222222); /* the frame, two pixels wide, not over the plot */
  assert_int_equal(pixel(c[0] - 2, c[1] + 450), 0x222222);
  assert_int_equal(pixel(c[0] + 450, c[1] + 900), 0x222222);
  for (int x = c[0] - 1; x < c[0] + 900; x++) /* long marks below the frame: 0, 0.5, 1, 1.5, 2 */
    ticks += pixel(x, c[1] + 908) == 0x222222 && pixel(x + 1, c[1] + 908) == 0x222222;
  assert_int_equal(ticks, 5);
  assert_true(count_ink(0, c[1], c[0] - 12, c[1] + 900) > 300);               /* y */
  assert_true(count_ink(c[0], c[1] + 915, c[0] + 900, height) > 300);         /* x */
  assert_true(count_ink(c[0], 0, c[0] + 900, c[1] - 4) > 100);                /* title */
  assert_true((bare = count_ink(c[0] + 970, c[1], width, c[1] + 900)) > 300); /* bar */
  image.bar_label = NULL;
  assert_int_equal(tor_image_write(path, &image), 0);
  read_back();
  assert_true(count_ink(c[0] + 970, c[1], width, c[1] + 900) < bare - 100);
}

static void a_given_limit_sets_the_colours_and_gaps_are_grey(void **state) {
  (void)state;
  const double values[4] = {2, 2, 1, (double)NAN};
  struct tor_image image = small_image(values);
  image.limit = 4;
  image.mode = TOR_IMAGE_SEQUENTIAL;
  assert_int_equal(tor_image_write(path, &image), 0);
  read_back();
  assert_true(count_colour(tor_image_colour(TOR_IMAGE_SEQUENTIAL, 0.5)) >= 2 * 450 * 450);
  assert_true(count_colour(tor_image_colour(TOR_IMAGE_SEQUENTIAL, 0.25)) >= 450 * 450);
  assert_in_range(count_colour(0xb4b4b4), 450 * 450, 450 * 450 + 100); /* some edge of a letter may have it, too */
}

static void large_arrays_shrink_to_means(void **state) {
  (void)state;
  enum { N = 1800 };
  double *values = malloc((size_t)N * N * sizeof *values);
  assert_non_null(values);
  for (int j = 0; j < N; j++)
    for (int i = 0; i < N; i++) values[j * N + i] = (i + j) % 2 ? 1 : 0; /* 2 x 2 boxes have the mean 0.5 */
  struct tor_image image = small_image(values);
  image.nx = image.ny = N;
  image.mode = TOR_IMAGE_SEQUENTIAL;
  assert_int_equal(tor_image_write(path, &image), 0);
  read_back();
  assert_true(count_colour(tor_image_colour(TOR_IMAGE_SEQUENTIAL, 0.5)) >= 900 * 900);
  free(values);
}

static void paths_are_drawn_in_the_units_of_the_axes(void **state) {
  (void)state;
  const double values[4] = {0, 0, 0, 0}, up[2][2] = {{1, -1}, {1, 3}}, beside[2][2] = {{7, 0}, {7, 2}};
  const struct tor_image_path paths[2] = {{TOR_IMAGE_SURFACES, 2, up}, {TOR_IMAGE_WAVE_BOX, 2, beside}};
  const uint32_t middle = tor_image_colour(TOR_IMAGE_DIVERGING, 0);
  struct tor_image image = small_image(values);
  image.limit = 1;
  assert_int_equal(tor_image_write(path, &image), 0);
  read_back();
  const int before = count_colour(middle), letters = height;
  image.path = paths;
  image.npath = 2;
  assert_int_equal(tor_image_write(path, &image), 0);
  read_back();
  assert_int_equal(before - count_colour(middle), 2 * 900); /* two pixels wide, from bottom to top, and no more */
  assert_int_equal(height, letters);                        /* what is not seen has no legend */
  image.x[1] = 8;
  assert_int_equal(tor_image_write(path, &image), 0);
  read_back();
  assert_true(count_ink(0, 0, width, 40) > 100); /* "total-field box" */
}

static void logarithmic_scales_have_equal_steps_for_equal_factors(void **state) {
  (void)state;
  const double values[4] = {1e-4, 1e-2, 1, 0};
  struct tor_image image = small_image(values);
  image.mode = TOR_IMAGE_SEQUENTIAL;
  image.log = 1;
  image.limit = 1;
  image.lowest = 1e-4;
  assert_int_equal(tor_image_write(path, &image), 0);
  read_back();
  assert_true(count_colour(tor_image_colour(TOR_IMAGE_SEQUENTIAL, 0)) >= 2 * 450 * 450); /* what is below, too */
  assert_in_range(count_colour(tor_image_colour(TOR_IMAGE_SEQUENTIAL, 0.5)), 450 * 450, 450 * 450 + 100);
  assert_true(count_colour(tor_image_colour(TOR_IMAGE_SEQUENTIAL, 1)) >= 450 * 450);
}

static void phases_close_in_a_circle(void **state) {
  (void)state;
  assert_int_equal(tor_image_colour(TOR_IMAGE_CYCLIC, -1), tor_image_colour(TOR_IMAGE_CYCLIC, 1));
  for (int i = 0; i <= 64; i++) {
    const double t = i / 64.0;
    for (int sign = -1; sign < 2; sign += 2)
      assert_true(fabs(lightness(tor_image_colour(TOR_IMAGE_CYCLIC, sign * t)) - (92 - 72 * t)) < 2);
  }
}

/* A few hot values do not rule the colours, and a bar shows that values exceed it. */
static void percentiles_leave_hot_values_out(void **state) {
  (void)state;
  enum { MANY = 1000 };
  static double values[MANY + 3];
  for (int i = 0; i < MANY; i++) values[i] = (i % 2 ? -1 : 1) * (double)((i * 7919) % MANY + 1); /* 1 ... 1000 */
  values[MANY] = (double)NAN;
  values[MANY + 1] = HUGE_VAL;
  values[MANY + 2] = 0; /* 0 does not count */
  assert_true(tor_image_percentile(values, MANY + 3, 99.5) == 995);
  assert_true(tor_image_percentile(values, MANY + 3, 0.5) == 5);
  assert_true(tor_image_percentile(values, MANY + 3, 100) == 1000);
  assert_true(tor_image_largest(values, MANY + 3) == 1000);
  assert_true(tor_image_percentile(&values[MANY + 2], 1, 50) == 0);
  assert_true(tor_image_percentile(values, 0, 50) == 0);
  struct tor_image image = small_image(values);
  image.limit = 1000;
  assert_int_equal(tor_image_write(path, &image), 0);
  read_back();
  const int plain = height;
  image.limit = 500;
  assert_int_equal(tor_image_write(path, &image), 0);
  read_back();
  assert_true(height > plain); /* the points of the bar */
}

static const double x3[3] = {400, 500, 600}, peak[3] = {1, 3, 2}, gap[3] = {2, (double)NAN, 1};

static void lines_are_drawn_in_their_colours(void **state) {
  (void)state;
  const double flat[1] = {1e-18};
  const struct tor_image_series series[3] = {{"extinction", 3, x3, peak, TOR_IMAGE_LINE, 0},
                                             {"theory", 3, x3, gap, TOR_IMAGE_POINTS, 0},
                                             {NULL, 1, x3, flat, TOR_IMAGE_LINE, 0}};
  struct tor_image_plot plot = {
      .title = "Cross sections", .xlabel = "wavelength [nm]", .ylabel = "C [nm^2]", .nseries = 2, .series = series};
  assert_int_equal(tor_image_lines(path, &plot), 0);
  read_back();
  int box[4];
  assert_true(find_colour(0x0072b2, box) > 900);
  assert_true(box[2] - box[0] > 800 && box[3] - box[1] > 300);
  assert_in_range(count_colour(0xd55e00), 20, 400); /* circles, no line */
  plot.series = &series[2];                         /* one point: axes all the same */
  plot.nseries = 1;
  assert_int_equal(tor_image_lines(path, &plot), 0);
}

/* On logarithmic axes a power is a straight line; values not above 0 are omitted. */
static void powers_are_straight_on_logarithmic_axes(void **state) {
  (void)state;
  const double x[4] = {1, 4, 16, 64}, y[4] = {0.01, 0.16, 2.56, 40.96}, bad[4] = {-1, 0, 0.01, 40.96};
  struct tor_image_series series[2] = {{NULL, 4, x, y, TOR_IMAGE_DOTS, 1}, {NULL, 4, x, bad, TOR_IMAGE_DASHED, -1}};
  struct tor_image_plot plot = {.xlabel = "x", .ylabel = "y", .nseries = 1, .series = series, .xlog = 2, .ylog = 10};
  assert_int_equal(tor_image_lines(path, &plot), 0);
  read_back();
  int box[4], dot[4][4], n = 0;
  find_colour(0x0072b2, box);
  for (int left = box[0]; n < 4 && left <= box[2]; left++) { /* each dot, from the left */
    int *d = dot[n];
    d[0] = d[1] = 1 << 30, d[2] = d[3] = -1;
    for (int px = left; px < left + 20 && px < width; px++)
      for (int py = 0; py < height; py++)
        if (pixel(px, py) == 0x0072b2) {
          d[0] = px < d[0] ? px : d[0], d[1] = py < d[1] ? py : d[1];
          d[2] = px > d[2] ? px : d[2], d[3] = py > d[3] ? py : d[3];
        }
    if (d[0] == left) n++, left += 20;
  }
  assert_int_equal(n, 4);
  for (int i = 0; i < 3; i++) {
    assert_true(abs(dot[i + 1][0] - dot[i][0] - (dot[3][0] - dot[0][0]) / 3) < 3);
    assert_true(abs(dot[i + 1][1] - dot[i][1] - (dot[3][1] - dot[0][1]) / 3) < 3);
  }
  plot.nseries = 2;
  assert_int_equal(tor_image_lines(path, &plot), 0);
  series[0].y = series[1].y = bad;
  series[0].n = series[1].n = 2;
  assert_int_equal(tor_image_lines(path, &plot), -1);
  assert_int_equal(errno, EINVAL);
}

/* An SVG file: each tag that is opened is closed, each reference has its id. */
static void check_svg(const char *text) {
  char stack[64][32], name[32], id[80];
  int depth = 0;
  assert_memory_equal(text, "<?xml", 5);
  for (const char *s = strchr(text, '<'); s; s = strchr(s + 1, '<')) {
    const char *end = strchr(s, '>');
    assert_non_null(end);
    if (s[1] == '?' || s[1] == '!') continue;
    if (s[1] == '/') {
      assert_true(depth-- > 0);
      assert_int_equal(strncmp(s + 2, stack[depth], strlen(stack[depth])), 0);
    } else if (end[-1] != '/') {
      assert_int_equal(sscanf(s + 1, "%31[a-zA-Z]", name), 1);
      assert_true(depth < 64);
      strcpy(stack[depth++], name);
    }
  }
  assert_int_equal(depth, 0);
  for (const char *s = strstr(text, "xlink:href=\"#"); s; s = strstr(s + 1, "xlink:href=\"#")) {
    assert_int_equal(sscanf(s + 13, "%31[^\"]", name), 1);
    snprintf(id, sizeof id, " id=\"%s\"", name);
    assert_non_null(strstr(text, id));
  }
  assert_non_null(strstr(text, "xlink:href=\"#"));
  double w, h, x, y;
  int letters = 0;
  assert_int_equal(sscanf(strstr(text, "viewBox"), "viewBox=\"0 0 %lf %lf\"", &w, &h), 2);
  for (const char *s = strstr(text, "<use xlink:href=\"#glyph"); s; s = strstr(s + 1, "<use xlink:href=\"#glyph")) {
    assert_int_equal(sscanf(strstr(s, " x="), " x=\"%lf\" y=\"%lf\"", &x, &y), 2);
    assert_true(x > 0 && x < w && y > 0 && y < h); /* on the page */
    letters++;
  }
  assert_true(letters > 30);
}

static void the_same_call_gives_the_same_file_in_each_form(void **state) {
  (void)state;
  static const char *const forms[] = {"png", "svg", "pdf"};
  const double values[4] = {-1, 0.5, 0.25, 1};
  const struct tor_image_series series = {"extinction", 3, x3, peak, TOR_IMAGE_LINE_POINTS, 0};
  struct tor_image image = small_image(values);
  struct tor_image_plot plot = {.title = "t", .xlabel = "x", .nseries = 1, .series = &series};
  image.title = "t";
  for (int i = 0; i < 6; i++) {
    char name[64], *first = NULL;
    size_t n = 0;
    snprintf(name, sizeof name, "%s/twice.%s", folder, forms[i / 2]);
    for (int call = 0; call < 2; call++) {
      assert_int_equal(i % 2 ? tor_image_lines(name, &plot) : tor_image_write(name, &image), 0);
      size_t size;
      char *bytes = load(name, &size);
      if (i / 2 == 0) assert_memory_equal(bytes, "\x89PNG\r\n", 6);
      if (i / 2 == 1) check_svg(bytes);
      if (i / 2 == 2) {
        assert_memory_equal(bytes, "%PDF-1.", 7);
        assert_memory_equal(bytes + size - 6, "%%EOF\n", 6);
        for (size_t k = 0; k + 12 < size; k++) assert_int_not_equal(memcmp(bytes + k, "CreationDate", 12), 0);
      }
      if (call) {
        assert_int_equal(size, n);
        assert_memory_equal(bytes, first, n);
      }
      free(first);
      first = bytes, n = size;
    }
    free(first);
    unlink(name);
  }
}

static void odd_shapes_and_values_still_make_pictures(void **state) {
  (void)state;
  double values[2000] = {0};
  struct tor_image image = small_image(values);
  image.nx = 2000, image.ny = 1;
  image.title = "a title that is far too long for the width of its picture, \xce\xbb = 1 \xc2\xb5m, \xff and "
                "\xe2\x82\xac, \xf0\x9f\x98\x80, \xed\xa0\x80, \xe2\x82, E_x, a_long_name, \x01, 10^, and so on and on";
  assert_int_equal(tor_image_write(path, &image), 0);
  read_back();
  assert_true(width < 1200);
  image.nx = 1, image.ny = 2000;
  values[3] = 1e-310;
  values[5] = HUGE_VAL;
  assert_int_equal(tor_image_write(path, &image), 0);
  values[4] = 1.7e308;
  image.xlabel = image.ylabel = image.bar_label = NULL;
  assert_int_equal(tor_image_write(path, &image), 0);
}

static void nonsense_is_refused_and_failures_leave_nothing(void **state) {
  (void)state;
  const double values[4] = {0};
  struct tor_image image = small_image(values);
  image.nx = 0;
  assert_int_equal(tor_image_write(path, &image), -1);
  assert_int_equal(errno, EINVAL);
  image = small_image(values);
  image.x[1] = image.x[0];
  assert_int_equal(tor_image_write(path, &image), -1);
  assert_int_equal(errno, EINVAL);
  image = small_image(values);
  assert_int_equal(tor_image_write("/nonexistent/p.png", &image), -1);
  assert_int_equal(errno, ENOENT);
  unlink(path);
  temporary_limit(100);
  assert_int_equal(tor_image_write(path, &image), -1);
  assert_int_equal(errno, EFBIG);
  temporary_limit(-1);
  assert_int_equal(access(part, F_OK), -1);
  assert_int_equal(access(path, F_OK), -1);
}

static int setup(void **state) {
  (void)state;
  return temporary_file(folder, "p.png", path, part);
}

static int teardown(void **state) {
  (void)state;
  if (picture) cairo_surface_destroy(picture);
  unlink(path);
  return rmdir(folder);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(diverging_map_is_symmetric_and_monotone_in_lightness),
      cmocka_unit_test(sequential_map_is_linear_in_lightness),
      cmocka_unit_test(cells_become_blocks_with_row_0_at_the_bottom),
      cmocka_unit_test(axes_labels_and_the_colour_bar_stand_around_the_plot),
      cmocka_unit_test(a_given_limit_sets_the_colours_and_gaps_are_grey),
      cmocka_unit_test(large_arrays_shrink_to_means),
      cmocka_unit_test(paths_are_drawn_in_the_units_of_the_axes),
      cmocka_unit_test(logarithmic_scales_have_equal_steps_for_equal_factors),
      cmocka_unit_test(phases_close_in_a_circle),
      cmocka_unit_test(percentiles_leave_hot_values_out),
      cmocka_unit_test(lines_are_drawn_in_their_colours),
      cmocka_unit_test(powers_are_straight_on_logarithmic_axes),
      cmocka_unit_test(the_same_call_gives_the_same_file_in_each_form),
      cmocka_unit_test(odd_shapes_and_values_still_make_pictures),
      cmocka_unit_test(nonsense_is_refused_and_failures_leave_nothing),
  };
  return cmocka_run_group_tests(tests, setup, teardown);
}

#else
int main(void) {
  const struct tor_image image = {0};
  const struct tor_image_plot plot = {0};
  if (tor_image_version()) return 1;
  if (tor_image_write("p.png", &image) != -1 || errno != ENOTSUP) return 1;
  if (tor_image_lines("p.png", &plot) != -1 || errno != ENOTSUP) return 1;
  return 77;
}
#endif
