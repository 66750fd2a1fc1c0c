/* A plane wave on a one-dimensional grid with the stencil and coefficients of the three-dimensional one (source.h). */
#ifndef TOR_SRC_MODEL_INCIDENT_LINE_H
#define TOR_SRC_MODEL_INCIDENT_LINE_H

struct tor_incident_line_medium {
  double cb_e, ca1_e, cb_h, ca1_h; /* of the cell's node and of the half cell behind it */
};

struct tor_incident_line {
  int order;
  int count;                               /* nodes; half cell j lies between nodes j and j + 1 */
  int source;                              /* node of the current sheet */
  double sign_e, sign_h;                   /* of the one difference that E's and H's curl has */
  double drive;                            /* curl of a sheet current that radiates amplitude 1 */
  struct tor_incident_line_medium *medium; /* [count] */
  double *e, *h, *psi_e, *psi_h;           /* [count + 6], with three zeros on either side */
  struct tor_incident_line_pml {
    double ik, b, c;
  } *pml_e, *pml_h; /* [count] */
};

enum { TOR_INCIDENT_LINE_CPML = 80 }; /* cells of the grid's own absorbing layer at either end */

/* medium: [count], copied. d: cell edge at the low and the high end, ct: time step [m]; index: refractive index at the
 * ends. */
struct tor_incident_line *tor_incident_line_new(int order, int count, int source, double sign_e, double sign_h,
                                                double drive, const struct tor_incident_line_medium *medium,
                                                const double d[2], double ct, double index);
void tor_incident_line_free(struct tor_incident_line *line);

void tor_incident_line_step_h(struct tor_incident_line *line);
void tor_incident_line_step_e(struct tor_incident_line *line, double current);

#endif
