// SPDX-License-Identifier: Apache-2.0
/* The rounds of a source that samples each process. The interval of one that samples often is by what they cost. */
#include <time.h>

#include "capture/source/follow.h"

#define LEAST_NS UINT64_C(100000000)

enum { PART = 1000 };

/* Of the recorder's thread: on a busy machine a round takes longer, and costs no more. */
static uint64_t cpu_ns(const struct fine *fine)
{
	struct timespec now;

	if (*fine->target->sysroot || clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now))
		return 0;
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

const struct target *fine_begin(struct fine *fine)
{
	uint64_t interval_ns = sample_interval_ns(fine->target), least_ns;

	fine->own = *fine->target;
	/* a multiple, so that sources are due together */
	least_ns = (fine->cost_ns * PART / LEAST_NS + 1) * LEAST_NS;
	fine->own.interval_ns = interval_ns < least_ns ? interval_ns : least_ns;
	fine->began_ns = cpu_ns(fine);
	return &fine->own;
}

void fine_end(struct fine *fine)
{
	fine->cost_ns = (3 * fine->cost_ns + cpu_ns(fine) - fine->began_ns) / 4;
}

int sampler_due_ms(const void *state)
{
	const struct sampler *sampler = state;

	return sample_due_ms(follow_due_ns(&sampler->follow, sampler->kind, sampler->fine.target->tree));
}

int sampler_drain(void *state, struct sink *out, uint64_t now_ns, struct err *err)
{
	struct sampler *sampler = state;
	bool is_fine = sampler->kind->is_fine;
	struct sample sample = { is_fine ? fine_begin(&sampler->fine) : sampler->fine.target, NULL, out, now_ns, err };
	int result = follow_drain(&sampler->follow, sampler->kind, state, &sample);

	if (is_fine)
		fine_end(&sampler->fine);
	return result;
}

void sampler_stop(void *state)
{
	struct sampler *sampler = state;

	follow_done(&sampler->follow, sampler->kind);
}
