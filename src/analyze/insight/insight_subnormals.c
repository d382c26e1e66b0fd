// SPDX-License-Identifier: Apache-2.0
/*
 * Inferences of a recording are slower where their thread computed with subnormal numbers: by medians, and without
 * waits for a CPU, so that a busy moment makes no difference. value: time with them by that without; a: inferences with
 * them; b: without; low: nanoseconds of each with them; high: without.
 */
#include "analyze/insight/insight_in.h"

extern const struct insight insight_subnormals;

enum { LEAST = 10, LEAST_OF_SIZE = 3 };

/* Other inputs may take longer for other reasons: the difference must be plain. */
static const double least_ratio = 1.2;

/* Inferences with them, and as many without them. */
struct sides {
	uint64_t n_with, n_without;
	double with_ns, without_ns; /* added up; without: as long as those without them take of that size */
};

static void add(struct sides *to, const struct summary_size *size)
{
	to->n_with += size->n_subnormal;
	to->n_without += size->n - size->n_subnormal;
	to->with_ns += (double)size->subnormal_p50_ns * (double)size->n_subnormal;
	to->without_ns += (double)size->normal_p50_ns * (double)size->n_subnormal;
}

/* Where sizes are not known: means, and the slowest one may have lost the CPU. */
static void add_all(struct sides *to, const struct summary_runs *runs)
{
	uint64_t n_without = runs->latency.n - runs->n_subnormal;
	double longest_ns = fmin((double)runs->latency.max_ns, (double)runs->subnormal_wall_ns);
	double with_ns = ((double)runs->subnormal_wall_ns - longest_ns) / ((double)runs->n_subnormal - 1);

	to->n_with = runs->n_subnormal;
	to->n_without = n_without;
	to->with_ns = with_ns * (double)runs->n_subnormal;
	to->without_ns = ((double)runs->latency.total_ns - (double)runs->subnormal_wall_ns) / (double)n_without *
			 (double)runs->n_subnormal;
}

/* Of inputs of several sizes each is compared with those of its size. */
static struct sides compare(const struct finder *finder, const struct summary_runs *runs)
{
	const struct recording_facts *facts = finder->run->result->recorded;
	const struct summary_size *size = facts ? facts->summary->sizes + facts->model->sizes.first : NULL;
	struct sides sides = { 0, 0, 0, 0 };

	for (uint32_t i = 0; size && i < facts->model->sizes.n; i++)
		if (size[i].n_subnormal >= LEAST_OF_SIZE && size[i].n >= size[i].n_subnormal + LEAST_OF_SIZE)
			add(&sides, &size[i]);
	if ((!size || !facts->model->sizes.n) && runs->n_subnormal > 1 && runs->latency.n > runs->n_subnormal)
		add_all(&sides, runs);
	return sides;
}

static void find(struct finder *finder)
{
	const struct summary_runs *runs = finder->run->result->runs;
	struct sides sides = { 0, 0, 0, 0 };
	double with_ns, without_ns;
	struct finding *to;

	if (runs)
		sides = compare(finder, runs);
	if (sides.n_with < LEAST || sides.n_without < LEAST || !(sides.with_ns >= least_ratio * sides.without_ns))
		return;
	with_ns = sides.with_ns / (double)sides.n_with;
	without_ns = sides.without_ns / (double)sides.n_with;
	to = finder_add_counts(finder, &insight_subnormals, with_ns / without_ns, (int64_t)sides.n_with,
			       (int64_t)sides.n_without);
	to->low = with_ns;
	to->high = without_ns;
	to->gain_ns = (with_ns - without_ns) * (double)sides.n_with / (double)runs->latency.n;
}

static void say(const struct speaker *to)
{
	FINDING("subnormal (denormal) numbers slow inferences down");
	EVIDENCE("%s computed with them and took %s each", printable_count((uint64_t)to->finding->a, "inference").s,
		 units_duration(to->finding->low).s);
	EVIDENCE(", %s without took %s", units_count((uint64_t)to->finding->b).s, units_duration(to->finding->high).s);
	NEXT("%s makes them zero; up to %s less for each",
	     speaker_is_of_runtime(to, "pytorch")	? "torch.set_flush_denormal(True)"
	     : speaker_is_of_runtime(to, "openvino")	? "CPU_DENORMALS_OPTIMIZATION = YES (a property)"
	     : speaker_is_of_another(to, "onnxruntime") ? "a thread that flushes them (FTZ and DAZ of its MXCSR)"
							: "session.set_denormal_as_zero = 1 (a session config entry)",
	     units_duration(to->finding->low - to->finding->high).s);
	if (!speaker_is_of_another(to, "onnxruntime"))
		NEXT(". It has no effect if the process created an earlier session without it");
}

const struct insight insight_subnormals = {
	.name = "subnormals",
	.severity = INSIGHT_ADVICE,
	.find = find,
	.say = say,
	.figures = { .value = "mean_with_by_without",
		     .low = "mean_with_ns",
		     .high = "mean_without_ns",
		     .a = "inferences_with",
		     .b = "inferences_without" },
};
