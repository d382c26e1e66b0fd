// SPDX-License-Identifier: Apache-2.0
/*
 * Models as programs run them: the rows of one name and runtime in processes of one name, as one. Made anew at each
 * roll, from what the rows show, of which nothing is borrowed: rows come and go between two rolls.
 */
#include <stdlib.h>
#include <string.h>

#include "analyze/live/live_in.h"

static bool is_of(const struct live_joined *joined, const struct live_row *row)
{
	return !strcmp(joined->shown.name, row->shown.name) && !strcmp(joined->shown.runtime, row->shown.runtime) &&
	       !strcmp(joined->shown.process_name, row->shown.process_name);
}

/* It stays the same while processes come and go. */
static uint64_t id_of(const struct live_model *model)
{
	uint64_t hash = UINT64_C(14695981039346656037);

	for (const char *at = model->name; *at; at++)
		hash = (hash ^ (unsigned char)*at) * UINT64_C(1099511628211);
	for (const char *at = model->process_name; *at; at++)
		hash = (hash ^ (unsigned char)*at ^ 0x80) * UINT64_C(1099511628211);
	for (const char *at = model->runtime; *at; at++)
		hash = (hash ^ (unsigned char)*at) * UINT64_C(1099511628211);
	return hash | UINT64_C(1) << 63;
}

static void done(struct live_joined *joined)
{
	array_done(&joined->nodes, sizeof(struct live_operator));
	array_done(&joined->types, sizeof(struct live_operator));
}

static struct live_joined *joined_of(struct live *live, const struct live_row *row)
{
	struct live_joined *joined;

	for (uint32_t i = 0; i < live->n_joined; i++)
		if (is_of(&live->joined[i], row))
			return &live->joined[i];
	joined = &live->joined[live->n_joined++];
	*joined = (struct live_joined){ .shown = row->shown };
	joined->shown.id = id_of(&row->shown);
	return joined;
}

/* Members in the order of what they belong to. */
static void group(struct live *live)
{
	uint32_t of[LIVE_MODELS], n = 0;

	for (uint32_t i = 0; i < live->n_rows; i++) {
		struct live_joined *joined = joined_of(live, live->row[i]);

		of[i] = (uint32_t)(joined - live->joined);
		joined->n++;
	}
	for (uint32_t i = 0; i < live->n_joined; i++) {
		live->joined[i].first = n;
		for (uint32_t k = 0; k < live->n_rows; k++)
			if (of[k] == i)
				live->member[n++] = live->row[k]->shown.id;
	}
}

/* None has gone since the rows were grouped. */
static const struct live_row *row_at(const struct live *live, const struct live_joined *joined, uint32_t index)
{
	return live_row_of(live, live->member[joined->first + index]);
}

static void join_firsts(struct live *live, struct live_joined *joined)
{
	struct live_histogram *all = &live->merged;

	memset(all, 0, sizeof *all);
	for (uint32_t i = 0; i < joined->n; i++)
		if (row_at(live, joined, i)->firsts)
			live_histogram_merge(all, row_at(live, joined, i)->firsts);
	joined->shown.window_firsts = all->n_all;
	joined->shown.first_token_ns = live_histogram_quantile(all, 0.5, false);
	joined->shown.first_token_p99_ns = live_histogram_quantile(all, 0.99, false);
}

static void join_latencies(struct live *live, struct live_joined *joined)
{
	struct live_histogram *all = &live->merged;

	memset(all, 0, sizeof *all);
	for (uint32_t i = 0; i < joined->n; i++)
		if (row_at(live, joined, i)->histogram)
			live_histogram_merge(all, row_at(live, joined, i)->histogram);
	joined->shown.window_n = all->n_all;
	joined->shown.median_ns = live_histogram_quantile(all, 0.5, false);
	joined->shown.p99_ns = live_histogram_quantile(all, 0.99, false);
}

void live_join_begin(struct live *live)
{
	live_join_done(live);
	group(live);
	for (uint32_t i = 0; i < live->n_joined; i++)
		if (live->joined[i].n > 1) {
			join_latencies(live, &live->joined[i]);
			join_firsts(live, &live->joined[i]);
		}
}

static void add_operator(struct live_operator *to, const struct live_operator *from)
{
	to->n += from->n;
	to->self_ns += from->self_ns;
	to->window_n += from->window_n;
	to->window_ns += from->window_ns;
}

/* Those that no memory is left for are among the others. */
static void add_operators(struct array *to, struct keys *keys, struct live_operator *others,
			  const struct live_operator *from, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++) {
		uint32_t before = keys->n;
		uint32_t index = keys_number(keys, from[i].name, keys_pair(from[i].type, from[i].provider));
		struct live_operator *op = index < to->n ? (struct live_operator *)to->data + index : NULL;

		if (!op && index == before && index == to->n && (op = array_add(to, sizeof *op)))
			*op = (struct live_operator){ .name = from[i].name,
						      .type = from[i].type,
						      .provider = from[i].provider };
		add_operator(op ? op : others, &from[i]);
	}
}

static void join_operators(const struct live *live, struct live_joined *joined)
{
	struct live_model *to = &joined->shown;
	struct keys nodes = { 0 }, types = { 0 };

	to->other_nodes = to->other_types = (struct live_operator){ 0 };
	for (uint32_t i = 0; i < joined->n; i++) {
		const struct live_model *from = &row_at(live, joined, i)->shown;

		add_operators(&joined->nodes, &nodes, &to->other_nodes, from->node, from->n_nodes);
		add_operators(&joined->types, &types, &to->other_types, from->type, from->n_types);
		add_operator(&to->other_nodes, &from->other_nodes);
		add_operator(&to->other_types, &from->other_types);
	}
	keys_done(&nodes);
	keys_done(&types);
	to->node = joined->nodes.data;
	to->n_nodes = (uint32_t)joined->nodes.n;
	to->type = joined->types.data;
	to->n_types = (uint32_t)joined->types.n;
}

/* The one that does most. */
static enum live_phase phase_of(enum live_phase a, enum live_phase b)
{
	if (a == LIVE_OVER || b == LIVE_OVER)
		return a == LIVE_OVER ? b : a;
	return a > b ? a : b;
}

static uint64_t larger(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

static void add_model(struct live_model *to, const struct live_model *from)
{
	/* of those that have ended only if all have */
	if (to->phase == LIVE_OVER && from->phase != LIVE_OVER) {
		to->process = from->process;
		to->pid = from->pid;
		to->n_processes = 0;
	}
	to->n_processes += from->phase != LIVE_OVER || to->phase == LIVE_OVER;
	to->phase = phase_of(to->phase, from->phase);
	to->sum.n += from->sum.n;
	to->sum.n_failed += from->sum.n_failed;
	to->sum.wall_ns += from->sum.wall_ns;
	to->last.n += from->last.n;
	to->last.n_failed += from->last.n_failed;
	to->last.n_tokens += from->last.n_tokens;
	to->last.wall_ns += from->last.wall_ns;
	to->n_tokens += from->n_tokens;
	to->n_generations += from->n_generations;
	to->max_ns = larger(to->max_ns, from->max_ns);
	to->n_open += from->n_open;
	to->open_ns = larger(to->open_ns, from->open_ns);
	to->n_not_ended += from->n_not_ended;
	to->n_created += from->n_created;
	to->n_creations_failed += from->n_creations_failed;
	to->creating_ns += from->creating_ns;
	to->n_sessions += from->n_sessions;
	to->has_more_sessions |= from->has_more_sessions;
	if (!*to->runtime_version)
		memcpy(to->runtime_version, from->runtime_version, sizeof to->runtime_version);
	if (!*to->provider)
		memcpy(to->provider, from->provider, sizeof to->provider);
}

static void show(const struct live *live, struct live_joined *joined)
{
	struct live_model joint = row_at(live, joined, 0)->shown;

	joint.id = joined->shown.id;
	if (joined->n > 1) {
		joint.window_n = joined->shown.window_n;
		joint.median_ns = joined->shown.median_ns;
		joint.p99_ns = joined->shown.p99_ns;
		joint.window_firsts = joined->shown.window_firsts;
		joint.first_token_ns = joined->shown.first_token_ns;
		joint.first_token_p99_ns = joined->shown.first_token_p99_ns;
	}
	for (uint32_t i = 1; i < joined->n; i++)
		add_model(&joint, &row_at(live, joined, i)->shown);
	joined->shown = joint;
	join_operators(live, joined);
}

void live_join_show(struct live *live)
{
	for (uint32_t i = 0; i < live->n_joined; i++)
		show(live, &live->joined[i]);
}

void live_join_done(struct live *live)
{
	for (uint32_t i = 0; i < live->n_joined; i++)
		done(&live->joined[i]);
	live->n_joined = 0;
}

uint32_t live_n_joined(const struct live *live)
{
	return live->n_joined;
}

const struct live_model *live_joined(const struct live *live, uint32_t index)
{
	return index < live->n_joined ? &live->joined[index].shown : NULL;
}

uint32_t live_joined_members(const struct live *live, uint32_t index, const uint64_t **member)
{
	*member = index < live->n_joined ? live->member + live->joined[index].first : NULL;
	return *member ? live->joined[index].n : 0;
}
