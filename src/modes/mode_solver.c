/* Shift and invert: see mode_solver.h. */
#include "src/modes/mode_solver.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "src/base/error.h"
#include "src/base/types.h"
#include "src/modes/sparse.h"

#ifdef TORRE_MODES

#include <arpack.h>
#include <slu_zdefs.h>

int tor_mode_solver_built(void) { return 1; }

/* --- The matrix: P Q - shift with y = Q x and the components along the axis as unknowns of their own. Its rows are
 *       P y - shift x = b      Q x - y = 0      Y_i u - grad y = 0      Z_i w - curl x = 0
 * so that no product of sparse matrices is needed. --- */

enum { PARTS = 6 }; /* x along next and last, y likewise, u, w */

/* Whether a part's value at a point is advanced. */
static int is_active(const struct tor_mode_operator *op, int part, int point) {
  const struct tor_plane_media *p = op->plane;
  const int comp = part == 4   ? TOR_EX + p->axis
                   : part == 5 ? TOR_HX + p->axis
                               : TOR_EX + (part % 2 ? p->last : p->next);
  return op->active[comp * op->npoints + point];
}

static void add_row_of(struct tor_sparse *to, const struct tor_sparse *from, int row, int offset, double sign) {
  for (int i = from->first[row]; i < from->first[row + 1]; i++)
    tor_sparse_add(to, offset + from->column[i], sign * from->value[i]);
}

static void add_row(const struct tor_mode_operator *op, double complex shift, int part, int point,
                    struct tor_sparse *to) {
  const struct tor_plane_media *p = op->plane;
  const int n = op->npoints, row = part * n + point, of = part % 2 * n + point;
  const int e = TOR_EX + (part % 2 ? p->last : p->next), h = TOR_HX + (part % 2 ? p->next : p->last);
  switch (part) {
  case 0:
  case 1:
    tor_sparse_add(to, row, -shift);
    tor_sparse_add(to, 2 * n + of, -op->response[h * n + point]);
    add_row_of(to, &op->lift, of, 4 * n, 1);
    break;
  case 2:
  case 3:
    tor_sparse_add(to, row, -1);
    tor_sparse_add(to, of, -op->response[e * n + point]);
    if (op->node.rows) add_row_of(to, &op->node, of, 0, -1);
    add_row_of(to, &op->turn, of, 5 * n, 1);
    break;
  case 4:
    tor_sparse_add(to, row, op->response[(TOR_EX + p->axis) * n + point]);
    add_row_of(to, &op->grad, point, 2 * n, -1);
    break;
  default:
    tor_sparse_add(to, row, op->response[(TOR_HX + p->axis) * n + point]);
    add_row_of(to, &op->curl, point, 0, -1);
  }
}

static void make_rows(const struct tor_mode_operator *op, double complex shift, struct tor_sparse *rows) {
  tor_sparse_begin(rows, PARTS * op->npoints);
  for (int part = 0; part < PARTS; part++)
    for (int i = 0; i < op->npoints; i++) {
      if (is_active(op, part, i))
        add_row(op, shift, part, i, rows);
      else
        tor_sparse_add(rows, part * op->npoints + i, 1);
      tor_sparse_end_row(rows);
    }
}

/* By columns, parts of an entry summed. value and row belong to SuperLU's matrix. */
static void by_columns(const struct tor_sparse *rows, SuperMatrix *matrix) {
  const int n = rows->rows, count = rows->first[n];
  int *first = SUPERLU_MALLOC(((size_t)n + 1) * sizeof *first), *row = SUPERLU_MALLOC((size_t)count * sizeof *row);
  double complex *value = SUPERLU_MALLOC((size_t)count * sizeof *value);
  int *to = tor_alloc((size_t)n + 1, sizeof *to, "modes"), *at = tor_alloc((size_t)count, sizeof *at, "modes");
  double complex *all = tor_alloc((size_t)count, sizeof *all, "modes");
  if (!first || !row || !value) TOR_DIE("no memory for a matrix of modes");
  for (int i = 0; i < count; i++) to[rows->column[i] + 1]++;
  for (int c = 0; c < n; c++) to[c + 1] += to[c];
  int *const next = tor_alloc((size_t)n + 1, sizeof *next, "modes");
  memcpy(next, to, ((size_t)n + 1) * sizeof *next);
  for (int r = 0; r < n; r++)
    for (int i = rows->first[r]; i < rows->first[r + 1]; i++) {
      at[next[rows->column[i]]] = r;
      all[next[rows->column[i]]++] = rows->value[i];
    }
  int kept = 0;
  for (int c = 0; c < n; c++) {
    first[c] = kept;
    for (int i = to[c]; i < to[c + 1]; i++) {
      if (kept > first[c] && row[kept - 1] == at[i]) {
        value[kept - 1] += all[i];
        continue;
      }
      row[kept] = at[i];
      value[kept++] = all[i];
    }
  }
  first[n] = kept;
  free(to);
  free(next);
  free(at);
  free(all);
  zCreate_CompCol_Matrix(matrix, n, n, kept, (doublecomplex *)value, row, first, SLU_NC, SLU_Z, SLU_GE);
}

/* --- Factors --- */

struct tor_mode_factors {
  const struct tor_mode_operator *op;
  SuperMatrix lower, upper;
  int n;
  int *column_order, *row_order;
  double complex shift;
  double complex *all;                  /* [n] */
  double complex *rest, *turned, *full; /* [op->size] */
  SuperLUStat_t stat;
  double count;
};

struct tor_mode_factors *tor_mode_factor(const struct tor_mode_operator *op, double complex shift, char *why,
                                         size_t size) {
  struct tor_mode_factors *f = tor_alloc(1, sizeof *f, "modes");
  struct tor_sparse rows;
  SuperMatrix matrix, ordered;
  superlu_options_t options;
  GlobalLU_t global;
  mem_usage_t memory;
  int info = 0;
  f->op = op;
  f->shift = shift;
  f->n = PARTS * op->npoints;
  f->column_order = tor_alloc((size_t)f->n, sizeof *f->column_order, "modes");
  f->row_order = tor_alloc((size_t)f->n, sizeof *f->row_order, "modes");
  f->all = tor_alloc((size_t)f->n, sizeof *f->all, "modes");
  f->rest = tor_alloc((size_t)op->size, sizeof *f->rest, "modes");
  f->turned = tor_alloc((size_t)op->size, sizeof *f->turned, "modes");
  f->full = tor_alloc((size_t)op->size, sizeof *f->full, "modes");
  int *const tree = tor_alloc((size_t)f->n, sizeof *tree, "modes");
  make_rows(op, shift, &rows);
  by_columns(&rows, &matrix);
  tor_sparse_free(&rows);
  get_perm_c(MMD_AT_PLUS_A, &matrix, f->column_order);
  set_default_options(&options);
  options.ColPerm = MMD_AT_PLUS_A;
  options.SymmetricMode = YES;
  options.DiagPivotThresh = 0; /* the diagonal keeps the factors sparse; tor_mode_solve mends what that costs */
  StatInit(&f->stat);
  sp_preorder(&options, &matrix, f->column_order, tree, &ordered);
  zgstrf(&options, &ordered, sp_ienv(2), sp_ienv(1), tree, NULL, 0, f->column_order, f->row_order, &f->lower, &f->upper,
         &global, &f->stat, &info);
  free(tree);
  Destroy_CompCol_Permuted(&ordered);
  Destroy_CompCol_Matrix(&matrix);
  if (info) {
    snprintf(why, size,
             info > f->n ? "no memory for the factors of %d unknowns"
                         : "the matrix of %d unknowns is singular: another target_index",
             f->n);
    if (info <= f->n) {
      Destroy_SuperNode_Matrix(&f->lower);
      Destroy_CompCol_Matrix(&f->upper);
    }
    f->lower.Store = NULL;
    tor_mode_factors_free(f);
    return NULL;
  }
  zQuerySpace(&f->lower, &f->upper, &memory);
  f->count = (double)((SCformat *)f->lower.Store)->nnz + (double)((NCformat *)f->upper.Store)->nnz;
  return f;
}

void tor_mode_factors_free(struct tor_mode_factors *f) {
  if (!f) return;
  if (f->lower.Store) {
    Destroy_SuperNode_Matrix(&f->lower);
    Destroy_CompCol_Matrix(&f->upper);
  }
  StatFree(&f->stat);
  free(f->column_order);
  free(f->row_order);
  free(f->all);
  free(f->rest);
  free(f->turned);
  free(f->full);
  free(f);
}

double tor_mode_factors_count(const struct tor_mode_factors *f) { return f->count; }

/* all[0 .. op->size) = the factors' solution for b. */
static void solve_once(struct tor_mode_factors *f, const double complex *b) {
  const struct tor_mode_operator *op = f->op;
  SuperMatrix right;
  int info = 0;
  memset(f->all, 0, (size_t)f->n * sizeof *f->all);
  memcpy(f->all, b, (size_t)op->size * sizeof *b);
  zCreate_Dense_Matrix(&right, f->n, 1, (doublecomplex *)f->all, f->n, SLU_DN, SLU_Z, SLU_GE);
  zgstrs(NOTRANS, &f->lower, &f->upper, f->column_order, f->row_order, &right, &f->stat, &info);
  Destroy_SuperMatrix_Store(&right);
  if (info) TOR_DIE("zgstrs: argument %d", -info);
}

/* The largest value of rest = b - (P Q - shift) x. */
static double make_rest(struct tor_mode_factors *f, const double complex *b) {
  const struct tor_mode_operator *op = f->op;
  double largest = 0;
  tor_mode_operator_q(op, f->full, f->turned);
  tor_mode_operator_p(op, f->turned, f->rest);
  for (int i = 0; i < op->size; i++) {
    f->rest[i] = b[i] - f->rest[i] + f->shift * f->full[i];
    largest = fmax(largest, cabs(f->rest[i]));
  }
  return largest;
}

/* With refinement, since the factors have no pivots but the diagonal. */
void tor_mode_solve(struct tor_mode_factors *f, const double complex *b, double complex *x) {
  enum { STEPS = 5 };
  const struct tor_mode_operator *op = f->op;
  double complex *const right = tor_alloc((size_t)op->size, sizeof *right, "modes");
  double largest = 0, before = HUGE_VAL;
  for (int i = 0; i < op->size; i++) {
    right[i] = is_active(op, i / op->npoints, i % op->npoints) ? b[i] : 0;
    largest = fmax(largest, cabs(right[i]));
  }
  solve_once(f, right);
  memcpy(f->full, f->all, (size_t)op->size * sizeof *f->full);
  for (int step = 0; step < STEPS; step++) {
    const double rest = make_rest(f, right);
    if (rest <= 1e-13 * largest || rest > 0.1 * before) break;
    before = rest;
    solve_once(f, f->rest);
    for (int i = 0; i < op->size; i++) f->full[i] += f->all[i];
  }
  memcpy(x, f->full, (size_t)op->size * sizeof *x);
  free(right);
}

/* --- Arnoldi iteration --- */

struct arnoldi {
  int n, ncv, lworkl;
  double complex *resid, *v, *workd, *workl, *workev;
  double *rwork;
  int *select;
};

static void arnoldi_begin(struct arnoldi *a, int n, int ncv) {
  *a = (struct arnoldi){.n = n, .ncv = ncv, .lworkl = 3 * ncv * ncv + 5 * ncv};
  a->resid = tor_alloc((size_t)n, sizeof *a->resid, "modes");
  a->v = tor_alloc((size_t)n * (size_t)ncv, sizeof *a->v, "modes");
  a->workd = tor_alloc(3 * (size_t)n, sizeof *a->workd, "modes");
  a->workl = tor_alloc((size_t)a->lworkl, sizeof *a->workl, "modes");
  a->workev = tor_alloc(2 * (size_t)ncv, sizeof *a->workev, "modes");
  a->rwork = tor_alloc((size_t)ncv, sizeof *a->rwork, "modes");
  a->select = tor_alloc((size_t)ncv, sizeof *a->select, "modes");
}

static void arnoldi_end(struct arnoldi *a) {
  free(a->resid);
  free(a->v);
  free(a->workd);
  free(a->workl);
  free(a->workev);
  free(a->rwork);
  free(a->select);
}

/* A vector that is no one's eigenvector, the same in each run. */
static void start_vector(const struct tor_mode_operator *op, double complex *x) {
  uint32_t state = 1;
  for (int i = 0; i < op->size; i++) {
    state = state * 1664525u + 1013904223u;
    x[i] = is_active(op, i / op->npoints, i % op->npoints) ? 0.5 + state / 4294967296.0 : 0;
  }
}

int tor_mode_eigenvectors(const struct tor_mode_operator *op, struct tor_mode_factors *factors, double complex shift,
                          int count, double complex *value, double complex *vector, char *why, size_t size) {
  enum { ITERATIONS = 300, LINE = 3000 };
  int unknowns = 0;
  for (int i = 0; i < op->size; i++) unknowns += is_active(op, i / op->npoints, i % op->npoints);
  /* Lines have few unknowns, and the modes outside a guide's core lie close together: a larger space costs little. */
  const int wanted = count, space = 2 * wanted + (unknowns < LINE ? 118 : 18),
            ncv = space < unknowns ? space : unknowns;
  if (wanted > unknowns - 2) {
    snprintf(why, size, "the plane has %d unknowns, need more than count + 2", unknowns);
    return -1;
  }
  struct arnoldi a;
  int ido = 0, info = 1, iparam[11] = {1, 0, ITERATIONS, 1, 0, 0, 3}, ipntr[14];
  arnoldi_begin(&a, op->size, ncv);
  start_vector(op, a.resid);
  for (;;) {
    znaupd_c(&ido, "I", a.n, "LM", wanted, 1e-11, a.resid, ncv, a.v, a.n, iparam, ipntr, a.workd, a.workl, a.lworkl,
             a.rwork, &info);
    if (ido != 1 && ido != -1) break;
    tor_mode_solve(factors, a.workd + ipntr[0] - 1, a.workd + ipntr[1] - 1);
  }
  int found = info >= 0 ? iparam[4] : -1;
  if (info < 0)
    snprintf(why, size, "ARPACK failed (znaupd: %d)", info);
  else if (found < wanted)
    snprintf(why, size, "ARPACK found %d of %d modes in %d iterations", found, wanted, (int)ITERATIONS);
  if (found > 0) {
    double complex *const all = tor_alloc((size_t)wanted + 1, sizeof *all, "modes");
    zneupd_c(1, "A", a.select, all, a.v, a.n, shift, a.workev, "I", a.n, "LM", wanted, 1e-11, a.resid, ncv, a.v, a.n,
             iparam, ipntr, a.workd, a.workl, a.lworkl, a.rwork, &info);
    if (found > wanted) found = wanted;
    memcpy(value, all, (size_t)found * sizeof *all);
    memcpy(vector, a.v, (size_t)found * (size_t)a.n * sizeof *a.v);
    free(all);
  }
  arnoldi_end(&a);
  return found;
}

#else

int tor_mode_solver_built(void) { return 0; }

static void set_reason(char *why, size_t size) {
  snprintf(why, size, "this torre was built without ARPACK and SuperLU");
}

struct tor_mode_factors *tor_mode_factor(const struct tor_mode_operator *op, double complex shift, char *why,
                                         size_t size) {
  (void)op;
  (void)shift;
  set_reason(why, size);
  return NULL;
}
void tor_mode_factors_free(struct tor_mode_factors *factors) { (void)factors; }
void tor_mode_solve(struct tor_mode_factors *factors, const double complex *b, double complex *x) {
  (void)factors;
  (void)b;
  (void)x;
}
double tor_mode_factors_count(const struct tor_mode_factors *factors) {
  (void)factors;
  return 0;
}
int tor_mode_eigenvectors(const struct tor_mode_operator *op, struct tor_mode_factors *factors, double complex shift,
                          int count, double complex *value, double complex *vector, char *why, size_t size) {
  (void)op;
  (void)factors;
  (void)shift;
  (void)count;
  (void)value;
  (void)vector;
  set_reason(why, size);
  return -1;
}

#endif
