/* The table of `torre classic`: on the terminal, as CSV, as JSON. See classic_measure.h. */
#include <stdio.h>
#include <string.h>

#include "diamond/classic/classic.h"
#include "io/files/folder.h"
#include "src/base/error.h"
#include "src/base/json.h"
#include "src/classic/classic_measure.h"

static const char *const variants[] = {"index", "old", "constant", "axis-i", "sync", "shared", "cube"};
enum { NVARIANTS = (int)(sizeof variants / sizeof *variants), GFLOPS_2D = 12 /* operations that Takada counts */ };

void tor_classic_label(const struct tor_classic_launch *launch, char *text, size_t size) {
  size_t n = (size_t)snprintf(text, size, "%s", tor_classic_name(launch->engine));
  for (int i = 0; i < NVARIANTS && n < size; i++)
    if (launch->variant >> i & 1) n += (size_t)snprintf(text + n, size - n, " %s", variants[i]);
  if (launch->chunk > 1 && n < size) n += (size_t)snprintf(text + n, size - n, " chunk %d", launch->chunk);
  if (launch->halves == 1 || launch->halves == 2)
    if (n < size) snprintf(text + n, size - n, " %s alone", launch->halves == 1 ? "H" : "E");
}

unsigned tor_classic_read_variants(const char *list, struct tor_faults *faults) {
  unsigned bits = 0;
  for (const char *at = list; at && *at;) {
    const size_t n = strcspn(at, ",");
    int i = 0;
    while (i < NVARIANTS && (strlen(variants[i]) != n || strncmp(variants[i], at, n))) i++;
    if (i < NVARIANTS)
      bits |= 1u << i;
    else
      tor_fault(faults,
                "--variant: got " TOR_FOUND("\"%.*s\"") ", need " TOR_NEEDED("names out of index, old, "
                                                                             "constant, axis-i, sync, shared, cube"),
                (int)n, at);
    at += n + (at[n] == ',');
  }
  return bits;
}

static const char *verified_text(const struct tor_classic_row *r) {
  return r->verified < 0 ? "-" : r->verified ? "equal" : "DIFFERS";
}

void tor_classic_print_head(FILE *out) {
  fprintf(out, "%-26s %-4s %-5s %-14s %-9s %5s %6s %9s %7s %7s %6s %s\n", "engine", "on", "prec", "cells", "block",
          "regs", "occup", "G cells/s", "B/cell", "no cac.", "share", "bits");
}

void tor_classic_print_row(const struct tor_classic_row *r, FILE *out) {
  char cells[40], block[24] = "";
  if (r->n[2])
    snprintf(cells, sizeof cells, "%dx%dx%d", r->n[0], r->n[1], r->n[2]);
  else
    snprintf(cells, sizeof cells, "%dx%d", r->n[0], r->n[1]);
  if (r->block[0] && r->gpu) snprintf(block, sizeof block, "%dx%d", r->block[0], r->block[1]);
  fprintf(out, "%-26s %-4s fp%-3d %-14s %-9s %5d %5.0f%% %9.4g %7.1f %7.1f %5.1f%% %s\n", r->engine,
          r->gpu ? "gpu" : "cpu", 8 * r->precision, cells, block, r->registers, 100 * r->occupancy, r->rate * 1e-9,
          r->least, r->no_cache, 100 * r->share, verified_text(r));
}

static const char *scheme_name(const struct tor_classic_row *r) {
  static const char *const names[] = {"tm", "te", "uniform", "media"};
  return names[r->scheme];
}

int tor_classic_write_csv(const struct tor_classic_bench *b, const char *path) {
  FILE *out = tor_folder_create(path);
  if (!out) return -1;
  fprintf(out, "engine,case,order,rule,device,precision,n0,n1,n2,block_x,block_y,threads,registers,occupancy,steps,"
               "seconds,cells_per_s,gflops_of_12,bytes_least,bytes_no_cache,GB_per_s_least,share_of_copy,bits\n");
  for (int i = 0; i < b->rows; i++) {
    const struct tor_classic_row *r = &b->row[i];
    fprintf(out, "%s,%s,%d,%s,%s,fp%d,%d,%d,%d,%d,%d,%d,%d,%.4g,%d,%.6g,%.6g,%.5g,%.6g,%.6g,%.5g,%.4g,%s\n", r->engine,
            scheme_name(r), r->order, r->rule == TOR_CLASSIC_AUTHOR ? "author" : "torre", r->gpu ? "gpu" : "cpu",
            8 * r->precision, r->n[0], r->n[1], r->n[2], r->block[0], r->block[1], r->threads, r->registers,
            r->occupancy, r->steps, r->seconds, r->rate, r->n[2] ? 0 : GFLOPS_2D * r->rate * 1e-9, r->least,
            r->no_cache, r->rate * r->least * 1e-9, r->share, verified_text(r));
  }
  return tor_folder_commit(out, path);
}

void tor_classic_write_json(const struct tor_classic_bench *b, const char *command, FILE *out) {
  fputs("{\n  \"command\": ", out);
  tor_json_string(out, command);
  fprintf(out, ",\n  \"status\": %d,\n  \"rows\": [", b->failed);
  for (int i = 0; i < b->rows; i++) {
    const struct tor_classic_row *r = &b->row[i];
    fprintf(out, "%s\n    {\"engine\": ", i ? "," : "");
    tor_json_string(out, r->engine);
    fprintf(out,
            ", \"case\": \"%s\", \"order\": %d, \"rule\": \"%s\", \"device\": \"%s\", \"precision\": \"fp%d\", "
            "\"cells\": [%d, %d, %d], \"block\": [%d, %d], \"threads\": %d, \"registers\": %d",
            scheme_name(r), r->order, r->rule == TOR_CLASSIC_AUTHOR ? "author" : "torre", r->gpu ? "gpu" : "cpu",
            8 * r->precision, r->n[0], r->n[1], r->n[2], r->block[0], r->block[1], r->threads, r->registers);
    tor_json_member_number(out, "occupancy", r->occupancy);
    fprintf(out, ", \"steps\": %d", r->steps);
    tor_json_member_number(out, "seconds", r->seconds);
    tor_json_member_number(out, "cells_per_s", r->rate);
    tor_json_member_number(out, "bytes_least", r->least);
    tor_json_member_number(out, "bytes_no_cache", r->no_cache);
    tor_json_member_number(out, "share_of_copy", r->share);
    fprintf(out, ", \"equal\": %s}", r->verified < 0 ? "null" : r->verified ? "true" : "false");
  }
  fputs(b->rows ? "\n  ]\n}\n" : "]\n}\n", out);
}
