/* Parts of tor_results_write, for results*.c. Each returns the number of files that could not be written. */
#ifndef TOR_SRC_RESULTS_RESULTS_PARTS_H
#define TOR_SRC_RESULTS_RESULTS_PARTS_H

#include "src/results/results.h"

/* In results.h5 and run.json. 2: arrays [z][y][x], a folder for each snapshot monitor, cross-sections per length where
 * the domain is one cell thick. Raised when a name, a unit, a shape or an order of axes changes. */
enum { TOR_RESULTS_FORMAT = 2 };

int tor_results_write_h5(const struct tor_results *results);
int tor_results_write_images(const struct tor_results *results);
/* A monitor of diffraction orders: NAME_orders.csv, a row for each order, direction and wavelength. */
int tor_results_write_orders(const struct tor_results *results, const struct tor_recorder *recorder);

/* Logs a file as written and lists it for run.json; a warning when status is not 0. */
int tor_results_log_file(const struct tor_results *results, const char *path, int status, const char *why);

#endif
