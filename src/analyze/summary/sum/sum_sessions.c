// SPDX-License-Identifier: Apache-2.0
/*
 * Session creations: every slice inside one gives its own time, less that of slices inside it, to a phase;
 * what is left of the session itself is unattributed. So the phases add up to the whole, however deep
 * transformers call each other. Which session it was is known when its slice has ended.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/summary/sum_in.h"
#include "analyze/summary/sum_slow.h"
#include "event/phase.h"

/* A creation that is open. */
struct opening {
	uint32_t process;
	uint64_t phase_ns[N_PHASES], phase_n[N_PHASES];
	uint64_t n_prepacked, n_capabilities, n_compared;
	uint64_t wait_ns; /* what has ended did not last as long as it waited: it is of what comes next */
	struct keys keys;
	struct array transformers; /* struct summary_transformer */
};

static bool starts_with(const char *text, const char *start)
{
	return !strncmp(text, start, strlen(start));
}

/* It was folded: its inferences go where they went before. */
static void come_back(const struct summary_maker *maker, struct session *session)
{
	const struct array *folded = &process_at(maker, session->process)->folded;
	uint64_t number = session->row.number > 0 ? (uint64_t)session->row.number : 0;
	uint32_t bucket = number < folded->n ? ((const uint32_t *)folded->data)[number] : 0;
	const struct bucket *of = bucket ? bucket_at(maker, bucket - 1) : NULL;

	if (!of)
		return;
	session->bucket = bucket - 1;
	session->row.name = of->name;
	session->row.path = of->settings.path;
	session->row.providers = of->settings.providers;
	session->row.options = of->settings.options;
	session->row.runtime = of->settings.runtime;
	session->named = MET_NOTE;
	session->is_back = true;
}

static struct session *add_session(struct summary_maker *maker, uint32_t process, int64_t number, uint32_t model_name,
				   enum met met)
{
	struct session *session = array_add(&maker->sessions, sizeof *session);

	if (!session)
		return NULL;
	*session = (struct session){
		.row = { .number = number > 0 ? number : -1, .name = model_name, .bytes = -1, .made_in = SUMMARY_NONE },
		.process = process,
		.bucket = NONE,
		.named = met,
		.met = MET_NEVER
	};
	come_back(maker, session);
	if (maker->sessions.n > MAX_SESSION_SPREADS)
		return session;
	session->latency = calloc(1, sizeof *session->latency);
	if (!session->latency)
		return NULL;
	session->latency->limit = SESSION_LIMIT;
	return session;
}

/* One of unknown number is that of its model. */
static uint64_t key_of(int64_t number, uint32_t model_name)
{
	return number > 0 ? (uint64_t)number : (uint64_t)1 << 63 | model_name;
}

uint32_t sum_sessions_known(const struct summary_maker *maker, uint32_t process, int64_t number, uint32_t model_name)
{
	return keys_find(&maker->session_keys, process, key_of(number, model_name));
}

struct session *sum_sessions_find(struct summary_maker *maker, uint32_t process, int64_t number, uint32_t model_name,
				  enum met met)
{
	uint64_t key = key_of(number, model_name);
	const struct session *last =
	    maker->last_session < maker->sessions.n ? session_at(maker, maker->last_session) : NULL;
	bool is_last = last && last->key == key && last->process == process;
	uint32_t index = is_last ? maker->last_session : keys_find(&maker->session_keys, process, key);
	struct session *session;

	if (index == NONE) {
		if (keys_number(&maker->session_keys, process, key) == NONE)
			return NULL;
		session = add_session(maker, process, number, model_name, met);
		if (!session)
			return NULL;
		session->key = key;
	} else {
		session = session_at(maker, index);
	}
	maker->last_session = (uint32_t)(session - session_at(maker, 0));
	session->used_at = maker->n_used++;
	if (met < session->met) {
		session->met = met;
		session->met_at = maker->n_met++;
		session->met_on = 0;
	}
	return session;
}

int sum_sessions_begin(struct summary_maker *maker, struct track *track, uint64_t begin_ns)
{
	struct opening *opening = calloc(1, sizeof *opening);

	track->opening = opening;
	if (!opening)
		return -ENOMEM;
	opening->process = sum_process_of(maker, track);
	return sum_creations_begin(&process_at(maker, opening->process)->creations, begin_ns);
}

static void sum_sessions_drop(struct track *track)
{
	struct opening *opening = track->opening;

	if (!opening)
		return;
	keys_done(&opening->keys);
	array_done(&opening->transformers, sizeof(struct summary_transformer));
	free(opening);
	track->opening = NULL;
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

static enum summary_phase phase_of(const struct summary_maker *maker, const struct slice *slice)
{
	const char *name = names_text(maker->names, slice->name);

	if (slice->kind == KIND_LOAD)
		return PHASE_LOAD;
	if (slice->kind == KIND_PROVIDER_READY)
		return PHASE_PROVIDER;
	if (slice->kind == KIND_PHASE)
		return phase_named(name);
	if (slice->kind != KIND_SPECIALIZE)
		return PHASE_OTHER;
	if (facts_have(&slice->facts, FACT_CAPABILITIES) || starts_with(name, "partition"))
		return PHASE_PARTITION;
	if (starts_with(name, "compile"))
		return PHASE_COMPILE;
	if (!strcmp(name, "allocate tensors")) /* prepares each operator, too */
		return PHASE_KERNELS;
	if (facts_have(&slice->facts, FACT_OP_TYPE) || starts_with(name, "pre-pack") || starts_with(name, "prepack"))
		return PHASE_PREPACK;
	if (!strcmp(name, "weights") || !strcmp(name, "session_initialization")) /* the latter: all phases in one */
		return PHASE_OTHER;
	return PHASE_TRANSFORM;
}

int sum_sessions_add_transformer(struct keys *keys, struct array *to, uint32_t of,
				 const struct summary_transformer *row)
{
	uint32_t n = keys->n, index = keys_number(keys, of, row->name);
	struct summary_transformer *at;

	if (index == NONE || (index == n && !array_add(to, sizeof *at)))
		return -ENOMEM;
	at = (struct summary_transformer *)to->data + index;
	at->model = of;
	at->name = row->name;
	at->n += row->n;
	at->n_told += row->n_told;
	at->n_changed += row->n_changed;
	at->self_ns = stats_sum(at->self_ns, row->self_ns);
	return 0;
}

/* Written once the load is over: which of its parts waited is not known, so each did for its share. */
static void add_wait_of_load(struct opening *opening, uint64_t wait_ns)
{
	static const enum summary_phase parts[] = { PHASE_LOAD, PHASE_READ, PHASE_PARSE, PHASE_BUILD };
	uint64_t whole_ns = 0, taken_ns = 0;

	for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
		whole_ns += opening->phase_ns[parts[i]];
	wait_ns = wait_ns < whole_ns ? wait_ns : whole_ns;
	for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
		uint64_t ns =
		    (uint64_t)((double)opening->phase_ns[parts[i]] * (double)wait_ns / (double)(whole_ns + !whole_ns));

		opening->phase_ns[parts[i]] -= ns;
		taken_ns += ns;
	}
	opening->phase_ns[PHASE_WAITING] += taken_ns;
}

/* What is left of the time of a slice without its wait for a CPU, which is a phase of its own. */
static uint64_t without_wait(struct opening *opening, const struct slice *slice, uint64_t self_ns)
{
	uint64_t wait_ns = stats_sum(opening->wait_ns, sum_at_least_0(fact_int(&slice->facts, FACT_RUN_QUEUE, 0)));
	uint64_t own_ns = wait_ns < self_ns ? wait_ns : self_ns;

	opening->wait_ns = wait_ns - own_ns;
	opening->phase_ns[PHASE_WAITING] += own_ns;
	return self_ns - own_ns;
}

int sum_sessions_inside(struct track *track, const struct summary_maker *maker, const struct slice *slice,
			uint64_t self_ns)
{
	struct opening *opening = track->opening;
	enum summary_phase phase = phase_of(maker, slice);
	struct summary_transformer row = { .name = slice->name, .n = 1, .self_ns = self_ns };
	int64_t count;

	/* the innermost one: what is around it took its own time */
	if (slice->is_halted && !slice->has_halted) {
		opening->phase_ns[PHASE_HALTED] += self_ns;
		opening->phase_n[PHASE_HALTED]++;
		return 0;
	}
	if (phase != PHASE_LOAD)
		self_ns = row.self_ns = without_wait(opening, slice, self_ns);
	opening->phase_ns[phase] += self_ns;
	if (phase == PHASE_LOAD && facts_have(&slice->facts, FACT_RUN_QUEUE))
		add_wait_of_load(opening, sum_at_least_0(fact_int(&slice->facts, FACT_RUN_QUEUE, 0)));
	/* pre-packing as a whole contains a slice for each kernel */
	opening->phase_n[phase] += phase != PHASE_PREPACK || slice->kind != KIND_PHASE;
	if (phase == PHASE_PLAN) {
		count = fact_int(&slice->facts, FACT_COUNT, 0);
		opening->n_compared += count > 0 ? (uint64_t)count : 0;
	} else if (phase == PHASE_PREPACK && slice->kind != KIND_PHASE) {
		count = fact_int(&slice->facts, FACT_COUNT, 1);
		opening->n_prepacked += count > 0 ? (uint64_t)count : 0;
	} else if (phase == PHASE_PARTITION) {
		count = fact_int(&slice->facts, FACT_CAPABILITIES, 0);
		opening->n_capabilities += count > 0 ? (uint64_t)count : 0;
	} else if (phase == PHASE_TRANSFORM) {
		row.n_told = facts_have(&slice->facts, FACT_MODIFIED);
		row.n_changed = fact_int(&slice->facts, FACT_MODIFIED, 0) == 1;
		return sum_sessions_add_transformer(&opening->keys, &opening->transformers, 0, &row);
	}
	return 0;
}

/* The session of a creation that has ended. One without a number, or a second one of a number, is one of its own. */
static struct session *session_of(struct summary_maker *maker, uint32_t process, const struct slice *slice)
{
	int64_t number = fact_int(&slice->facts, FACT_SESSION, -1);
	uint32_t model = fact_text(&slice->facts, FACT_MODEL);
	struct session *session;

	if (!model)
		model = slice->name;
	session = sum_sessions_find(maker, process, number, model, MET_CREATION);
	if (session && session->row.has_slice) {
		session =
		    sum_sessions_find(maker, process, INT64_MAX - (int64_t)maker->n_nameless++, model, MET_CREATION);
		if (session)
			session->row.number = number > 0 ? number : -1;
	}
	if (session && (session->named > MET_CREATION || !session->row.name)) {
		session->row.name = model;
		session->named = MET_CREATION;
	}
	return session;
}

static void add_opening(struct session *to, struct opening *opening)
{
	memcpy(to->row.phase_ns, opening->phase_ns, sizeof opening->phase_ns);
	memcpy(to->row.phase_n, opening->phase_n, sizeof opening->phase_n);
	to->n_prepacked = opening->n_prepacked;
	to->n_capabilities = opening->n_capabilities;
	to->n_compared = opening->n_compared;
	array_done(&to->transformers, sizeof(struct summary_transformer));
	to->transformers = opening->transformers;
	opening->transformers = (struct array){ 0 };
}

/* What no slice inside explains. */
static void add_rest(const struct summary_maker *maker, struct opening *opening, const struct slice *slice,
		     uint64_t end_ns)
{
	const struct halts *halts = &process_at(maker, opening->process)->halts;
	uint64_t rest_ns = end_ns - slice->begin_ns - slice->inside_ns, halted_ns = 0, most_ns;

	if (slice->is_halted && !slice->has_halted)
		halted_ns = halts_within(halts, slice->begin_ns, end_ns, &most_ns);
	halted_ns = halted_ns < rest_ns ? halted_ns : rest_ns;
	opening->phase_ns[PHASE_HALTED] += halted_ns;
	opening->phase_n[PHASE_HALTED] += halted_ns != 0;
	opening->phase_ns[PHASE_UNATTRIBUTED] += without_wait(opening, slice, rest_ns - halted_ns);
	opening->phase_n[PHASE_WAITING] += opening->phase_ns[PHASE_WAITING] != 0;
}

int sum_sessions_end(struct summary_maker *maker, struct track *track, const struct slice *slice, uint64_t end_ns)
{
	struct opening *opening = track->opening;
	uint32_t status = names_keep(maker->names, fact_text(&slice->facts, FACT_STATUS));
	struct session *session = session_of(maker, opening->process, slice);
	int rc = session ? 0 : -ENOMEM;

	if (session) {
		session->row.has_slice = true;
		session->row.begin_ns = slice->begin_ns;
		session->row.end_ns = end_ns;
		session->met_on = session->met == MET_CREATION ? (uint32_t)(track - maker->tracks) : session->met_on;
		if (status)
			session->row.status = status;
		session->row.is_failed |= sum_is_failure(maker, status);
		if (end_ns != STORE_OPEN)
			add_rest(maker, opening, slice, end_ns);
		session->row.has_waits = facts_have(&slice->facts, FACT_RUN_QUEUE);
		session->row.caller = names_keep(maker->names, fact_text(&slice->facts, FACT_CALLER));
		session->n_pool = sum_at_least_0(fact_int(&slice->facts, FACT_POOL_THREADS, 0));
		session->pool_cpu_ns = sum_at_least_0(fact_int(&slice->facts, FACT_POOL_CPU, 0));
		add_opening(session, opening);
		if (end_ns != STORE_OPEN)
			rc = sum_creations_end(maker, opening->process, slice->begin_ns, end_ns);
	}
	sum_sessions_drop(track);
	return rc;
}

void sum_sessions_free(struct session *session)
{
	if (session->latency)
		stats_done(session->latency);
	free(session->latency);
	session->latency = NULL;
	array_done(&session->transformers, sizeof(struct summary_transformer));
}

void sum_sessions_done(struct summary_maker *maker)
{
	for (uint32_t i = 0; i < maker->sessions.n; i++)
		sum_sessions_free(session_at(maker, i));
	for (uint32_t id = 1; id <= maker->n_tracks; id++)
		sum_sessions_drop(&maker->tracks[id]);
	array_done(&maker->sessions, sizeof(struct session));
	array_done(&maker->transformers, sizeof(struct summary_transformer));
	array_done(&maker->listed, sizeof(struct session));
	keys_done(&maker->session_keys);
	keys_done(&maker->transformer_keys);
}
