/* Job files as texts, for tests of their reader by cmocka. */
#ifndef TOR_TESTS_SUPPORT_JOB_TEXT_H
#define TOR_TESTS_SUPPORT_JOB_TEXT_H

#include "src/base/units.h"
#include "src/job/job_read.h"

extern char job_path[64], job_folder[]; /* the file that is read, in a folder of its own */
extern const char job_base[];           /* a small good job of 2 lines */
extern struct tor_job job;              /* what the last text gave */
extern struct tor_faults faults;

/* cmocka's set-up and tear-down of a group. */
int job_text_begin(void **state);
int job_text_end(void **state);

void write_text(const char *path, const char *text);
/* Reads a text with so many overrides, or the small job with `more` behind it. As tor_job_read. */
int read_with(const char *text, const char *const *set, int nset);
int read_more(const char *more);
void expect_good(int good);
/* A fault "<job file>:line: path: ... part ..."; line 0: without one. */
void expect_fault(int line, const char *path, const char *part);
/* The small job with `more` has exactly this fault. */
void expect_only(const char *more, int line, const char *path, const char *part);
/* A sphere of index 2 with k r = 2 at 500 nm, 12 cells a radius, lit by a pulse along +z with E along x; a quarter of
 * it is computed. cells: edge of the domain; distance: cells from the sphere to the wave's box; grid: more keys of the
 * grid; monitors: elements of the list. Must be without faults. */
#define GLASS_SPHERE_RADIUS (500 / TOR_PI) /* nm */
void read_glass_sphere(int cells, int distance, const char *grid, const char *monitors);
/* The reference job's file. */
char *reference_path(void);

#endif
