/* Generations: folders in a folder, each of which appears whole or not at all, named by a step number.
 *
 *     DIR/step-000000001200        a generation
 *     DIR/step-000000002400.part   one that is being written, or was when its run died
 *     DIR/step-000000000600.old    one that is being removed
 *
 * For checkpoints: files are made in the .part folder and synced, then the folder is renamed. Local: call these on one
 * rank, after the files of all ranks are complete. No call ends the run. */
#ifndef TOR_IO_FILES_GENERATION_H
#define TOR_IO_FILES_GENERATION_H

#include <stddef.h>
#include <stdint.h>

enum { TOR_GENERATION_PATH = 4096 };

/* Path of a generation, or of its part. False when it is longer than any path may be. */
int tor_generation_path(const char *dir, int64_t step, int part, char path[TOR_GENERATION_PATH]);

/* Makes DIR and an empty part, and removes remains of killed runs. Returns 0; or -1 with errno. */
int tor_generation_begin(const char *dir, int64_t step);
/* Syncs the part and renames it to its final name, after removing an existing generation of that name. Returns 0; or -1
 * with errno. */
int tor_generation_publish(const char *dir, int64_t step);
/* Removes the part of a generation that failed; keeps errno. */
void tor_generation_discard(const char *dir, int64_t step);

/* The newest generations first, at most `most` of them. Returns how many; 0 when there is no such folder; -1 with
 * errno.
 */
int tor_generation_list(const char *dir, int most, int64_t *steps);

/* Removes all generations but those of the given steps; with none, also what is left of parts, and DIR if it is then
 * empty. Returns 0; or -1 with errno when something could not be removed. */
int tor_generation_keep(const char *dir, int count, const int64_t *steps);

#endif
