// SPDX-License-Identifier: Apache-2.0
/*
 * Events from probes in running processes: looks for runtimes in the processes of the tree, reads the probes' records
 * and passes each to its process (uprobe_process.h). Records newer than the moment at which the ring was seen empty
 * wait for the next round, because an older record of another thread may not have arrived yet.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "capture/probe/uprobe_counts.h"
#include "capture/probe/uprobe_pace.h"
#include "capture/probe/uprobe_process.h"
#include "capture/probe/uprobe_ring.h"
#include "capture/probe/uprobes.h"
#include "capture/source/source.h"
#include "capture/source/tree.h"

/* A process of the tree, from its first appearance to its end, across exec. */
struct watched {
	pid_t pid;
	uint64_t start_ticks;
	uint32_t exe, track;
	uint64_t look_ns, wait_ns;	/* when to look for a runtime in it, and the wait before the time after */
	uint64_t looked;		/* its modules then (uprobes_arm) */
	struct uprobe_process *process; /* NULL: no runtime so far */
	bool is_in_tree, has_failed;
};

struct uprobe_state {
	const struct target *target;
	struct watched **watched;
	size_t n_watched;
	struct watched *owner[UPROBE_MAX_ARMED];  /* owner of each armed copy */
	uint64_t n_lost[UPROBE_MAX_ARMED];	  /* losses already reported */
	uint64_t n_sampled_out[UPROBE_MAX_ARMED]; /* the same of inferences that were left out on request */
	uint64_t sampled_out_ns;		  /* when they were reported */
	uint64_t empty_ns;			  /* the ring was seen empty then */
	uint64_t read_ns, read_at;		  /* when it was read last, and up to where */
	uint64_t rest_ns;			  /* until it is to be read again */
	uint64_t n_operators;			  /* records of operators since levels were chosen */
	uint64_t n_strangers;			  /* when the tree was asked for them last */
	uint64_t n_stranger_runs;		  /* reported */
	struct {
		enum uprobe_level level;
		uint64_t told_ns; /* 0: never */
	} told[UPROBE_MAX_ARMED]; /* of each copy */
};

/*
 * LONGEST_WRITE_NS: how long to wait at the end for a record whose writer has lost its processor; the records behind it
 * are complete.
 */
enum { FIRST_WAIT_NS = 50000000, LONGEST_WAIT_NS = 1000000000, LONGEST_WRITE_NS = 200000000 };
/* The same where processes that load a runtime are met by events. */
#define RESTING_WAIT_NS UINT64_C(64000000000)
#define TELL_NS UINT64_C(1000000000)
/*
 * How often the ring is read. Waking up costs more than what is read: as seldom as the ring allows. It fills at most to
 * the ROOM-th part by four times of what came last, and by what CPUs without rest may bring all at once: inferences of
 * 10 us bring 20 MB a second on each, with operators 32 MB.
 */
enum { LEAST_REST_NS = 2000000, MOST_REST_NS = 100000000, ROOM = 4, GROWTH = 4, MOST_BUSY_CPUS = 4 };
static const double run_bytes_per_s = 20e6, operator_bytes_per_s = 32e6;

static int check(const struct target *target, struct err *err)
{
	if (!target->uprobes)
		return err_set(err, EOPNOTSUPP, "only inftrace attach and inftrace next use probes");
	return 0;
}

static int start(void *opaque, const struct target *target, struct sink *out, struct err *err)
{
	struct uprobe_state *state = opaque;

	state->target = target;
	uprobes_start(target->uprobes);
	return 0;
}

static void watched_free(struct watched *watched)
{
	uprobe_process_free(watched->process);
	free(watched);
}

/* Both lists are in order of appearance: most often it is the one behind the last (*next). */
static struct watched *find(const struct uprobe_state *state, const struct tree_process *process, size_t *next)
{
	for (size_t i = 0; i < state->n_watched; i++) {
		struct watched *watched = state->watched[(*next + i) % state->n_watched];
		if (watched->pid != process->pid || watched->start_ticks != process->start_ticks)
			continue;
		*next += i + 1;
		return watched;
	}
	return NULL;
}

static struct watched *add(struct uprobe_state *state, const struct tree_process *process)
{
	struct watched **grown = realloc(state->watched, (state->n_watched + 1) * sizeof(struct watched *)), *watched;

	if (grown)
		state->watched = grown;
	watched = grown ? malloc(sizeof *watched) : NULL;
	if (!watched)
		return NULL;
	*watched =
	    (struct watched){ .pid = process->pid, .start_ticks = process->start_ticks, .track = process->track };
	state->watched[state->n_watched++] = watched;
	tree_hold(state->target->tree, watched->track);
	return watched;
}

/* Adds new processes of the tree, and marks those that are still there. */
static int follow_tree(struct uprobe_state *state, uint64_t now_ns, struct err *err)
{
	const struct tree *tree = state->target->tree;
	size_t next = 0;

	for (size_t i = 0; i < state->n_watched; i++)
		state->watched[i]->is_in_tree = false;
	for (size_t i = 0; i < tree->n; i++) {
		const struct tree_process *process = &tree->process[i];
		struct watched *watched = find(state, process, &next);
		bool is_other = !watched || (watched->exe && process->exe && watched->exe != process->exe);
		if (!watched)
			watched = add(state, process);
		if (!watched)
			return err_no_memory(err, "cannot follow the processes of the target");
		watched->is_in_tree = true;
		watched->exe = process->exe ? process->exe : watched->exe;
		if (!is_other)
			continue;
		/* a new program will load a runtime soon; in the same program the probes are in already */
		watched->look_ns = now_ns;
		watched->wait_ns = FIRST_WAIT_NS;
		watched->has_failed = false;
	}
	return 0;
}

static int tell_runtime(const struct uprobe_state *state, struct watched *watched, struct uprobes_copy *copy,
			struct sink *out, uint64_t now_ns, struct err *err)
{
	struct segment_entry entry = { .kind = DICT_RUNTIME };
	char text[900];

	snprintf(text, sizeof text, "probes by %s: %s", uprobes_link_name(state->target->uprobes), copy->armed);
	entry.text[0] = names_of(out->names, copy->path);
	entry.text[1] = names_of(out->names, copy->version);
	entry.text[2] = names_of(out->names, text);
	entry.text[3] = names_of(out->names, copy->left_out);
	entry.text[4] = names_of(out->names, copy->runtime);
	return recorded_tell_runtime(watched->process->recorded, &entry, copy->arm_ns, out, now_ns, err);
}

/* Takes over a copy of the runtime armed since the last call. */
static int take_copy(struct uprobe_state *state, struct watched *watched, uint32_t number, struct sink *out,
		     uint64_t now_ns, struct err *err)
{
	struct uprobes_copy *copy = uprobes_copy(state->target->uprobes, number);
	const struct uprobe_armed *armed = uprobes_armed(state->target->uprobes, number);

	copy->is_new = false;
	if (!watched->process) {
		watched->process = uprobe_process_new(watched->pid, watched->track, copy->cwd, out->names, err);
		if (!watched->process)
			return -ENOMEM;
		watched->process->is_lean = state->target->is_lean;
	}
	watched->process->has_gaps |= armed->has_gaps;
	state->owner[number] = watched;
	state->n_lost[number] = state->n_sampled_out[number] = 0;
	state->told[number].told_ns = 0;
	return tell_runtime(state, watched, copy, out, now_ns, err);
}

static int tell_failure(struct watched *watched, const char *reason, struct sink *out, uint64_t now_ns, struct err *err)
{
	struct arg args[2] = { arg_int(KEY_PID, watched->pid), arg_text(KEY_STATE, out, reason) };

	watched->has_failed = true;
	return recorded_note(out, EVENT_NOTE_PROCESS,
			     &(struct event){ .track = watched->track, .time_ns = now_ns, .args = args, .n_args = 2 },
			     err);
}

static int look(struct uprobe_state *state, struct watched *watched, struct sink *out, uint64_t now_ns, struct err *err)
{
	uint64_t longest_ns = state->target->rests ? RESTING_WAIT_NS : LONGEST_WAIT_NS;
	struct err failure;
	int n = uprobes_arm(state->target->uprobes, watched->pid, watched->start_ticks, &watched->looked, &failure),
	    code = 0;

	watched->look_ns = clock_ns() + watched->wait_ns;
	watched->wait_ns *= 2;
	if (watched->wait_ns > longest_ns)
		watched->wait_ns = longest_ns;
	if (n < 0)
		return watched->has_failed || n == -ESRCH ? 0 : tell_failure(watched, failure.msg, out, now_ns, err);
	for (uint32_t i = 0; i < UPROBE_MAX_ARMED && !code && n; i++) {
		struct uprobes_copy *copy = uprobes_copy(state->target->uprobes, i);
		if (copy && copy->is_new && copy->pid == watched->pid && copy->start_ticks == watched->start_ticks)
			code = take_copy(state, watched, i, out, now_ns, err);
	}
	return code;
}

static void count(struct uprobe_state *state, uint32_t number, const struct uprobe_record *hit)
{
	struct uprobe_pace *pace = uprobes_pace(state->target->uprobes, number);

	state->n_operators += hit->kind == SITE_OPERATOR || hit->kind == SITE_OPERATOR_END;
	if (!pace || hit->is_return)
		return;
	pace->n_runs += hit->kind == SITE_RUN;
	pace->n_operators += hit->kind == SITE_OPERATOR;
}

static int read_ring(struct uprobe_state *state, struct sink *out, uint64_t now_ns, struct err *err)
{
	struct uprobe_ring *ring = uprobes_ring(state->target->uprobes);
	struct uprobe_step step = { .out = out, .now_ns = now_ns, .err = err };
	uint64_t before_ns = clock_ns();
	int code = 0;

	uprobe_ring_look(ring);
	while (!code && (step.hit = uprobe_ring_next(ring, &step.size))) {
		const struct uprobes_copy *copy;
		uint32_t number;
		if (step.size < sizeof *step.hit)
			continue;
		number = step.hit->armed;
		copy = uprobes_copy(state->target->uprobes, number);
		if (!copy || !state->owner[number])
			continue;
		count(state, number, step.hit);
		step.is_old_string = copy->is_old_string;
		step.runtime = copy->runtime;
		step.has_load = copy->has_load;
		step.has_weights = copy->has_weights;
		step.counts = uprobes_counts(state->target->uprobes, number);
		code = uprobe_process_take(state->owner[number]->process, &step);
	}
	uprobe_ring_done(ring);
	if (!ring->is_waiting)
		state->empty_ns = before_ns;
	return code == -ENOMEM ? err_no_memory(err, "cannot read the records of the probes") : code;
}

/* How long the ring may be left alone now; on a grid, so that what else is due wakes the recorder up at the same time.
 */
static void choose_rest(struct uprobe_state *state)
{
	const struct uprobe_ring *ring = uprobes_ring(state->target->uprobes);
	/* where levels are chosen by program, operators of busy ones are not seen */
	bool has_operators = strcmp(state->target->level, "inference") != 0 && !uprobes_pace(state->target->uprobes, 0);
	double cpus = has_operators ? MOST_BUSY_CPUS : 1, busy = has_operators ? operator_bytes_per_s : run_bytes_per_s;
	uint64_t now_ns = clock_ns(), elapsed_ns = now_ns - state->read_ns;
	double rate =
	    state->read_ns && elapsed_ns ? (double)(ring->at - state->read_at) / ((double)elapsed_ns / 1e9) : 0;
	double rest_ns = (double)((ring->mask + 1) / ROOM) / (rate * GROWTH + busy * cpus) * 1e9;

	state->read_ns = now_ns;
	state->read_at = ring->at;
	state->rest_ns = LEAST_REST_NS;
	if (rest_ns >= MOST_REST_NS)
		state->rest_ns = MOST_REST_NS - now_ns % MOST_REST_NS;
	else if (rest_ns > LEAST_REST_NS)
		state->rest_ns = (uint64_t)rest_ns;
	/* a record that is being written will be there in a moment */
	if (ring->is_waiting)
		state->rest_ns = LEAST_REST_NS;
}

/* Writes the losses counted since the last call. */
static int tell_losses(struct uprobe_state *state, struct sink *out, uint64_t now_ns, struct err *err)
{
	int code = 0;

	for (uint32_t i = 0; i < UPROBE_MAX_ARMED && !code; i++) {
		uint64_t n_lost;
		if (!state->owner[i])
			continue;
		n_lost = __atomic_load_n(&uprobes_armed(state->target->uprobes, i)->n_lost, __ATOMIC_RELAXED);
		if (n_lost > state->n_lost[i])
			code = recorded_lost(state->owner[i]->process->recorded, out, now_ns, n_lost - state->n_lost[i],
					     "ring of the probes, 8 MiB: full", err);
		state->n_lost[i] = n_lost;
	}
	return code;
}

/* Writes how many inferences were left out on request since the last call. */
static int tell_sampled_out(struct uprobe_state *state, const struct watched *owner, struct sink *out, uint64_t now_ns,
			    struct err *err)
{
	struct event event = { .track = recorded_track(owner->process->recorded, out), .time_ns = now_ns };
	uint64_t n_new = 0;
	struct arg count;

	for (uint32_t i = 0; i < UPROBE_MAX_ARMED; i++) {
		uint64_t n;
		if (state->owner[i] != owner)
			continue;
		n = __atomic_load_n(&uprobes_armed(state->target->uprobes, i)->n_skipped, __ATOMIC_RELAXED);
		n_new += n - state->n_sampled_out[i];
		state->n_sampled_out[i] = n;
	}
	count = arg_int(KEY_COUNT, (int64_t)n_new);
	event.args = &count;
	event.n_args = 1;
	return n_new ? recorded_note(out, EVENT_NOTE_SAMPLED_OUT, &event, err) : 0;
}

/* Inferences that were not seen; session 0: of all of them. */
struct unseen_runs {
	uint32_t session;
	uint64_t n;
};

/* What is seen of a program from now on, and how many inferences were not. */
static int tell_level(struct uprobe_state *state, uint32_t number, struct unseen_runs runs, struct sink *out,
		      uint64_t now_ns, struct err *err)
{
	const struct watched *owner = state->owner[number];
	struct arg args[3] = { arg_text(KEY_LEVEL, out, uprobe_level_name(state->told[number].level)),
			       arg_int(KEY_COUNT, (int64_t)runs.n), arg_int(KEY_SESSION, runs.session) };
	struct event event = { .track = recorded_track(owner->process->recorded, out),
			       .time_ns = now_ns,
			       .args = args,
			       .n_args = runs.session ? 3 : 2 };

	return recorded_note(out, EVENT_NOTE_PACED, &event, err);
}

/* How many inferences were not seen: as the runtime has counted them, else an estimate. */
static int tell_unseen(struct uprobe_state *state, uint32_t number, struct sink *out, uint64_t now_ns, struct err *err)
{
	struct uprobe_counts *counts = uprobes_counts(state->target->uprobes, number);
	struct unseen_runs estimate = { .n = uprobes_unseen(state->target->uprobes, number) };
	bool are_sound;
	int code = 0;

	if (!uprobe_pace_is_at_ease(uprobes_pace(state->target->uprobes, number)))
		uprobe_counts_look(counts, clock_ns());
	are_sound = uprobe_counts_are_sound(counts);
	for (uint32_t i = 0; i < counts->n && !code; i++) {
		struct unseen_runs runs = { counts->row[i].session, uprobe_counts_take(counts, i) };

		if (runs.n && are_sound)
			code = tell_level(state, number, runs, out, now_ns, err);
	}
	uprobe_counts_tidy(counts);
	return !code && estimate.n && !are_sound ? tell_level(state, number, estimate, out, now_ns, err) : code;
}

/* Once a second, and when another level is chosen. */
static int tell_news(struct uprobe_state *state, uint32_t number, struct uprobe_pace *pace, struct sink *out,
		     uint64_t now_ns, struct err *err)
{
	enum uprobe_level level = uprobe_pace_level(pace, now_ns);
	bool is_new = level != state->told[number].level || !state->told[number].told_ns;
	int code;

	/* what released sessions ran comes before their release */
	if (!is_new && !uprobes_counts(state->target->uprobes, number)->has_over &&
	    now_ns < state->told[number].told_ns + TELL_NS)
		return 0;
	state->told[number].level = level;
	state->told[number].told_ns = now_ns;
	code = is_new ? tell_level(state, number, (struct unseen_runs){ 0, 0 }, out, now_ns, err) : 0;
	return code ? code : tell_unseen(state, number, out, now_ns, err);
}

/* What a process has run unseen when nothing more comes of it. */
static int tell_last_unseen(struct uprobe_state *state, const struct watched *owner, struct sink *out, uint64_t now_ns,
			    struct err *err)
{
	int code = 0;

	for (uint32_t i = 0; i < UPROBE_MAX_ARMED && !code; i++)
		if (state->owner[i] == owner && uprobes_pace(state->target->uprobes, i))
			code = tell_unseen(state, i, out, now_ns, err);
	return code;
}

static int choose_levels(struct uprobe_state *state, struct sink *out, uint64_t now_ns, struct err *err)
{
	struct uprobes *uprobes = state->target->uprobes;
	int code = 0;

	for (uint32_t i = 0; i < UPROBE_MAX_ARMED; i++) {
		struct uprobe_pace *pace = state->owner[i] ? uprobes_pace(uprobes, i) : NULL;
		if (pace)
			pace->n_open = uprobe_process_open_runs(state->owner[i]->process);
	}
	uprobes_choose_levels(uprobes, state->n_operators);
	state->n_operators = 0;
	for (uint32_t i = 0; i < UPROBE_MAX_ARMED && !code; i++) {
		struct uprobe_pace *pace =
		    state->owner[i] && !uprobes_is_part(uprobes, i) ? uprobes_pace(uprobes, i) : NULL;
		struct uprobe_step step = { .out = out, .now_ns = now_ns, .err = err };

		if (!pace)
			continue;
		if (pace->is_gap)
			uprobe_counts_look(uprobes_counts(uprobes, i), clock_ns());
		if (pace->must_cut)
			code = uprobe_process_cut(state->owner[i]->process, &step);
		pace->must_cut = false;
		if (!code)
			code = tell_news(state, i, pace, out, now_ns, err);
	}
	return code;
}

/* What processes ran before they were met is of none. */
static int tell_stranger_runs(struct uprobe_state *state, struct sink *out, uint64_t now_ns, struct err *err)
{
	uint64_t n = uprobes_n_stranger_runs(state->target->uprobes);
	struct arg count = arg_int(KEY_COUNT, (int64_t)(n - state->n_stranger_runs));
	struct event event = { .time_ns = now_ns, .args = &count, .n_args = 1 };

	if (n == state->n_stranger_runs)
		return 0;
	state->n_stranger_runs = n;
	return recorded_note(out, EVENT_NOTE_PACED, &event, err);
}

/* Each second, so that a recording whose end is missing knows, too. */
static int tell_all_sampled_out(struct uprobe_state *state, struct sink *out, uint64_t now_ns, struct err *err)
{
	int code = 0;

	if (now_ns < state->sampled_out_ns + 1000000000u)
		return 0;
	state->sampled_out_ns = now_ns;
	code = tell_stranger_runs(state, out, now_ns, err);
	for (size_t i = 0; i < state->n_watched && !code; i++)
		if (state->watched[i]->process)
			code = tell_sampled_out(state, state->watched[i], out, now_ns, err);
	return code;
}

static int tell_left_out(struct uprobe_process *process, uint64_t count, const char *what, struct sink *out,
			 uint64_t now_ns, struct err *err)
{
	struct arg args[2] = { arg_int(KEY_COUNT, (int64_t)count), arg_text(KEY_TEXT, out, what) };

	if (!count)
		return 0;
	return recorded_note(
	    out, EVENT_NOTE_LEFT_OUT,
	    &(struct event){
		.track = recorded_track(process->recorded, out), .time_ns = now_ns, .args = args, .n_args = 2 },
	    err);
}

/* Ends a process: writes the rest of its lanes, and a note of what is not recorded. */
static int finish(struct uprobe_state *state, struct watched *watched, struct sink *out, uint64_t now_ns,
		  struct err *err)
{
	struct uprobe_process *process = watched->process;
	int code;

	if (!process)
		return 0;
	code = lanes_put(&process->recorded->lanes, &process->recorded->sessions, out, UINT64_MAX, err);
	if (!code)
		code = tell_last_unseen(state, watched, out, now_ns, err);
	if (!code)
		code = tell_sampled_out(state, watched, out, now_ns, err);
	if (!code)
		code = tell_left_out(process, process->n_cut_runs, "inferences that had begun before recording did",
				     out, now_ns, err);
	if (!code)
		code = tell_left_out(process, process->n_cut_operators,
				     "operators of inferences that had begun before recording did", out, now_ns, err);
	if (!code)
		code = tell_left_out(process, process->n_unnamed,
				     "names of operators: no text where this build keeps them", out, now_ns, err);
	if (!code && process->n_unplaced)
		code = recorded_lost(process->recorded, out, now_ns, process->n_unplaced,
				     "hits of probes that found no place", err);
	return code;
}

/* Drops processes that have left the tree, once all their records are read. */
static int drop_gone(struct uprobe_state *state, struct sink *out, uint64_t now_ns, struct err *err)
{
	size_t n = 0;
	int code = 0;

	for (size_t i = 0; i < state->n_watched; i++) {
		struct watched *watched = state->watched[i];
		if (watched->is_in_tree || code) {
			state->watched[n++] = watched;
			continue;
		}
		code = finish(state, watched, out, now_ns, err);
		/* not by its pid: another program may have that by now, with probes of its own */
		for (uint32_t c = 0; c < UPROBE_MAX_ARMED; c++) {
			if (state->owner[c] != watched)
				continue;
			uprobes_disarm(state->target->uprobes, c);
			state->owner[c] = NULL;
		}
		tree_release(state->target->tree, watched->track);
		watched_free(watched);
	}
	state->n_watched = n;
	return code;
}

/* A process that is not in the tree has come to a probe: it may be a child of one that is. */
static void ask_for_strangers(struct uprobe_state *state)
{
	uint64_t n = uprobes_n_strangers(state->target->uprobes);

	if (n != state->n_strangers)
		state->target->tree->is_asked = true;
	state->n_strangers = n;
}

static int drain(void *opaque, struct sink *out, uint64_t now_ns, struct err *err)
{
	struct uprobe_state *state = opaque;
	const struct uprobe_ring *ring = uprobes_ring(state->target->uprobes);
	uint64_t until_ns = clock_ns() + LONGEST_WRITE_NS, empty_ns = state->empty_ns;
	bool is_ending = state->target->is_ending;
	int code;

	if (is_ending)
		uprobes_stop(state->target->uprobes);
	code = follow_tree(state, now_ns, err);
	for (size_t i = 0; i < state->n_watched && !code && !is_ending; i++)
		if (state->watched[i]->is_in_tree && now_ns >= state->watched[i]->look_ns)
			code = look(state, state->watched[i], out, now_ns, err);
	do
		code = code ? code : read_ring(state, out, now_ns, err);
	while (!code && is_ending && ring->is_waiting && clock_ns() < until_ns && !usleep(500));
	choose_rest(state);
	ask_for_strangers(state);
	if (!code && !is_ending && !ring->is_waiting)
		code = choose_levels(state, out, now_ns, err);
	for (size_t i = 0; i < state->n_watched && !code; i++) {
		struct uprobe_process *process = state->watched[i]->process;
		if (!process)
			continue;
		if (state->empty_ns != empty_ns) /* else their last events may still wait */
			sessions_end_round(&process->recorded->sessions);
		code = lanes_put(&process->recorded->lanes, &process->recorded->sessions, out, state->empty_ns, err);
	}
	if (!code)
		code = tell_losses(state, out, now_ns, err);
	if (!code)
		code = tell_all_sampled_out(state, out, now_ns, err);
	if (!code && is_ending)
		code = tell_stranger_runs(state, out, now_ns, err);
	for (size_t i = 0; i < state->n_watched && !code && is_ending; i++)
		code = finish(state, state->watched[i], out, now_ns, err);
	return code || is_ending || ring->is_waiting ? code : drop_gone(state, out, now_ns, err);
}

static int due_ms(const void *opaque)
{
	const struct uprobe_state *state = opaque;

	return (int)(state->rest_ns / 1000000) + 1;
}

static void stop(void *opaque)
{
	struct uprobe_state *state = opaque;

	if (state->target)
		uprobes_stop(state->target->uprobes);
	for (size_t i = 0; i < state->n_watched; i++)
		watched_free(state->watched[i]);
	free(state->watched);
	state->watched = NULL;
	state->n_watched = 0;
}

const struct source source_uprobe = {
	.name = "uprobe",
	.help = "sessions, inferences and operators of running programs, by probes from outside",
	.state_size = sizeof(struct uprobe_state),
	.is_for_sums = true,
	.check = check,
	.start = start,
	.due_ms = due_ms,
	.drain = drain,
	.stop = stop,
};
