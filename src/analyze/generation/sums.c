// SPDX-License-Identifier: Apache-2.0
/* What the generations of a model come to. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "analyze/generation/generation_in.h"
#include "analyze/store/shapes.h"

enum { MOST = 1 << 14, ALL_LIMIT = 1 << 17, LENGTH_LIMIT = 1 << 10, MAX_LENGTHS = 64 };

struct generation_sums *generation_sums_new(void)
{
	struct generation_sums *sums = calloc(1, sizeof *sums);

	if (!sums)
		return NULL;
	sums->begin_ns = UINT64_MAX;
	sums->first.limit = sums->per_token.limit = sums->wall.limit = sums->prompts.limit = MOST;
	sums->between.limit = ALL_LIMIT;
	return sums;
}

void generation_sums_free(struct generation_sums *sums)
{
	if (!sums)
		return;
	stats_done(&sums->first);
	stats_done(&sums->between);
	stats_done(&sums->per_token);
	stats_done(&sums->wall);
	stats_done(&sums->prompts);
	for (size_t i = 0; i < sums->lengths.n; i++) {
		struct generation_length *length = (struct generation_length *)sums->lengths.data + i;

		stats_done(&length->length);
		stats_done(&length->between);
		stats_done(&length->inference);
	}
	array_done(&sums->lengths, sizeof(struct generation_length));
	free(sums);
}

/* NULL: out of memory, or (*rc is 0) there are too many. */
static struct generation_length *length_of(struct generation_sums *sums, uint32_t bin, int *rc)
{
	struct generation_length *row = sums->lengths.data;
	size_t i = 0;

	while (i < sums->lengths.n && row[i].bin != bin)
		i++;
	if (i < sums->lengths.n)
		return &row[i];
	if (i == MAX_LENGTHS)
		return NULL;
	row = array_add(&sums->lengths, sizeof *row);
	if (!row) {
		*rc = -ENOMEM;
		return NULL;
	}
	row->bin = bin;
	row->length.limit = row->between.limit = row->inference.limit = LENGTH_LIMIT;
	return row;
}

int generation_sums_add_token(struct generation_sums *sums, uint64_t length, uint64_t between_ns, uint64_t inference_ns)
{
	int rc = stats_add(&sums->between, between_ns);
	struct generation_length *row = rc ? NULL : length_of(sums, shapes_bin(length ? length : 1), &rc);

	if (!row)
		return rc;
	rc = stats_add(&row->length, length);
	rc = rc ? rc : stats_add(&row->between, between_ns);
	return rc ? rc : stats_add(&row->inference, inference_ns);
}

int generation_sums_add(struct generation_sums *sums, const struct generation *row)
{
	uint64_t wall_ns = row->end_ns - row->begin_ns;
	int rc = 0;

	sums->n++;
	sums->n_by_cache += row->way == GENERATION_BY_CACHE || row->copied_bytes;
	sums->prompt_tokens += row->prompt_tokens * row->batch;
	sums->cached_tokens += row->cached_tokens * row->batch;
	sums->output_tokens += row->output_tokens;
	sums->seen_tokens += row->seen_tokens * row->batch;
	if (row->prompt_tokens && row->prefill_ns > row->encoder_ns)
		sums->seen_ns =
		    stats_sum(sums->seen_ns, (uint64_t)((double)(row->prefill_ns - row->encoder_ns) *
							(double)row->seen_tokens / (double)row->prompt_tokens));
	sums->cache_bytes = row->cache_bytes > sums->cache_bytes ? row->cache_bytes : sums->cache_bytes;
	sums->copied_bytes = stats_sum(sums->copied_bytes, row->copied_bytes);
	sums->prefill_ns = stats_sum(sums->prefill_ns, row->prefill_ns);
	sums->encoder_ns = stats_sum(sums->encoder_ns, row->encoder_ns);
	sums->decode_ns = stats_sum(sums->decode_ns, row->decode_ns);
	sums->others_ns = stats_sum(sums->others_ns, row->others_ns);
	sums->outside_ns = stats_sum(sums->outside_ns, row->outside_ns);
	sums->sampling_ns = stats_sum(sums->sampling_ns, row->sampling_ns);
	sums->text_ns = stats_sum(sums->text_ns, row->text_ns);
	sums->wall_ns = stats_sum(sums->wall_ns, wall_ns);
	sums->begin_ns = row->begin_ns < sums->begin_ns ? row->begin_ns : sums->begin_ns;
	sums->end_ns = row->end_ns > sums->end_ns ? row->end_ns : sums->end_ns;
	if (isfinite(row->per_token_ns))
		rc = stats_add(&sums->per_token, (uint64_t)(row->per_token_ns + 0.5));
	if (rc || !row->first_token_ns)
		return rc;
	sums->n_whole++;
	rc = stats_add(&sums->first, row->first_token_ns);
	rc = rc ? rc : stats_add(&sums->prompts, row->prompt_tokens);
	return rc ? rc : stats_add(&sums->wall, wall_ns);
}

int generation_sums_merge(struct generation_sums *to, struct generation_sums *from)
{
	int rc = 0;

	to->n += from->n;
	to->n_whole += from->n_whole;
	to->n_by_cache += from->n_by_cache;
	to->n_repeated += from->n_repeated;
	to->prompt_tokens += from->prompt_tokens;
	to->cached_tokens += from->cached_tokens;
	to->output_tokens += from->output_tokens;
	to->seen_tokens += from->seen_tokens;
	to->seen_ns = stats_sum(to->seen_ns, from->seen_ns);
	to->cache_bytes = from->cache_bytes > to->cache_bytes ? from->cache_bytes : to->cache_bytes;
	to->copied_bytes = stats_sum(to->copied_bytes, from->copied_bytes);
	to->prefill_ns = stats_sum(to->prefill_ns, from->prefill_ns);
	to->encoder_ns = stats_sum(to->encoder_ns, from->encoder_ns);
	to->decode_ns = stats_sum(to->decode_ns, from->decode_ns);
	to->others_ns = stats_sum(to->others_ns, from->others_ns);
	to->outside_ns = stats_sum(to->outside_ns, from->outside_ns);
	to->sampling_ns = stats_sum(to->sampling_ns, from->sampling_ns);
	to->text_ns = stats_sum(to->text_ns, from->text_ns);
	to->wall_ns = stats_sum(to->wall_ns, from->wall_ns);
	to->begin_ns = from->begin_ns < to->begin_ns ? from->begin_ns : to->begin_ns;
	to->end_ns = from->end_ns > to->end_ns ? from->end_ns : to->end_ns;
	for (size_t i = 0; !rc && i < from->lengths.n; i++) {
		struct generation_length *own = (struct generation_length *)from->lengths.data + i;
		struct generation_length *row = length_of(to, own->bin, &rc);

		if (!row)
			continue;
		rc = stats_merge(&row->length, &own->length);
		rc = rc ? rc : stats_merge(&row->between, &own->between);
		rc = rc ? rc : stats_merge(&row->inference, &own->inference);
	}
	rc = rc ? rc : stats_merge(&to->first, &from->first);
	rc = rc ? rc : stats_merge(&to->between, &from->between);
	rc = rc ? rc : stats_merge(&to->per_token, &from->per_token);
	rc = rc ? rc : stats_merge(&to->prompts, &from->prompts);
	return rc ? rc : stats_merge(&to->wall, &from->wall);
}
