/* What slab_gpu.cu calls for a slab that ranks share, one that a window passes over, or one that runs stepwise: the
 * test of the towers does none of these. */
#include "../../../diamond/border_gpu.cuh"
#include "../../../diamond/lane_gpu.cuh"
#include "../../../diamond/sweep_gpu.cuh"

#define NOT_HERE \
  { abort(); }

void tor_gpu_fail(const char *, int, const char *, int) NOT_HERE
bool tor_gpu_is_idle(cudaStream_t) NOT_HERE
void TOR_NAME(tor_gpu_stepwise)(const tor_gpu_view *, int, const tor_gpu_span *, const uint8_t *, cudaStream_t) NOT_HERE

tor_gpu_lane *TOR_NAME(tor_gpu_lane_new)(const tor_slab *, const tor_gpu_view *, const tor_gpu_group *, int, int, bool) NOT_HERE
size_t TOR_NAME(tor_gpu_lane_bytes)(const tor_gpu_lane *) NOT_HERE
cudaStream_t TOR_NAME(tor_gpu_lane_stream)(const tor_gpu_lane *) NOT_HERE
void TOR_NAME(tor_gpu_lane_take)(tor_gpu_lane *, cudaStream_t, char *) NOT_HERE
void TOR_NAME(tor_gpu_lane_put)(tor_gpu_lane *, const char *) NOT_HERE
int TOR_NAME(tor_gpu_lane_moved)(const tor_gpu_lane *) NOT_HERE
void TOR_NAME(tor_gpu_lane_land)(tor_gpu_lane *, cudaStream_t) NOT_HERE
void TOR_NAME(tor_gpu_lane_free)(tor_gpu_lane *) NOT_HERE

tor_gpu_border *TOR_NAME(tor_gpu_border_new)(const tor_slab *, const tor_gpu_view *, const tor_gpu_group *, tor_gpu_side) NOT_HERE
void TOR_NAME(tor_gpu_border_free)(tor_gpu_border *) NOT_HERE
void TOR_NAME(tor_gpu_border_before)(tor_gpu_border *, int, int, tor_gpu_places *, cudaStream_t) NOT_HERE
void TOR_NAME(tor_gpu_border_after)(tor_gpu_border *, const tor_gpu_places *) NOT_HERE
void TOR_NAME(tor_gpu_border_describe)(const tor_gpu_border *, tor_gpu_card *) NOT_HERE
int TOR_NAME(tor_gpu_border_meet)(tor_gpu_border *, const tor_gpu_card *) NOT_HERE
void TOR_NAME(tor_gpu_border_agree)(tor_gpu_border *, int) NOT_HERE
size_t TOR_NAME(tor_gpu_border_bytes)(tor_gpu_border *, const tor_strip_part *) NOT_HERE
size_t TOR_NAME(tor_gpu_border_fetched)(tor_gpu_border *, const tor_strip_part *) NOT_HERE
int TOR_NAME(tor_gpu_border_left)(tor_gpu_border *, int, int) NOT_HERE
void TOR_NAME(tor_gpu_border_take)(tor_gpu_border *, const tor_strip_part *, char *) NOT_HERE
int TOR_NAME(tor_gpu_border_taken)(const tor_gpu_border *) NOT_HERE
void TOR_NAME(tor_gpu_border_put)(tor_gpu_border *, const tor_strip_part *, const char *, int, int) NOT_HERE
int TOR_NAME(tor_gpu_border_has_put)(const tor_gpu_border *) NOT_HERE

tor_gpu_sweep *TOR_NAME(tor_gpu_sweep_new)(const tor_slab *, double) NOT_HERE
void TOR_NAME(tor_gpu_sweep_run)(tor_gpu_sweep *, tor_gpu_view *, int, const uint8_t *) NOT_HERE
cudaStream_t TOR_NAME(tor_gpu_sweep_stream)(const tor_gpu_sweep *) NOT_HERE
void TOR_NAME(tor_gpu_sweep_finish)(tor_gpu_sweep *) NOT_HERE
void TOR_NAME(tor_gpu_sweep_free)(tor_gpu_sweep *) NOT_HERE
void TOR_NAME(tor_gpu_sweep_share)(tor_gpu_sweep *, int, int, int) NOT_HERE
void TOR_NAME(tor_gpu_sweep_came)(tor_gpu_sweep *, const tor_gpu_view *, int) NOT_HERE
void TOR_NAME(tor_gpu_sweep_begin)(tor_gpu_sweep *, tor_gpu_view *, int, bool) NOT_HERE
void TOR_NAME(tor_gpu_sweep_rows)(tor_gpu_sweep *, int, int) NOT_HERE
bool TOR_NAME(tor_gpu_sweep_go_on)(tor_gpu_sweep *, const tor_gpu_view *) NOT_HERE
void TOR_NAME(tor_gpu_sweep_leave)(tor_gpu_sweep *, const tor_gpu_view *, int) NOT_HERE
void TOR_NAME(tor_gpu_sweep_follow)(const tor_gpu_sweep *, int, cudaStream_t) NOT_HERE
