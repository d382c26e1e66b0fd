// SPDX-License-Identifier: Apache-2.0
/*
 * Kernels and copies of devices. All of the recording are in it, with those of first and failed inferences, as in the
 * tables of other tools: it says what the device did, not what an inference takes. The first MAX_KERNELS pairs of name
 * and type have rows, and the first MAX_STREAMS lines; others are counted.
 */
#include <errno.h>
#include <stdlib.h>
#include <strings.h>

#include "analyze/summary/sum_kinds.h"
#include "analyze/summary/sum_rows.h"

enum { MAX_KERNELS = 2048, MAX_STREAMS = 1024, MANY_VALUES = 1 << 14, SOME_VALUES = 1 << 9, N_WITH_MANY = 64 };

struct kernel {
	uint32_t name, op_type;
	struct stats durations;
};

struct line {
	struct summary_stream row; /* process: index in processes of the maker */
	uint64_t number;	   /* of the last kernel's inference; 0: of none */
};

struct kernels {
	struct sum_rows all;  /* struct kernel */
	struct array streams; /* struct line */
	struct keys stream_keys;
};

static bool is_copy(const char *name)
{
	return !strncasecmp(name, "memcpy", 6) || !strncasecmp(name, "memset", 6);
}

static int add_to_stream(struct summary_maker *maker, struct track *track, const struct slice *slice, uint64_t end_ns)
{
	struct kernels *all = maker->kernels;
	uint32_t id = (uint32_t)(track - maker->tracks), known = (uint32_t)all->streams.n, index;
	uint64_t ns = end_ns - slice->begin_ns;
	struct summary_stream *stream;
	struct line *line;

	index = known < MAX_STREAMS ? keys_number(&all->stream_keys, id, 0) : keys_find(&all->stream_keys, id, 0);
	if (index == KEYS_NONE)
		return known < MAX_STREAMS ? -ENOMEM : 0;
	if (index == known && !array_add(&all->streams, sizeof *line))
		return -ENOMEM;
	line = (struct line *)all->streams.data + index;
	stream = &line->row;
	if (index == known)
		*stream = (struct summary_stream){ .track = id,
						   .process = sum_process_of(maker, track),
						   .begin_ns = slice->begin_ns };
	else if (slice->begin_ns > stream->end_ns) {
		uint64_t gap_ns = slice->begin_ns - stream->end_ns;

		stream->n_gaps++;
		stream->longest_gap_ns = gap_ns > stream->longest_gap_ns ? gap_ns : stream->longest_gap_ns;
		stream->idle_within_ns += slice->number && slice->number == line->number ? gap_ns : 0;
	}
	stream->n++;
	stream->busy_ns += ns;
	stream->copies_ns += is_copy(names_text(maker->names, slice->name)) ? ns : 0;
	stream->end_ns = end_ns;
	line->number = slice->number;
	return 0;
}

int sum_kernels_add(struct summary_maker *maker, struct track *track, const struct slice *slice, uint64_t end_ns,
		    bool is_inside)
{
	uint32_t op_type = fact_text(&slice->facts, FACT_OP_TYPE), name = slice->name;
	struct summary_opts *opts = &maker->opts;
	struct kernels *all = maker->kernels;
	struct kernel *row;
	void *found;
	int code;

	if (opts->model || opts->from_ns || opts->to_ns)
		return 0;
	if (!all && !(all = maker->kernels = calloc(1, sizeof *all)))
		return -ENOMEM;
	if (!is_inside && add_to_stream(maker, track, slice, end_ns))
		return -ENOMEM;
	all->all.size = sizeof *row;
	all->all.max = MAX_KERNELS;
	code = sum_rows_find(maker, &all->all, &name, op_type, &found);
	if (code || !(row = found))
		return code;
	if (!row->durations.limit)
		*row = (struct kernel){ name,
					op_type,
					{ .limit = all->all.rows.n <= N_WITH_MANY ? MANY_VALUES : SOME_VALUES } };
	return stats_add(&row->durations, end_ns - slice->begin_ns);
}

static int by_total(const void *a_, const void *b_)
{
	const struct summary_kernel *a = a_, *b = b_;

	if (a->duration.total_ns != b->duration.total_ns)
		return a->duration.total_ns > b->duration.total_ns ? -1 : 1;
	return a->name != b->name ? (a->name > b->name) - (a->name < b->name)
				  : (a->op_type > b->op_type) - (a->op_type < b->op_type);
}

static int by_type_total(const void *a_, const void *b_)
{
	const struct summary_kernel_type *a = a_, *b = b_;

	if (a->total_ns != b->total_ns)
		return a->total_ns > b->total_ns ? -1 : 1;
	return (a->op_type > b->op_type) - (a->op_type < b->op_type);
}

/* Kernels are sorted: few types, so a search through them is quick. */
static int add_to_type(struct array *types, const struct summary_kernel *kernel)
{
	struct summary_kernel_type *type = types->data;
	size_t i = 0;

	while (i < types->n && type[i].op_type != kernel->op_type)
		i++;
	if (i == types->n) {
		if (!array_add(types, sizeof *type))
			return -ENOMEM;
		type = types->data;
		type[i] = (struct summary_kernel_type){ .op_type = kernel->op_type };
	}
	type[i].n += kernel->duration.n;
	type[i].total_ns = stats_sum(type[i].total_ns, kernel->duration.total_ns);
	return 0;
}

static int make_streams(struct summary_maker *maker, struct end *end)
{
	struct kernels *all = maker->kernels;
	const struct line *line = all->streams.data;

	for (size_t i = 0; i < all->streams.n; i++) {
		struct summary_stream *row = array_add(&end->streams, sizeof *row);

		if (!row)
			return -ENOMEM;
		*row = line[i].row;
		row->process = process_at(maker, row->process)->index;
		row->name = maker->tracks[row->track].def.name;
	}
	return 0;
}

int sum_kernels_make(struct summary_maker *maker, struct end *end)
{
	struct kernels *all = maker->kernels;
	struct kernel *kernel = all ? all->all.rows.data : NULL;
	int rc = 0;

	for (size_t i = 0; all && i < all->all.rows.n; i++) {
		struct summary_kernel *row = array_add(&end->kernels, sizeof *row);

		if (!row)
			return -ENOMEM;
		*row = (struct summary_kernel){ kernel[i].name, kernel[i].op_type, sum_spread(&kernel[i].durations) };
	}
	if (!all)
		return 0;
	if (end->kernels.n)
		qsort(end->kernels.data, end->kernels.n, sizeof(struct summary_kernel), by_total);
	for (size_t i = 0; !rc && i < end->kernels.n; i++) {
		const struct summary_kernel *row = (struct summary_kernel *)end->kernels.data + i;

		maker->to->kernels_ns = stats_sum(maker->to->kernels_ns, row->duration.total_ns);
		rc = add_to_type(&end->kernel_types, row);
	}
	if (!rc && end->kernel_types.n)
		qsort(end->kernel_types.data, end->kernel_types.n, sizeof(struct summary_kernel_type), by_type_total);
	maker->to->n_kernels_left_out = all->all.n_left_out;
	return rc ? rc : make_streams(maker, end);
}

void sum_kernels_done(struct summary_maker *maker)
{
	struct kernels *all = maker->kernels;
	struct kernel *kernel = all ? all->all.rows.data : NULL;

	for (size_t i = 0; all && i < all->all.rows.n; i++)
		stats_done(&kernel[i].durations);
	if (all) {
		sum_rows_done(&all->all);
		array_done(&all->streams, sizeof(struct line));
		keys_done(&all->stream_keys);
	}
	free(all);
}
