/* Pictures: the colour maps are even and symmetric, and the PNG holds the colours that the array calls for. */
#include <errno.h>
#include <math.h>
#include <png.h>
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

static char folder[] = "/tmp/torre_image_XXXXXX", path[64], part[72];
static unsigned char colours[TOR_IMAGE_COLOURS][3];
static png_image picture;
static unsigned char *pixels;

static void read_back(void) {
  memset(&picture, 0, sizeof picture);
  picture.version = PNG_IMAGE_VERSION;
  assert_true(png_image_begin_read_from_file(&picture, path));
  picture.format = PNG_FORMAT_RGB;
  free(pixels);
  pixels = malloc(PNG_IMAGE_SIZE(picture));
  assert_non_null(pixels);
  assert_true(png_image_finish_read(&picture, NULL, pixels, 0, NULL));
}

static int count_colour(const unsigned char rgb[3]) {
  int count = 0;
  for (size_t i = 0; i < (size_t)picture.width * picture.height; i++) count += !memcmp(pixels + 3 * i, rgb, 3);
  return count;
}

/* Box of the pixels that have the colour: x0, y0, x1, y1. */
static void find_colour(const unsigned char rgb[3], int box[4]) {
  box[0] = box[1] = 1 << 30;
  box[2] = box[3] = -1;
  for (int y = 0; y < (int)picture.height; y++)
    for (int x = 0; x < (int)picture.width; x++) {
      if (memcmp(pixels + 3 * ((size_t)y * picture.width + (size_t)x), rgb, 3)) continue;
      if (x < box[0]) box[0] = x;
      if (y < box[1]) box[1] = y;
      if (x > box[2]) box[2] = x;
      if (y > box[3]) box[3] = y;
    }
}

/* CIE lightness of an sRGB colour, 0 to 100. */
static double lightness(const unsigned char rgb[3]) {
  static const double weight[3] = {0.2126729, 0.7151522, 0.0721750};
  double y = 0;
  for (int i = 0; i < 3; i++) {
    double s = rgb[i] / 255.0;
    y += weight[i] * (s <= 0.04045 ? s / 12.92 : pow((s + 0.055) / 1.055, 2.4));
  }
  return y > 216.0 / 24389 ? 116 * cbrt(y) - 16 : y * 24389 / 27;
}

static void diverging_map_is_symmetric_and_monotone_in_lightness(void **state) {
  (void)state;
  enum { MIDDLE = TOR_IMAGE_COLOURS / 2, LAST = TOR_IMAGE_COLOURS - 1 };
  tor_image_colours(TOR_IMAGE_DIVERGING, colours);
  for (int i = 0; i < MIDDLE; i++) {
    assert_true(lightness(colours[i + 1]) > lightness(colours[i]) - 0.25); /* 8 bits round by up to that */
    assert_true(lightness(colours[LAST - i - 1]) > lightness(colours[LAST - i]) - 0.25);
    assert_true(fabs(lightness(colours[i]) - lightness(colours[LAST - i])) < 1.5); /* some reds are cut to sRGB */
  }
  assert_true(lightness(colours[MIDDLE]) > 93);
  assert_true(lightness(colours[MIDDLE]) - lightness(colours[0]) > 50);
  assert_true(abs(colours[MIDDLE][0] - colours[MIDDLE][2]) < 2);
  assert_true(colours[0][2] > 2 * colours[0][0]);
  assert_true(colours[LAST][0] > 2 * colours[LAST][2]);
}

static void sequential_map_is_linear_in_lightness(void **state) {
  (void)state;
  tor_image_colours(TOR_IMAGE_SEQUENTIAL, colours);
  double first = lightness(colours[0]), last = lightness(colours[TOR_IMAGE_COLOURS - 1]);
  assert_true(first < 1 && last > 95);
  for (int i = 0; i < TOR_IMAGE_COLOURS; i++) {
    double even = first + (last - first) * i / (TOR_IMAGE_COLOURS - 1);
    assert_true(fabs(lightness(colours[i]) - even) < 1.5);
  }
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
  const int step = (TOR_IMAGE_COLOURS - 1) / 8;
  struct tor_image image = small_image(values);
  assert_int_equal(tor_image_write(path, &image), 0);
  read_back();
  tor_image_colours(TOR_IMAGE_DIVERGING, colours);
  assert_true(picture.width > 900 && picture.width < 1200 && picture.height > 900 && picture.height < 1200);
  assert_true(count_colour(colours[0]) >= 450 * 450);
  assert_true(count_colour(colours[8 * step]) >= 450 * 450);
  int low[4], high[4];
  find_colour(colours[6 * step], low);  /* values[0][1] */
  find_colour(colours[5 * step], high); /* values[1][0] */
  assert_true(low[1] > high[1]);        /* row 0 below row 1 */
  assert_true(high[0] < 200 && low[2] > 900);
}

static void a_given_limit_sets_the_colours_and_gaps_are_grey(void **state) {
  (void)state;
  const double values[4] = {2, 2, 1, (double)NAN};
  const unsigned char grey[3] = {0xb4, 0xb4, 0xb4};
  struct tor_image image = small_image(values);
  image.limit = 4;
  image.mode = TOR_IMAGE_SEQUENTIAL;
  assert_int_equal(tor_image_write(path, &image), 0);
  read_back();
  tor_image_colours(TOR_IMAGE_SEQUENTIAL, colours);
  assert_true(count_colour(colours[(TOR_IMAGE_COLOURS - 1) / 2]) >= 2 * 450 * 450);
  assert_true(count_colour(colours[(TOR_IMAGE_COLOURS - 1) / 4]) >= 450 * 450);
  assert_int_equal(count_colour(grey), 450 * 450);
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
  tor_image_colours(TOR_IMAGE_SEQUENTIAL, colours);
  assert_true(count_colour(colours[(TOR_IMAGE_COLOURS - 1) / 2]) >= 900 * 900);
  free(values);
}

static void materials_are_outlined(void **state) {
  (void)state;
  const double values[4] = {0, 0, 0, 0};
  const int materials[4] = {0, 1, 0, 1};
  struct tor_image image = small_image(values);
  image.limit = 1;
  assert_int_equal(tor_image_write(path, &image), 0);
  read_back();
  tor_image_colours(TOR_IMAGE_DIVERGING, colours);
  int before = count_colour(colours[TOR_IMAGE_COLOURS / 2]);
  image.outline = materials;
  assert_int_equal(tor_image_write(path, &image), 0);
  read_back();
  assert_int_equal(before - count_colour(colours[TOR_IMAGE_COLOURS / 2]), 900); /* one pixel wide, from bottom to top */
}

static void lines_are_drawn_in_their_colours(void **state) {
  (void)state;
  const double x[3] = {400, 500, 600}, a[3] = {1, 3, 2}, b[3] = {2, (double)NAN, 1}, flat[1] = {1e-18};
  const struct tor_image_series series[3] = {
      {"extinction", 3, x, a, 0, 0}, {"theory", 3, x, b, 1, 0}, {NULL, 1, x, flat, 0, 0}};
  struct tor_image_plot plot = {"Cross sections", "wavelength [nm]", "C [nm^2]", 2, series};
  const unsigned char blue[3] = {0x00, 0x72, 0xb2}, orange[3] = {0xd5, 0x5e, 0x00};
  assert_int_equal(tor_image_lines(path, &plot), 0);
  read_back();
  assert_true(count_colour(blue) > 900);
  assert_true(count_colour(orange) > 20 && count_colour(orange) < 400); /* circles, no line */
  plot.series = &series[2];                                             /* one point: axes all the same */
  plot.nseries = 1;
  assert_int_equal(tor_image_lines(path, &plot), 0);
}

static void odd_shapes_and_values_still_make_pictures(void **state) {
  (void)state;
  double values[2000] = {0};
  struct tor_image image = small_image(values);
  image.nx = 2000, image.ny = 1;
  image.title = "a title that is far too long for the width of its picture, \xce\xbb = 1 \xc2\xb5m, \xff and "
                "\xe2\x82\xac, E_x, a_long_name, 10^";
  assert_int_equal(tor_image_write(path, &image), 0);
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
  unlink(path);
  assert_int_equal(symlink("/dev/full", part), 0);
  assert_int_equal(tor_image_write(path, &image), -1);
  assert_int_equal(errno, ENOSPC);
  assert_int_equal(access(part, F_OK), -1);
  assert_int_equal(access(path, F_OK), -1);
}

static int setup(void **state) {
  (void)state;
  return temporary_file(folder, "p.png", path, part);
}

static int teardown(void **state) {
  (void)state;
  free(pixels);
  unlink(path);
  return rmdir(folder);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(diverging_map_is_symmetric_and_monotone_in_lightness),
      cmocka_unit_test(sequential_map_is_linear_in_lightness),
      cmocka_unit_test(cells_become_blocks_with_row_0_at_the_bottom),
      cmocka_unit_test(a_given_limit_sets_the_colours_and_gaps_are_grey),
      cmocka_unit_test(large_arrays_shrink_to_means),
      cmocka_unit_test(materials_are_outlined),
      cmocka_unit_test(lines_are_drawn_in_their_colours),
      cmocka_unit_test(odd_shapes_and_values_still_make_pictures),
      cmocka_unit_test(nonsense_is_refused_and_failures_leave_nothing),
  };
  return cmocka_run_group_tests(tests, setup, teardown);
}
