// SPDX-License-Identifier: Apache-2.0
/* Writes counters, arena growths and notes of a process's memory. Does not add up anything. */
#include <stdio.h>
#include <stdlib.h>

#include "capture/decode/decode_in.h"

enum { SECOND_NS = 1000000000, ALL_AGAIN_S = 60, ARGS = 30, MAX_COUNTERS = 64, MANY_ACCOUNTS = 4096 };

static int define(struct sink *out, const struct track_def *def, uint32_t *track, struct err *err)
{
	struct event event = { .type = EVENT_TRACK, .track = sink_new_track(out), .def = def };

	*track = event.track;
	return sink_put(out, &event, err);
}

static int define_group(struct memory *memory, struct sink *out, struct err *err)
{
	struct track_def group = { .type = TRACK_GROUP,
				   .parent = memory->process_track,
				   .name = names_of(out->names, EVENT_MEMORY_GROUP) };

	return memory->group ? 0 : define(out, &group, &memory->group, err);
}

static int define_level(struct memory *memory, struct memory_level *level, const char *name, struct sink *out,
			struct err *err)
{
	struct track_def counter = { .type = TRACK_COUNTER, .unit = names_of(out->names, "bytes") };
	int code = define_group(memory, out, err);

	if (code || level->track)
		return code;
	counter.parent = memory->group;
	counter.name = names_of(out->names, name);
	return define(out, &counter, &level->track, err);
}

static int put_value(uint32_t track, uint64_t time_ns, uint64_t bytes, struct sink *out, struct err *err)
{
	struct event event = { .type = EVENT_COUNTER, .track = track, .time_ns = time_ns, .value = (double)bytes };

	return sink_put(out, &event, err);
}

static int put_level(struct memory *memory, struct memory_level *level, const char *name, struct sink *out,
		     struct err *err)
{
	int code = level->has_changed ? define_level(memory, level, name, out, err) : 0;

	if (code || !level->has_changed)
		return code;
	level->has_changed = false;
	if (level->high != level->last)
		code = put_value(level->track, level->high_ns, level->high, out, err);
	return code ? code : put_value(level->track, level->last_ns, level->last, out, err);
}

/* A program may make sessions without end: only the first ones get counters. */
static int put_levels(struct memory *memory, struct memory_account *account, struct sink *out, struct err *err)
{
	static const char *const what[] = { "in use", "held by arenas" };
	char name[120], session[40] = "no session";
	int code = 0;

	if (!account->has_counters && memory->n_told == MAX_COUNTERS)
		return 0;
	memory->n_told += !account->has_counters;
	account->has_counters = true;
	if (account->session)
		snprintf(session, sizeof session, "session %u", account->session);
	for (int i = 0; i < 2 && !code; i++) {
		snprintf(name, sizeof name, "%.60s %s, %s", names_text(out->names, account->device), what[i], session);
		code = put_level(memory, &account->levels[i], name, out, err);
	}
	return code;
}

static int put_growth(struct memory *memory, const struct memory_growth *growth, struct sink *out, struct err *err)
{
	const struct memory_allocator *allocator = &memory->allocator[growth->allocator];
	struct arg args[4] = { arg_int(KEY_BYTES, (int64_t)growth->bytes), arg_name(KEY_DEVICE, allocator->device),
			       arg_name(KEY_ALLOCATOR, allocator->name), arg_int(KEY_SESSION, growth->session) };
	struct event instant = { .type = EVENT_INSTANT,
				 .kind = KIND_ALLOCATION,
				 .name = names_of(out->names, growth->is_reserve ? "arena reserve" : "arena growth"),
				 .time_ns = growth->time_ns,
				 .args = args,
				 .n_args = growth->session ? 4 : 3 };
	int code = define_group(memory, out, err);

	instant.track = memory->group;
	return code ? code : sink_put(out, &instant, err);
}

static uint32_t model_of(struct recorded *process, uint32_t number)
{
	const struct session *session =
	    number > process->session_base
		? sessions_find(&process->sessions, (uint32_t)(number - process->session_base))
		: NULL;

	return session ? session->model : 0;
}

/* Where notes go. */
struct place {
	struct recorded *process;
	struct sink *out;
	uint64_t now_ns;
	struct err *err;
};

static int note(const struct place *to, const char *topic, const struct arg *args, size_t n)
{
	const struct event event = {
		.track = recorded_track(to->process, to->out), .time_ns = to->now_ns, .args = args, .n_args = n
	};

	return recorded_note(to->out, topic, &event, to->err);
}

static int put_sums(const struct place *to, const struct memory_account *account)
{
	const struct memory_state *state = account->is_released ? &account->at_release : &account->now;
	const struct memory_amount *use = state->use;
	struct arg args[ARGS] = {
		arg_name(KEY_DEVICE, account->device),
		arg_int(KEY_IN_USE, (int64_t)state->in_use),
		arg_int(KEY_PEAK, (int64_t)account->peak),
		arg_int(KEY_OPERATORS_PEAK, (int64_t)account->operators_peak),
		arg_int(KEY_HELD, (int64_t)state->held),
		arg_int(KEY_HELD_PEAK, (int64_t)account->held_peak),
		arg_int(KEY_DIRECT, (int64_t)state->direct),
		arg_int(KEY_WEIGHTS, (int64_t)use[MEMORY_WEIGHTS].bytes),
		arg_int(KEY_PACKED, (int64_t)use[MEMORY_PACKED].bytes),
		arg_int(KEY_OF_CREATION, (int64_t)use[MEMORY_CREATION].bytes),
		arg_int(KEY_OF_RUNS, (int64_t)(use[MEMORY_OPERATOR].bytes + use[MEMORY_RUN].bytes)),
		arg_int(KEY_BLOCKS_OF_RUNS, (int64_t)(use[MEMORY_OPERATOR].n + use[MEMORY_RUN].n)),
		arg_int(KEY_OF_OTHERS, (int64_t)use[MEMORY_OTHER].bytes),
		arg_int(KEY_OPERATORS, account->n_at_peak),
		arg_int(KEY_ALLOCATIONS, (int64_t)account->n_allocs),
		arg_int(KEY_ALLOCATED, (int64_t)account->allocated),
		arg_int(KEY_FREES, (int64_t)account->n_frees),
		arg_int(KEY_GROWTHS, (int64_t)account->n_growths),
		arg_int(KEY_RESERVES, (int64_t)account->n_reserves),
		arg_int(KEY_LEFT, account->is_released ? (int64_t)account->now.in_use : 0),
		arg_int(KEY_RUN_ENDS, (int64_t)account->n_run_ends),
		arg_int(KEY_AT_RUN_END, (int64_t)account->at_run_end.bytes),
		arg_int(KEY_BLOCKS_AT_RUN_END, (int64_t)account->at_run_end.n),
		arg_int(KEY_KEPT, (int64_t)account->kept.bytes),
		arg_int(KEY_BLOCKS_KEPT, (int64_t)account->kept.n),
		arg_int(KEY_COUNT, (int64_t)to->process->memory.n_unknown),
		arg_int(KEY_LOST, (int64_t)to->process->memory.n_reused),
	};
	uint32_t model = model_of(to->process, account->session);
	size_t n = 27;

	if (account->session)
		args[n++] = arg_int(KEY_SESSION, account->session);
	if (model)
		args[n++] = arg_name(KEY_MODEL, model);
	if (account->is_released)
		args[n++] = arg_text(KEY_STATE, to->out, EVENT_STATE_RELEASED);
	return note(to, EVENT_NOTE_MEMORY, args, n);
}

/* One row of what was in use at the peak. */
struct row {
	uint32_t name, op_type, shapes; /* 0: none */
	const char *use;		/* NULL: an operator */
	uint64_t bytes, n;
};

static int put_row(const struct place *to, const struct memory_account *account, const struct row *row)
{
	uint64_t peak = row->use ? account->peak : account->operators_peak;
	struct arg args[ARGS] = { arg_name(KEY_DEVICE, account->device), arg_int(KEY_PEAK, (int64_t)peak),
				  arg_int(KEY_BYTES, (int64_t)row->bytes) };
	size_t n = 3;

	if (account->session)
		args[n++] = arg_int(KEY_SESSION, account->session);
	if (row->use)
		args[n++] = arg_text(KEY_STATE, to->out, row->use);
	if (row->name)
		args[n++] = arg_name(KEY_TEXT, row->name);
	if (row->n)
		args[n++] = arg_int(KEY_COUNT, (int64_t)row->n);
	if (row->op_type)
		args[n++] = arg_name(KEY_OP_TYPE, row->op_type);
	if (row->shapes)
		args[n++] = arg_name(KEY_SHAPES, row->shapes);
	return note(to, EVENT_NOTE_AT_PEAK, args, n);
}

static int put_peak(const struct place *to, const struct memory_account *account)
{
	static const char *const uses[N_MEMORY_USES] = {
		[MEMORY_OTHER] = EVENT_USE_OTHER,   [MEMORY_OPERATOR] = EVENT_USE_OPERATORS,
		[MEMORY_RUN] = EVENT_USE_RUNS,	    [MEMORY_WEIGHTS] = EVENT_USE_WEIGHTS,
		[MEMORY_PACKED] = EVENT_USE_PACKED, [MEMORY_CREATION] = EVENT_USE_CREATION,
	};
	int code = 0;

	for (int i = 0; i < N_MEMORY_USES && !code; i++)
		if (account->use_at_peak[i])
			code = put_row(to, account, &(struct row){ .use = uses[i], .bytes = account->use_at_peak[i] });
	return code;
}

static int put_operators_peak(const struct place *to, const struct memory_account *account)
{
	const struct memory *memory = &to->process->memory;
	uint32_t n = account->n_at_peak < MEMORY_AT_PEAK ? account->n_at_peak : MEMORY_AT_PEAK;
	int code = 0;

	for (uint32_t i = 0; i < n && !code; i++) {
		const struct memory_node *at = &account->at_peak[i];
		struct segment_node node = segment_node(&to->process->map, at->node);
		struct row row = { .name = node.name ? node.name : names_of(to->out->names, "(name lost)"),
				   .op_type = node.type,
				   .shapes = at->node < memory->n_shapes ? memory->shapes[at->node] : 0,
				   .bytes = at->bytes,
				   .n = at->n };
		code = put_row(to, account, &row);
	}
	return code;
}

/* A recording that keeps its newest part has them all, too, if they come again now and then. */
static bool is_due(const struct memory_account *account, uint64_t now_ns)
{
	return account->has_changed || now_ns - account->told_all_ns >= ALL_AGAIN_S * (uint64_t)SECOND_NS;
}

static int put_notes(const struct place *to, struct memory_account *account)
{
	int code = 0;

	if (to->now_ns - account->told_all_ns >= ALL_AGAIN_S * (uint64_t)SECOND_NS) {
		account->told_all_ns = to->now_ns;
		account->told_peak = account->told_operators_peak = 0;
	}

	if (account->peak != account->told_peak)
		code = put_peak(to, account);
	if (!code && account->operators_peak != account->told_operators_peak)
		code = put_operators_peak(to, account);
	account->told_peak = account->peak;
	account->told_operators_peak = account->operators_peak;
	account->told_ns = to->now_ns;
	account->has_changed = false;
	return code ? code : put_sums(to, account);
}

/* Its sums were written, and will not change any more. */
static void end_account(struct memory_account *account)
{
	slots_done(&account->nodes);
	account->is_over = true;
}

int memory_tell(struct recorded *process, struct sink *out, uint64_t now_ns, bool is_last, struct err *err)
{
	const struct place to = { process, out, now_ns, err };
	struct memory *memory = &process->memory;
	int code = put_level(memory, &memory->level, EVENT_MEMORY_TOTAL, out, err);

	for (size_t i = 0; i < memory->n_growths && !code; i++)
		code = put_growth(memory, &memory->growth[i], out, err);
	memory->n_growths = 0;
	for (uint32_t i = 0; i < memory->n_accounts && !code; i++) {
		struct memory_account *account = &memory->account[i];
		if (account->is_over || !is_due(account, now_ns))
			continue;
		code = put_levels(memory, account, out, err);
		if (code || (!is_last && now_ns - account->told_ns < SECOND_NS))
			continue;
		code = put_notes(&to, account);
		/* a creation that failed is not released: with so many, no living session has nothing at all */
		if ((account->is_released || memory->n_accounts > MANY_ACCOUNTS) && account->session &&
		    !account->now.in_use && !account->now.held)
			end_account(account);
	}
	return code;
}
