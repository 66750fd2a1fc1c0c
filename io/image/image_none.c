/* A build without cairo: see image.h. */
#include "io/image/image.h"

#include <errno.h>
#include <stddef.h>

const char *tor_image_version(void) { return NULL; }

int tor_image_write(const char *path, const struct tor_image *image) {
  (void)path, (void)image;
  errno = ENOTSUP;
  return -1;
}

int tor_image_lines(const char *path, const struct tor_image_plot *plot) {
  (void)path, (void)plot;
  errno = ENOTSUP;
  return -1;
}

int tor_image_polar(const char *path, const struct tor_image_plot *plot) { return tor_image_lines(path, plot); }
