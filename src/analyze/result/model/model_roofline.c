// SPDX-License-Identifier: Apache-2.0
/* One operator under the roof. Does not know where its FLOPs and bytes come from. */
#include "analyze/result/model/model_analysis.h"

/* Of a core's own caches; what is larger comes from the shared one or from memory. */
static const double cached_bytes = 1 << 20;

struct model_bound model_bound_of(int64_t flops, int64_t bytes, double mean_ns, const struct machine_peak *peak,
				  int64_t n_threads)
{
	double all = fmax((double)peak->n_cpus, 1), cpus = n_threads > 0 ? fmin((double)n_threads, all) : all;
	double peak_flops = cpus < all ? fmin(cpus * peak->core_flops.high, peak->flops.high) : peak->flops.high;
	struct model_bound bound = { MODEL_BOUND_UNKNOWN, NAN, NAN, NAN, NAN, NAN, false };
	double compute_ns, memory_ns, peak_bytes;

	if (!(mean_ns > 0))
		return bound;
	bound.flops_per_s = flops < 0 ? NAN : (double)flops * 1e9 / mean_ns;
	bound.bytes_per_s = bytes < 0 ? NAN : (double)bytes * 1e9 / mean_ns;
	bound.intensity = flops < 0 || bytes <= 0 ? NAN : (double)flops / (double)bytes;
	bound.is_cached = bytes >= 0 && (double)bytes <= cached_bytes * cpus;
	/* the peak of the caches was measured on all cores at once */
	peak_bytes = bound.is_cached ? peak->cache_bytes.high * cpus / all : peak->bytes.high;
	if (flops < 0 || (!flops && bytes < 0) || !(peak_flops > 0) || !(peak_bytes > 0))
		return bound;
	compute_ns = (double)flops * 1e9 / peak_flops;
	memory_ns = bytes < 0 ? 0 : (double)bytes * 1e9 / peak_bytes;
	bound.possible_ns = fmax(compute_ns, memory_ns);
	bound.share = bound.possible_ns / mean_ns;
	if (bytes >= 0)
		bound.by = bound.share < MODEL_OVERHEAD ? MODEL_BOUND_OVERHEAD
			   : compute_ns >= memory_ns	? MODEL_BOUND_COMPUTE
							: MODEL_BOUND_MEMORY;
	return bound;
}

void model_bound_add(struct model_bound_sums *sums, const struct model_bound *bound, double share_ns)
{
	sums->n[bound->by]++;
	sums->total_ns += share_ns;
	sums->ns[bound->by] += share_ns;
	if (!isfinite(bound->share))
		return;
	sums->rated_ns += share_ns;
	sums->possible_ns[bound->by] += share_ns * fmin(bound->share, 1);
}
