/* A job's text, by which two jobs are compared: see job.h. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "src/base/error.h"
#include "src/job/design.h"
#include "src/job/job.h"
#include "src/job/material.h"

char *tor_job_text(const struct tor_job *job, size_t *bytes) {
  struct tor_job plain = *job;
  struct tor_source *sources = tor_alloc((size_t)job->nsources + 1, sizeof *sources, "job");
  for (int i = 0; i < job->nsources; i++) {
    sources[i] = job->sources[i];
    sources[i].profile.file = NULL;
  }
  struct tor_medium *media = tor_alloc((size_t)job->nmedia + 1, sizeof *media, "job");
  for (int i = 0; i < job->nmedia; i++) {
    media[i] = job->media[i];
    media[i].table = NULL;
  }
  struct tor_repeat *repeats = tor_alloc((size_t)job->nrepeats + 1, sizeof *repeats, "job");
  for (int i = 0; i < job->nrepeats; i++) {
    repeats[i] = job->repeats[i];
    repeats[i].file = NULL;
  }
  struct tor_design *designs = tor_alloc((size_t)job->ndesigns + 1, sizeof *designs, "job");
  for (int i = 0; i < job->ndesigns; i++) {
    designs[i] = job->designs[i];
    designs[i].file = designs[i].dataset = NULL;
  }
  plain.designs = designs;
  plain.repeats = repeats;
  plain.media = media;
  plain.sources = sources;
  plain.path = NULL;
  plain.tolerance = 0;
  char *text = NULL;
  FILE *f = open_memstream(&text, bytes);
  if (!f) TOR_DIE("no memory for the text of the job");
  tor_job_write_json(&plain, f, 0);
  if (fclose(f) || !text) TOR_DIE("no memory for the text of the job");
  free(sources);
  free(media);
  free(repeats);
  free(designs);
  return text;
}

/* The next line of a job's text that determines states, without leading spaces and trailing comma: *line, of the
 * returned length; -1 at the end. Run and schedule come last. */
static int next_line(const char **at, const char **line) {
  static const char *const others[] = {"\"job_file\":", "\"title\":", "\"output\":", "\"file\":", "\"image"};
  static const char run_time[] = "\"time_s\": "; /* a list is a table's */
  for (;;) {
    *line = *at + strspn(*at, " ");
    if (!**line || !strncmp(*line, "\"schedule\":", 11)) return -1;
    int length = (int)strcspn(*line, "\n");
    int skipped = !strncmp(*line, run_time, sizeof run_time - 1) && (*line)[sizeof run_time - 1] != '[';
    *at = *line + length + ((*line)[length] == '\n');
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
      skipped |= !strncmp(*line, others[i], strlen(others[i]));
    if (length && (*line)[length - 1] == ',') length--;
    if (!skipped) return length;
  }
}

int tor_job_difference(const char *theirs, const char *ours, char *text, size_t size) {
  const char *their_line, *our_line;
  for (;;) {
    int their_length = next_line(&theirs, &their_line), our_length = next_line(&ours, &our_line);
    if (their_length < 0 && our_length < 0) return 0;
    if (their_length == our_length && !memcmp(their_line, our_line, (size_t)our_length)) continue;
    if (their_length < 0) their_length = 0;
    if (our_length < 0) our_length = 0;
    snprintf(text, size, "it has %.*s where this job has %.*s", their_length < 200 ? their_length : 200, their_line,
             our_length < 200 ? our_length : 200, our_line);
    return 1;
  }
}

/* 64-bit FNV-1a (Fowler, Noll, Vo). */
uint64_t tor_job_hash(const char *text, size_t bytes) {
  uint64_t hash = 0xcbf29ce484222325u;
  for (size_t i = 0; i < bytes; i++) hash = (hash ^ (unsigned char)text[i]) * 0x100000001b3u;
  return hash;
}

uint64_t tor_job_hash_values(const double *value, size_t count) {
  uint64_t hash = 0xcbf29ce484222325u, word;
  for (size_t i = 0; i < count; i++) {
    memcpy(&word, &value[i], sizeof word);
    hash = (hash ^ word) * 0x100000001b3u;
    hash ^= hash >> 29; /* products carry nothing downwards */
  }
  return hash;
}
