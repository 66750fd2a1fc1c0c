/* Reads full permittivity tensors of media: six elements, or values along axes that are turned. */
#include <libconfig.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "io/config/config.h"
#include "src/base/error.h"
#include "src/base/types.h"
#include "src/job/chi2.h"
#include "src/job/job_read_parts.h"
#include "src/job/material.h"
#include "src/job/tensor.h"
#include "src/job/turned.h"

static void read_elements(const struct tor_view *view, struct tor_medium *m) {
  static const char *const others[] = {"permittivity", "index"};
  const config_setting_t *at = tor_get(view, "permittivity_tensor");
  int count;
  for (int i = 0; i < 2; i++)
    if (config_setting_get_member(view->group, others[i])) {
      tor_config_fault(view->config, at, NULL, "got " TOR_FOUND("%s too") ", need " TOR_NEEDED("only one of them"),
                       others[i]);
      return;
    }
  double *given = tor_get_list(view, "permittivity_tensor", &count), value[3];
  if (count == TOR_TENSOR_SIZE) {
    tor_tensor_values(given, value);
    if (value[0] > 0)
      tor_medium_set_tensor(m, given);
    else
      tor_config_fault(view->config, at, NULL,
                       "its least principal value is " TOR_FOUND("%.6g") ", need " TOR_NEEDED(
                           "all three above 0; negative permittivities are poles"),
                       value[0]);
  } else {
    tor_config_fault(view->config, at, NULL,
                     "got " TOR_FOUND("%d number%s") ", need " TOR_NEEDED("six: xx, yy, zz, yz, xz, xy"), count,
                     count == 1 ? "" : "s");
  }
  free(given);
}

static int differ(const double v[3]) { return v[1] != v[0] || v[2] != v[0]; }

/* The turn of a medium's axes; 0 with a fault. */
static int read_turn(const struct tor_view *view, double matrix[3][3]) {
  const config_setting_t *turn = tor_get(view, "rotate_deg"), *axis = tor_get(view, "rotate_axis");
  const int plane = tor_job_reader_of(view)->plane != TOR_SPACE, three = config_setting_is_list(turn);
  double angle[3] = {0};
  if (plane && (three || axis)) {
    tor_config_fault(view->config, three ? turn : axis, NULL, "the job is 2-D, need " TOR_NEEDED("one angle, about z"));
    return 0;
  }
  if (axis && three) {
    tor_config_fault(view->config, axis, NULL,
                     "rotate_deg has an angle about each axis, need " TOR_NEEDED("none here"));
    return 0;
  }
  tor_get_vector(view, "rotate_deg", angle);
  if (!three) {
    const double degrees = angle[0];
    angle[0] = angle[1] = angle[2] = 0;
    angle[tor_get_word(view, "rotate_axis")] = degrees;
  }
  tor_turn_matrix((const double *)angle, matrix);
  return 1;
}

/* chi2 from the elements of d. */
static void read_chi2(const struct tor_view *view, struct tor_medium *m) {
  int count, some = 0;
  double *given = tor_get_list(view, "d_pm_per_V", &count), d[TOR_CHI2_SIZE];
  if (tor_chi2_of_class(given, count, d))
    for (int k = 0; k < TOR_CHI2_SIZE; k++) {
      m->chi2[k] = 2e-12 * d[k];
      some |= d[k] != 0;
    }
  else
    tor_config_fault(view->config, tor_get(view, "d_pm_per_V"), NULL,
                     "got " TOR_FOUND("%d numbers") ", need " TOR_NEEDED(
                         "1 (d14), 3 (d33, d31, d15), 4 (then d22), 5 (d33, d31, d15, d32, d24) or 18, by rows"),
                     count);
  m->has_chi2 = some;
  free(given);
}

void tor_job_read_tensor(const struct tor_view *view, struct tor_medium *m) {
  const config_setting_t *turn = tor_get(view, "rotate_deg"), *axis = tor_get(view, "rotate_axis");
  double matrix[3][3], given[6], turned[6], chi2[TOR_CHI2_SIZE];
  if (tor_get(view, "d_pm_per_V")) read_chi2(view, m);
  if (tor_get(view, "permittivity_tensor")) read_elements(view, m);
  if (axis && !config_setting_get_member(view->group, "rotate_deg"))
    tor_config_fault(view->config, axis, NULL, "nothing is rotated, need " TOR_NEEDED("rotate_deg beside it"));
  if (!turn) return;
  if (tor_medium_is_isotropic(m) && !m->has_chi2)
    tor_config_fault(view->config, turn, NULL,
                     "the permittivity is alike in all directions, need " TOR_NEEDED("three numbers to rotate"));
  if (differ(m->sigma) || differ(m->sigma_m) || differ(m->mu))
    tor_config_fault(
        view->config, turn, NULL,
        "only the permittivity is rotated, need " TOR_NEEDED("conductivity and permeability alike in all directions"));
  if (!read_turn(view, matrix)) return;
  memcpy(chi2, m->chi2, sizeof chi2);
  if (m->has_chi2) tor_chi2_turn(chi2, (const double(*)[3])matrix, m->chi2);
  if (tor_medium_is_isotropic(m)) return;
  tor_medium_tensor(m, given);
  tor_tensor_turn(given, (const double(*)[3])matrix, turned);
  tor_medium_set_tensor(m, turned);
}
