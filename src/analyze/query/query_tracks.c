// SPDX-License-Identifier: Apache-2.0
/*
 * The tracks of a store as a query sees them: slices of all of them under one numbering, the slice around each, and
 * which inference, session and model a slice belongs to. What takes memory is made when it is first asked for.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/query/query_in.h"

static uint32_t kinds_of(const struct store_slices *slices)
{
	uint32_t kinds = 0;

	for (size_t i = 0; i < slices->n; i++)
		kinds |= 1u << (slices->kind[i] & 31);
	return kinds;
}

static void fill(struct query *query, struct query_track *to, const struct store_track *track)
{
	uint32_t process = store_process_of(query->store, track->id);

	*to = (struct query_track){ .track = track,
				    .base = query->n_rows,
				    .process = process,
				    .pid = process ? store_track(query->store, process)->def.pid : track->def.pid,
				    .tid = track->def.type == TRACK_THREAD ? track->def.tid : 0,
				    .kinds = kinds_of(&track->slices) };
	query->n_rows += track->slices.n;
}

int query_tracks_init(struct query *query)
{
	uint32_t n = store_n_tracks(query->store);

	query->tracks = calloc(n ? n : 1, sizeof *query->tracks);
	if (!query->tracks)
		return -ENOMEM;
	for (uint32_t id = 1; id <= n; id++) {
		const struct store_track *track = store_track(query->store, id);

		if (track && track->slices.n)
			fill(query, &query->tracks[query->n_tracks++], track);
	}
	return 0;
}

void query_tracks_done(struct query *query)
{
	for (size_t i = 0; i < query->n_tracks; i++)
		free(query->tracks[i].parent);
	free(query->tracks);
	keys_done(&query->runs);
	array_done(&query->run_at, sizeof(uint64_t));
	keys_done(&query->sessions);
	array_done(&query->session_at, sizeof(uint32_t));
}

static bool has_row(const struct query_track *track, uint64_t row)
{
	return row >= track->base && row - track->base < track->track->slices.n;
}

const struct query_track *query_track_of(const struct query *query, uint64_t row, const struct query_track *near)
{
	size_t low = 0, high = query->n_tracks;

	if (near && has_row(near, row))
		return near;
	while (high - low > 1) {
		size_t middle = low + (high - low) / 2;

		if (query->tracks[middle].base <= row)
			low = middle;
		else
			high = middle;
	}
	return low < query->n_tracks && has_row(&query->tracks[low], row) ? &query->tracks[low] : NULL;
}

const uint32_t *query_parents(const struct query *query, const struct query_track *track)
{
	const struct store_slices *slices = &track->track->slices;
	struct query_track *own = &query->tracks[track - query->tracks];
	uint32_t *last, *parent;

	if (own->parent)
		return own->parent;
	parent = malloc(slices->n * sizeof *parent);
	last = malloc((STORE_MAX_DEPTH + 1) * sizeof *last);
	if (!parent || !last) {
		free(parent);
		free(last);
		return NULL;
	}
	for (size_t i = 0; i <= STORE_MAX_DEPTH; i++)
		last[i] = QUERY_NO_ROW;
	for (size_t row = 0; row < slices->n; row++) {
		uint16_t depth = slices->depth[row];

		parent[row] = depth && depth <= STORE_MAX_DEPTH ? last[depth - 1] : QUERY_NO_ROW;
		if (depth <= STORE_MAX_DEPTH)
			last[depth] = (uint32_t)row;
	}
	free(last);
	return own->parent = parent;
}

static bool add_runs(struct query *query, const struct query_track *track)
{
	const struct store_slices *slices = &track->track->slices;

	for (size_t row = 0; row < slices->n; row++) {
		uint32_t number;
		uint64_t *at;

		if (slices->kind[row] != KIND_INFERENCE || !slices->inference[row])
			continue;
		number = keys_number(&query->runs, track->process, slices->inference[row]);
		if (number == KEYS_NONE)
			return false;
		if (number < query->run_at.n)
			continue;
		at = array_add(&query->run_at, sizeof *at);
		if (!at)
			return false;
		*at = track->base + row;
	}
	return true;
}

bool query_find_run(struct query *query, uint32_t process, uint32_t number, uint64_t *row)
{
	uint32_t found;

	for (size_t i = 0; !query->has_runs && i < query->n_tracks; i++)
		if (query->tracks[i].kinds >> KIND_INFERENCE & 1 && !add_runs(query, &query->tracks[i]))
			return false;
	query->has_runs = true;
	found = number ? keys_find(&query->runs, process, number) : KEYS_NONE;
	if (found == KEYS_NONE)
		return false;
	*row = ((const uint64_t *)query->run_at.data)[found];
	return true;
}

uint32_t query_process_track(const struct query *query, uint32_t process)
{
	return process < query->summary->n_processes ? query->summary->processes[process].track : 0;
}

static bool add_sessions(struct query *query)
{
	for (uint32_t i = 0; i < query->summary->n_sessions; i++) {
		const struct summary_session *session = &query->summary->sessions[i];
		uint32_t number, *at;

		if (session->number < 0)
			continue;
		number = keys_number(&query->sessions, query_process_track(query, session->process),
				     (uint64_t)session->number);
		if (number == KEYS_NONE)
			return false;
		if (number < query->session_at.n)
			continue;
		at = array_add(&query->session_at, sizeof *at);
		if (!at)
			return false;
		*at = i;
	}
	return true;
}

static bool query_find_session(struct query *query, uint32_t process, int64_t number, size_t *row)
{
	uint32_t found;

	if (!query->has_sessions && !add_sessions(query))
		return false;
	query->has_sessions = true;
	found = number >= 0 ? keys_find(&query->sessions, process, (uint64_t)number) : KEYS_NONE;
	if (found == KEYS_NONE)
		return false;
	*row = ((const uint32_t *)query->session_at.data)[found];
	return true;
}

static void go_to(const struct query_at *from, uint64_t row, struct query_at *to)
{
	const struct query_track *in = query_track_of(from->query, row, from->in);

	*to = (struct query_at){ from->query, in, in->track, (size_t)(row - in->base) };
}

bool query_run_of(const struct query_at *at, struct query_at *run)
{
	uint64_t row;

	if (at->track->slices.kind[at->row] == KIND_INFERENCE) {
		*run = *at;
		return true;
	}
	if (!query_find_run(at->query, at->in->process, at->track->slices.inference[at->row], &row))
		return false;
	go_to(at, row, run);
	return true;
}

bool query_creation_of(const struct query_at *at, struct query_at *creation)
{
	const struct store_slices *slices = &at->track->slices;
	const uint32_t *parents = slices->depth[at->row] ? query_parents(at->query, at->in) : NULL;
	size_t row = at->row;

	while (slices->kind[row] != KIND_SESSION) {
		if (!parents || parents[row] == QUERY_NO_ROW)
			return false;
		row = parents[row];
	}
	*creation = *at;
	creation->row = row;
	return true;
}

uint32_t query_run_id(const struct query_at *at)
{
	struct query_at run;

	if (!query_run_of(at, &run) || run.in->base + run.row >= UINT32_MAX)
		return 0;
	return (uint32_t)(run.in->base + run.row + 1);
}

uint32_t query_model_name(const struct query_at *at)
{
	uint32_t model = store_text(query_arg(at, KEY_MODEL));

	return model ? model : at->track->slices.name[at->row];
}

/* The slice that knows its session: the inference, or the creation around it. */
static bool owner_of(const struct query_at *at, struct query_at *owner)
{
	return query_run_of(at, owner) || query_creation_of(at, owner);
}

uint32_t query_session_id(const struct query_at *at)
{
	struct query_at owner;
	size_t row;

	if (!owner_of(at, &owner) ||
	    !query_find_session(at->query, at->in->process, store_int(query_arg(&owner, KEY_SESSION), -1), &row))
		return 0;
	return (uint32_t)row + 1;
}

/* Without a session: the model of that name, if there is one. */
static uint32_t model_named(const struct query *query, uint32_t name)
{
	for (uint32_t i = 0; name && i < query->summary->n_models; i++)
		if (query->summary->models[i].name == name)
			return i + 1;
	return 0;
}

uint32_t query_model_id(const struct query_at *at)
{
	uint32_t session = query_session_id(at);
	struct query_at owner;

	if (session && at->query->summary->sessions[session - 1].model < at->query->summary->n_models)
		return at->query->summary->sessions[session - 1].model + 1;
	return owner_of(at, &owner) ? model_named(at->query, query_model_name(&owner)) : 0;
}
