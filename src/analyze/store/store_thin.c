// SPDX-License-Identifier: Apache-2.0
/*
 * Makes a store fit into so many bytes: what is old loses detail. Slices have a rank by what they are for:
 *
 *	details		operators, kernels, stages, what else lies inside inferences; instants that are no notes
 *	others		inferences, slices of the program
 *	creations	of sessions, with their phases, and preparations of providers
 *	kept		the slowest and the newest failed inferences of each model, with their details
 *
 * Details go first, the oldest first, down to half of the memory; then others; then more details; then creations. A
 * histogram over time finds from when on they stay. What is kept goes only with time (store_forget), which is asked for
 * if all that does not suffice.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/store/store_in.h"

enum { N_BUCKETS = 256, KEPT_OF_MODEL = 32, MOST_MODELS = 256 };
/* Of a slice, at least. */
#define SLICE_BYTES 31

enum rank { RANK_DETAIL, RANK_OTHER, RANK_CREATION, N_RANKS };

struct slow {
	uint64_t ns;
	uint32_t process, inference;
};

struct model {
	uint32_t name;
	uint32_t n_slow, n_failed;
	struct slow slow[KEPT_OF_MODEL], failed[KEPT_OF_MODEL]; /* in no order; the newest, round and round */
};

struct thin {
	struct store_choice choice; /* must be first */
	struct store *store;
	struct keys kept;	 /* (process, inference) */
	struct array models;	 /* struct model */
	uint32_t process;	 /* of the track that is looked at */
	uint64_t from_ns, to_ns; /* of the histogram */
	uint64_t n[N_RANKS][N_BUCKETS];
	uint64_t before_ns[N_RANKS];
	uint64_t n_dropped[N_RANKS];
};

static enum rank rank_of(enum event_kind kind)
{
	switch (kind) {
	case KIND_OPERATOR:
	case KIND_KERNEL:
	case KIND_STAGE:
	case KIND_SETUP:
	case KIND_NONE:
		return RANK_DETAIL;
	case KIND_SESSION:
	case KIND_LOAD:
	case KIND_SPECIALIZE:
	case KIND_PHASE:
	case KIND_PROVIDER_READY:
		return RANK_CREATION;
	default:
		return RANK_OTHER;
	}
}

static struct model *model_of(struct thin *thin, uint32_t name)
{
	struct model *models = thin->models.data, *made;

	for (size_t i = 0; i < thin->models.n; i++)
		if (models[i].name == name)
			return &models[i];
	if (thin->models.n >= MOST_MODELS)
		return &models[0];
	made = array_add(&thin->models, sizeof *made);
	if (made)
		made->name = name;
	return made;
}

static void note_slow(struct model *model, const struct slow *one)
{
	uint32_t least = 0;

	if (model->n_slow < KEPT_OF_MODEL) {
		model->slow[model->n_slow++] = *one;
		return;
	}
	for (uint32_t i = 1; i < KEPT_OF_MODEL; i++)
		if (model->slow[i].ns < model->slow[least].ns)
			least = i;
	if (one->ns > model->slow[least].ns)
		model->slow[least] = *one;
}

static bool has_failed(const struct store *store, const struct store_track *track, size_t row)
{
	uint32_t status = store_text(store_slice_arg(store, track, row, KEY_STATUS));

	return status && strcmp(names_text(store->sink.names, status), "ok") != 0;
}

static int look_at_inference(struct thin *thin, const struct store_track *track, size_t row)
{
	const struct store_slices *slices = &track->slices;
	struct slow one = { slices->end_ns[row] - slices->begin_ns[row], thin->process, slices->inference[row] };
	struct model *model;

	if (!one.inference || slices->end_ns[row] == STORE_OPEN)
		return 0;
	model = model_of(thin, store_text(store_slice_arg(thin->store, track, row, KEY_MODEL)));
	if (!model)
		return -ENOMEM;
	if (has_failed(thin->store, track, row))
		model->failed[model->n_failed++ % KEPT_OF_MODEL] = one;
	else
		note_slow(model, &one);
	return 0;
}

static int find_kept(struct thin *thin)
{
	const struct model *model;
	int rc = 0;

	for (uint32_t id = 1; !rc && id <= thin->store->n_tracks; id++) {
		const struct store_track *track = store_track(thin->store, id);

		if (!store_has_kind(track, KIND_INFERENCE))
			continue;
		thin->process = store_process_of(thin->store, id);
		for (size_t row = 0; !rc && row < track->slices.n; row++)
			if (track->slices.kind[row] == KIND_INFERENCE)
				rc = look_at_inference(thin, track, row);
	}
	model = thin->models.data;
	for (size_t i = 0; !rc && i < thin->models.n; i++) {
		for (uint32_t k = 0; k < model[i].n_slow; k++)
			if (keys_number(&thin->kept, model[i].slow[k].process, model[i].slow[k].inference) == KEYS_NONE)
				rc = -ENOMEM;
		for (uint32_t k = 0; k < model[i].n_failed && k < KEPT_OF_MODEL; k++)
			if (keys_number(&thin->kept, model[i].failed[k].process, model[i].failed[k].inference) ==
			    KEYS_NONE)
				rc = -ENOMEM;
	}
	return rc;
}

static bool is_of_kept(const struct thin *thin, uint32_t inference)
{
	return inference && keys_find(&thin->kept, thin->process, inference) != KEYS_NONE;
}

static uint32_t bucket_of(const struct thin *thin, uint64_t time_ns)
{
	uint64_t step = (thin->to_ns - thin->from_ns) / N_BUCKETS + 1;

	return time_ns <= thin->from_ns ? 0 : (uint32_t)((time_ns - thin->from_ns) / step);
}

static void count_all(struct thin *thin)
{
	const struct store *store = thin->store;
	const struct store_instant *instant = store->instants.data;

	thin->to_ns = store->counts.last_ns;
	thin->from_ns = thin->to_ns;
	for (uint32_t id = 1; id <= store->n_tracks; id++) {
		const struct store_track *track = store_track(store, id);

		if (track && track->slices.n && track->slices.begin_ns[0] < thin->from_ns)
			thin->from_ns = track->slices.begin_ns[0];
	}
	for (uint32_t id = 1; id <= store->n_tracks; id++) {
		const struct store_track *track = store_track(store, id);
		const struct store_slices *slices = track ? &track->slices : NULL;

		thin->process = store_process_of(store, id);
		for (size_t row = 0; slices && row < slices->n; row++)
			if (slices->end_ns[row] != STORE_OPEN && !is_of_kept(thin, slices->inference[row]))
				thin->n[rank_of((enum event_kind)slices->kind[row])]
				       [bucket_of(thin, slices->begin_ns[row])]++;
	}
	for (size_t i = 0; i < store->instants.n; i++)
		if (instant[i].kind != KIND_NOTE)
			thin->n[RANK_DETAIL][bucket_of(thin, instant[i].time_ns)]++;
}

/* From when on a rank stays, so that about `bytes` go; how many go. */
static uint64_t choose(struct thin *thin, enum rank rank, uint64_t bytes)
{
	uint64_t step = (thin->to_ns - thin->from_ns) / N_BUCKETS + 1, n = 0;
	uint32_t bucket = 0;

	while (bucket < N_BUCKETS && n * SLICE_BYTES < bytes)
		n += thin->n[rank][bucket++];
	thin->before_ns[rank] = bucket ? thin->from_ns + bucket * step : 0;
	return n * SLICE_BYTES;
}

static void choose_all(struct thin *thin, uint64_t need, uint64_t max_bytes)
{
	uint64_t details = 0, most, gone, others = 0;

	for (uint32_t i = 0; i < N_BUCKETS; i++)
		details += thin->n[RANK_DETAIL][i] * SLICE_BYTES;
	most = details > max_bytes / 2 ? details - max_bytes / 2 : 0;
	gone = choose(thin, RANK_DETAIL, need < most ? need : most);
	if (gone < need)
		others = choose(thin, RANK_OTHER, need - gone);
	if (gone + others < need)
		gone = choose(thin, RANK_DETAIL, need - others);
	if (gone + others < need)
		choose(thin, RANK_CREATION, need - others - gone);
}

static bool keeps_slice(const struct store_choice *choice, const struct track *track, size_t row)
{
	struct thin *thin = (struct thin *)choice;
	const struct store_slices *slices = &track->view.slices;
	enum rank rank = rank_of((enum event_kind)slices->kind[row]);

	if (slices->begin_ns[row] >= thin->before_ns[rank] || slices->end_ns[row] == STORE_OPEN ||
	    slices->end_ns[row] >= thin->to_ns || is_of_kept(thin, slices->inference[row]))
		return true;
	thin->n_dropped[rank]++;
	return false;
}

static bool keeps_instant(const struct store_choice *choice, const struct store_instant *instant)
{
	struct thin *thin = (struct thin *)choice;

	if (instant->kind == KIND_NOTE || instant->time_ns >= thin->before_ns[RANK_DETAIL])
		return true;
	thin->n_dropped[RANK_DETAIL]++;
	return false;
}

static int drop(struct thin *thin)
{
	struct store *store = thin->store;

	store->version++;
	for (uint32_t id = 1; id <= store->n_tracks; id++) {
		struct track *track = store_in_track(store, id);

		thin->process = store_process_of(store, id);
		if (track)
			store_in_drop_slices(store, track, &thin->choice);
	}
	store_in_drop_instants(store, &thin->choice);
	return store_in_drop_lists(store);
}

static void note(struct thin *thin)
{
	struct store_thinned *to = &thin->store->thinned;

	if (thin->before_ns[RANK_DETAIL] > to->before_ns)
		to->before_ns = thin->before_ns[RANK_DETAIL];
	if (thin->before_ns[RANK_OTHER] > to->inferences_before_ns)
		to->inferences_before_ns = thin->before_ns[RANK_OTHER];
	to->n_details += thin->n_dropped[RANK_DETAIL];
	to->n_inferences += thin->n_dropped[RANK_OTHER] + thin->n_dropped[RANK_CREATION];
}

/* Half of the time that is kept, again and again. */
static int forget_more(struct store *store, uint64_t max_bytes)
{
	int rc = 0;

	for (int i = 0; !rc && i < 20 && store_used_bytes(store) > max_bytes; i++) {
		uint64_t from_ns =
		    store->kept_from_ns > store->counts.first_ns ? store->kept_from_ns : store->counts.first_ns;

		rc = store_forget(store, from_ns + (store->counts.last_ns - from_ns) / 2 + 1);
	}
	return rc;
}

int store_thin(struct store *store, uint64_t max_bytes)
{
	uint64_t used = store_used_bytes(store);
	struct thin *thin;
	int rc;

	if (used <= max_bytes)
		return 0;
	thin = calloc(1, sizeof *thin);
	if (!thin)
		return -ENOMEM;
	thin->store = store;
	thin->choice = (struct store_choice){ keeps_slice, keeps_instant };
	rc = find_kept(thin);
	if (!rc) {
		count_all(thin);
		choose_all(thin, used - max_bytes, max_bytes);
		rc = drop(thin);
		note(thin);
	}
	keys_done(&thin->kept);
	array_done(&thin->models, sizeof(struct model));
	free(thin);
	return rc ? rc : forget_more(store, max_bytes + max_bytes / 4);
}
