/* The fields at points in space of what radiates within a surface: a far field (far_field.h) without the limit r to
 * infinity, by the Green's function of homogeneous space (Balanis, Advanced Engineering Electromagnetics, 2nd ed., eq.
 * 6-95; the sums of order 1 / r^3 are all there). */
#ifndef TOR_SRC_MODEL_FAR_NEAR_H
#define TOR_SRC_MODEL_FAR_NEAR_H

#include <complex.h>

#include "src/model/far_field.h"
#include "src/model/far_layers.h"

/* Currents J = n x H and M = -n x E on the surface of `far`, which must outlive them. */
struct tor_far_near;
struct tor_far_near *tor_far_near_new(const struct tor_far_field *far);
void tor_far_near_free(struct tor_far_near *near);

/* E [V/m/Hz] and H [A/m/Hz] at a place x [m], all along the axes of the job. 2-D: of currents that are alike along the
 * job's x. Of one plane, from the waves that cross it towards x. Of second order in the cell. Takes some 40 ns for each
 * point of the surface, in 2-D 400. */
void tor_far_near_at(const struct tor_far_near *near, const double x[3], double complex e[3], double complex h[3]);

/* Points of a plane in space along the axis of the job: from lo to hi evenly; 1 across it. */
int tor_far_near_points(const struct tor_monitor *monitor, int axis);
double tor_far_near_place(const struct tor_monitor *monitor, int axis, int i);

/* Faults of a monitor's plane in space: within two cells of its surface [nodes], on both sides of it, behind layers.
 * stack: the job's layers. */
void tor_far_near_check(const struct tor_job *job, const struct tor_grid *grid, const struct tor_monitor *monitor,
                        const struct tor_far_stack *stack, const int lo[3], const int hi[3], struct tor_faults *faults);

#endif
