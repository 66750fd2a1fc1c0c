/* Where objects are: of 100,000 the few that are at a place are found without a look at the others. */
#ifndef TOR_SRC_JOB_OBJECT_BINS_H
#define TOR_SRC_JOB_OBJECT_BINS_H

struct tor_object;
struct tor_object_bins;

/* The objects must not change while the bins are used. To be freed by tor_object_bins_free, which takes NULL, too. */
struct tor_object_bins *tor_object_bins_new(const struct tor_object *objects, int count);
void tor_object_bins_free(struct tor_object_bins *bins);

/* Whether the bins, or NULL, are of these objects. */
int tor_object_bins_are_of(const struct tor_object_bins *bins, const struct tor_object *objects, int count);

/* The bounds of each object, [count]. */
const double (*tor_object_bins_lo(const struct tor_object_bins *bins))[3];
const double (*tor_object_bins_hi(const struct tor_object_bins *bins))[3];

/* Lists the objects whose bounds, faces excepted, meet those of the box [m]; a part of it may be infinite. In painting
 * order, each once; list: capacity for all. Returns their number. */
int tor_object_bins_near(const struct tor_object_bins *bins, const double lo[3], const double hi[3], int *list);

/* The last object that contains the point; -1: none. */
int tor_object_bins_at(const struct tor_object_bins *bins, const double x[3]);

/* Bytes that it holds. */
double tor_object_bins_bytes(const struct tor_object_bins *bins);

#endif
