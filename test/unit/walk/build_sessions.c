// SPDX-License-Identifier: Apache-2.0
/*
 * Session creations: every slice inside one gives its own time, less that of slices inside it, to a phase;
 * what is left of the session itself is unattributed. So the phases add up to the whole, however deep
 * transformers call each other.
 */
#include <errno.h>
#include <string.h>

#include "event/phase.h"
#include "walk.h"

/* An open slice of the walk over a track. */
struct level {
	size_t row;
	uint64_t inside_ns; /* of the slices directly inside */
};

struct walk {
	struct build *build;
	const struct store_track *track;
	struct level level[STORE_MAX_DEPTH];
	uint32_t n, session_level;    /* session_level: of the session + 1, 0: in none */
	uint32_t session;	      /* index */
	struct keys transformer_keys; /* by session's index and name; build_models groups them by model */
};

static bool starts_with(const char *text, const char *start)
{
	return !strncmp(text, start, strlen(start));
}

#define PHASE_TEXT(name, text) [EVENT_PHASE_##name] = text,

/* Of KIND_PHASE slices. */
static enum summary_phase phase_named(const char *name)
{
	static const char *const names[N_EVENT_PHASES] = { EVENT_PHASES(PHASE_TEXT) };
	static const uint8_t phases[N_EVENT_PHASES] = {
		[EVENT_PHASE_SET_UP] = PHASE_SET_UP,	   [EVENT_PHASE_PARSE] = PHASE_PARSE,
		[EVENT_PHASE_READ] = PHASE_READ,	   [EVENT_PHASE_BUILD] = PHASE_BUILD,
		[EVENT_PHASE_PROVIDERS] = PHASE_PROVIDERS, [EVENT_PHASE_REGISTER] = PHASE_REGISTER,
		[EVENT_PHASE_TRANSFORMERS] = PHASE_SET_UP, [EVENT_PHASE_PREPARE] = PHASE_SET_UP,
		[EVENT_PHASE_COPY] = PHASE_WEIGHTS,	   [EVENT_PHASE_RESOLVE] = PHASE_RESOLVE,
		[EVENT_PHASE_PARTITION] = PHASE_PARTITION, [EVENT_PHASE_LOOK_UP] = PHASE_LOOK_UP,
		[EVENT_PHASE_PLAN] = PHASE_PLAN,	   [EVENT_PHASE_WEIGHTS] = PHASE_WEIGHTS,
		[EVENT_PHASE_KERNELS] = PHASE_KERNELS,	   [EVENT_PHASE_KERNELS_AND_PACK] = PHASE_KERNELS,
		[EVENT_PHASE_PREPACK] = PHASE_PREPACK,	   [EVENT_PHASE_HASH] = PHASE_HASH,
		[EVENT_PHASE_FINISH] = PHASE_SET_UP,
	};

	for (int i = 1; i < N_EVENT_PHASES; i++)
		if (!strcmp(names[i], name))
			return (enum summary_phase)phases[i];
	return PHASE_OTHER;
}

static enum summary_phase phase_of(const struct walk *walk, size_t row)
{
	const struct store_slices *slices = &walk->track->slices;
	const char *name = names_text(walk->build->names, slices->name[row]);
	const struct store *store = walk->build->store;

	if (slices->kind[row] == KIND_LOAD)
		return PHASE_LOAD;
	if (slices->kind[row] == KIND_PROVIDER_READY)
		return PHASE_PROVIDER;
	if (slices->kind[row] == KIND_PHASE)
		return phase_named(name);
	if (slices->kind[row] != KIND_SPECIALIZE)
		return PHASE_OTHER;
	if (store_slice_arg(store, walk->track, row, KEY_CAPABILITIES) || starts_with(name, "partition"))
		return PHASE_PARTITION;
	if (starts_with(name, "compile"))
		return PHASE_COMPILE;
	if (store_slice_arg(store, walk->track, row, KEY_OP_TYPE) || starts_with(name, "pre-pack") ||
	    starts_with(name, "prepack"))
		return PHASE_PREPACK;
	if (!strcmp(name, "weights") || !strcmp(name, "session_initialization")) /* the latter: all phases in one */
		return PHASE_OTHER;
	return PHASE_TRANSFORM;
}

static int add_transformer(struct walk *walk, size_t row, uint64_t self_ns)
{
	uint32_t name = walk->track->slices.name[row], n = walk->transformer_keys.n;
	uint32_t index = keys_number(&walk->transformer_keys, walk->session, name);
	struct summary_transformer *transformer;
	const struct arg *modified;

	if (index == KEYS_NONE || (index == n && !array_add(&walk->build->transformers, sizeof *transformer)))
		return -ENOMEM;
	transformer = (struct summary_transformer *)walk->build->transformers.data + index;
	transformer->model = walk->session;
	transformer->name = name;
	transformer->n++;
	modified = store_slice_arg(walk->build->store, walk->track, row, KEY_MODIFIED);
	transformer->n_told += modified != NULL;
	transformer->n_changed += store_int(modified, 0) == 1;
	transformer->self_ns += self_ns;
	return 0;
}

static struct summary_session *session_at(const struct walk *walk)
{
	return (struct summary_session *)walk->build->sessions.data + walk->session;
}

/* Details of a part of a creation besides its time; only of sessions that were created. */
static int add_facts(struct walk *walk, size_t row, enum summary_phase phase, uint64_t self_ns)
{
	struct summary_session *session = session_at(walk);
	const struct store *store = walk->build->store;
	int64_t count = 0;

	if (session->is_failed || session->end_ns == STORE_OPEN)
		return 0;
	if (phase == PHASE_TRANSFORM)
		return add_transformer(walk, row, self_ns);
	if (phase == PHASE_PLAN) {
		count = store_int(store_slice_arg(store, walk->track, row, KEY_COUNT), 0);
		session->n_compared += count > 0 ? (uint64_t)count : 0;
	} else if (phase == PHASE_PREPACK && walk->track->slices.kind[row] != KIND_PHASE) {
		count = store_int(store_slice_arg(store, walk->track, row, KEY_COUNT), 1);
		session->n_prepacked += count > 0 ? (uint64_t)count : 0;
	} else if (phase == PHASE_PARTITION) {
		count = store_int(store_slice_arg(store, walk->track, row, KEY_CAPABILITIES), 0);
		session->n_capabilities += count > 0 ? (uint64_t)count : 0;
	}
	return 0;
}

/* The innermost slice is complete: its time goes to its phase, and is inside of the one around it. */
static int leave(struct walk *walk)
{
	const struct store_slices *slices = &walk->track->slices;
	struct level *level = &walk->level[--walk->n];
	uint64_t end_ns = slices->end_ns[level->row], whole = end_ns - slices->begin_ns[level->row], self;
	enum summary_phase phase;

	if (end_ns == STORE_OPEN) {
		if (walk->n)
			level[-1].inside_ns += level->inside_ns;
		if (walk->session_level == walk->n + 1)
			walk->session_level = 0;
		return 0;
	}
	if (walk->n)
		level[-1].inside_ns += whole;
	self = whole - level->inside_ns;
	if (walk->session_level == walk->n + 1) {
		session_at(walk)->phase_ns[PHASE_UNATTRIBUTED] += self;
		walk->session_level = 0;
		return 0;
	}
	if (!walk->session_level)
		return 0;
	phase = phase_of(walk, level->row);
	session_at(walk)->phase_ns[phase] += self;
	session_at(walk)->phase_n[phase] += phase != PHASE_PREPACK || slices->kind[level->row] != KIND_PHASE;
	return add_facts(walk, level->row, phase, self);
}

static int enter_session(struct walk *walk, size_t row)
{
	const struct store *store = walk->build->store;
	const struct store_slices *slices = &walk->track->slices;
	int64_t number = store_int(store_slice_arg(store, walk->track, row, KEY_SESSION), -1);
	uint32_t model = store_text(store_slice_arg(store, walk->track, row, KEY_MODEL));
	uint32_t status = store_text(store_slice_arg(store, walk->track, row, KEY_STATUS));
	struct summary_session *session;

	if (!model)
		model = slices->name[row];
	session = build_session(walk->build, walk->build->process_of[walk->track->id], number, model);
	/* one without a number, or a second one of the same number, is a session of its own */
	if (session && session->has_slice)
		session = build_session(walk->build, walk->build->process_of[walk->track->id],
					INT64_MAX - (int64_t)walk->build->sessions.n, model);
	if (!session)
		return -ENOMEM;
	if (session->number > INT64_MAX / 2)
		session->number = number > 0 ? number : -1;
	session->has_slice = true;
	session->begin_ns = slices->begin_ns[row];
	session->end_ns = slices->end_ns[row];
	if (!session->name)
		session->name = model;
	if (status)
		session->status = status;
	session->is_failed |= build_is_failure(walk->build, status);
	if (!session->is_failed && session->end_ns != STORE_OPEN) {
		session->n_pool = (uint64_t)store_int(store_slice_arg(store, walk->track, row, KEY_POOL_THREADS), 0);
		session->pool_cpu_ns =
		    (uint64_t)store_int(store_slice_arg(store, walk->track, row, KEY_POOL_CPU_NS), 0);
	}
	walk->session = (uint32_t)(session - (struct summary_session *)walk->build->sessions.data);
	walk->session_level = walk->n;
	return 0;
}

static int walk_track(struct walk *walk)
{
	const struct store_slices *slices = &walk->track->slices;
	int rc = 0;

	walk->n = walk->session_level = 0;
	for (size_t row = 0; !rc && row < slices->n; row++) {
		while (!rc && walk->n && slices->depth[walk->level[walk->n - 1].row] >= slices->depth[row])
			rc = leave(walk);
		walk->level[walk->n++] = (struct level){ .row = row };
		if (!rc && slices->kind[row] == KIND_SESSION && !walk->session_level)
			rc = enter_session(walk, row);
	}
	while (!rc && walk->n)
		rc = leave(walk);
	return rc;
}

int build_sessions(struct build *build)
{
	struct walk walk = { .build = build };
	int rc = 0;

	for (uint32_t id = 1; !rc && id <= store_n_tracks(build->store); id++) {
		walk.track = store_track(build->store, id);
		if (store_has_kind(walk.track, KIND_SESSION))
			rc = walk_track(&walk);
	}
	keys_done(&walk.transformer_keys);
	return rc;
}
