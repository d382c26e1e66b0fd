// SPDX-License-Identifier: Apache-2.0
/*
 * Samples, inferences and slices of a thread come in no common order, so a thread keeps the newest of each, and a slice
 * is divided when there is no more room for it. Threads lie in a table with room for WAYS * SETS of them: one that is
 * met anew takes the place of the one that was met longest ago.
 *
 *	slice        |------------------------------------------|
 *	samples   | ran |   waited for a thread   |  ran  |  ran   |
 *	inferences                                |#######|
 *	of it        | r|         waited          |  runs |  r  |
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/outside/outside_place.h"
#include "analyze/outside/outside_tree.h"
#include "analyze/summary/sum_kinds.h"
#include "analyze/summary/sum_rows.h"

enum { SETS = 1024, WAYS = 4, KEPT = 1024, MAX_NAMES = 256, MAX_WORK = 4096, MEMO = 256, LONG_NS = 100000000 };

struct span {
	uint64_t begin_ns, end_ns;
	uint32_t what; /* of a sample: number; of a slice: its name */
};

/* A thread that was met. */
struct sampled_thread {
	uint32_t process;
	int64_t tid; /* 0: nobody is here */
	uint64_t used;
	struct array samples, runs, slices; /* struct span, in the order in which they ended */
};

struct what {
	uint32_t state, wait, place; /* enum sample_state; texts */
};

struct part {
	uint32_t what;
	uint64_t ns, before_ns;
};

struct division {
	uint32_t process;
	int64_t tid;
	uint64_t n, begin_ns, wall_ns, inferences_ns, n_inferences, unattributed_ns;
	struct part part[SUMMARY_REQUEST_PARTS];
	uint32_t n_parts;
};

struct request_name {
	uint32_t name;
	struct division all, slow[SUMMARY_SLOW_REQUESTS];
	uint32_t n_slow;
};

/* What a sample was found to be. */
struct memo {
	uint32_t state, call, object, stack, holder_stack, what;
	int32_t holder_tid;
};

struct requests {
	struct sampled_thread thread[SETS * WAYS];
	struct sum_rows names; /* struct request_name */
	struct array kinds;
	struct keys kind_keys;
	struct memo memo[MEMO];
	uint64_t used;
	bool has_samples;
};

static struct requests *requests_of(struct summary_maker *maker)
{
	if (!maker->requests && (maker->requests = calloc(1, sizeof *maker->requests))) {
		maker->requests->names.size = sizeof(struct request_name);
		maker->requests->names.max = MAX_NAMES;
	}
	return maker->requests;
}

/* Dividing a slice. */

static uint64_t overlap(const struct span *a, uint64_t begin_ns, uint64_t end_ns)
{
	uint64_t from = a->begin_ns > begin_ns ? a->begin_ns : begin_ns, to = a->end_ns < end_ns ? a->end_ns : end_ns;

	return to > from ? to - from : 0;
}

/* The time of inferences between these moments; *n: how many. */
static uint64_t ran_within(const struct array *runs, uint64_t begin_ns, uint64_t end_ns, uint64_t *n)
{
	const struct span *run = runs->data;
	uint64_t ns = 0;

	for (size_t i = runs->n; i-- > 0;) {
		uint64_t part_ns = overlap(&run[i], begin_ns, end_ns);

		ns += part_ns;
		*n += part_ns != 0;
	}
	return ns < end_ns - begin_ns ? ns : end_ns - begin_ns;
}

static uint64_t first_run(const struct array *runs, uint64_t begin_ns, uint64_t end_ns)
{
	const struct span *run = runs->data;
	uint64_t first_ns = end_ns;

	for (size_t i = 0; i < runs->n; i++)
		if (overlap(&run[i], begin_ns, end_ns) && run[i].begin_ns < first_ns)
			first_ns = run[i].begin_ns;
	return first_ns;
}

/* What finds no room is not attributed. */
static void add_part(struct division *to, const struct part *part)
{
	struct part *last = &to->part[SUMMARY_REQUEST_PARTS - 1];

	for (uint32_t i = 0; i < to->n_parts; i++)
		if (to->part[i].what == part->what) {
			to->part[i].ns += part->ns;
			to->part[i].before_ns += part->before_ns;
			for (; i && to->part[i].ns > to->part[i - 1].ns; i--) {
				struct part less = to->part[i - 1];

				to->part[i - 1] = to->part[i];
				to->part[i] = less;
			}
			return;
		}
	if (to->n_parts == SUMMARY_REQUEST_PARTS) {
		if (last->ns >= part->ns) {
			to->unattributed_ns += part->ns;
			return;
		}
		to->unattributed_ns += last->ns;
		to->n_parts--;
	}
	to->part[to->n_parts++] = (struct part){ part->what };
	add_part(to, part);
}

/* A part of a sample that lies in the slice, without the inferences in it. */
static uint64_t own_within(const struct sampled_thread *thread, const struct span *sample, uint64_t begin_ns,
			   uint64_t end_ns)
{
	uint64_t from = sample->begin_ns > begin_ns ? sample->begin_ns : begin_ns, n = 0;
	uint64_t to = sample->end_ns < end_ns ? sample->end_ns : end_ns;

	return to > from ? to - from - ran_within(&thread->runs, from, to, &n) : 0;
}

static void divide(const struct sampled_thread *thread, const struct span *slice, struct division *to)
{
	const struct span *sample = thread->samples.data;
	uint64_t first_ns = first_run(&thread->runs, slice->begin_ns, slice->end_ns), known_ns;

	*to = (struct division){ .process = thread->process,
				 .tid = thread->tid,
				 .n = 1,
				 .begin_ns = slice->begin_ns,
				 .wall_ns = slice->end_ns - slice->begin_ns };
	to->inferences_ns = ran_within(&thread->runs, slice->begin_ns, slice->end_ns, &to->n_inferences);
	known_ns = to->inferences_ns;
	for (size_t i = thread->samples.n; i-- > 0;) {
		struct part part = { sample[i].what, own_within(thread, &sample[i], slice->begin_ns, slice->end_ns),
				     own_within(thread, &sample[i], slice->begin_ns, first_ns) };

		known_ns += part.ns;
		if (part.ns)
			add_part(to, &part);
	}
	to->unattributed_ns += to->wall_ns > known_ns ? to->wall_ns - known_ns : 0;
}

static void add_up(struct division *to, const struct division *one)
{
	to->n++;
	to->wall_ns = stats_sum(to->wall_ns, one->wall_ns);
	to->inferences_ns = stats_sum(to->inferences_ns, one->inferences_ns);
	to->n_inferences += one->n_inferences;
	to->unattributed_ns = stats_sum(to->unattributed_ns, one->unattributed_ns);
	for (uint32_t i = 0; i < one->n_parts; i++)
		add_part(to, &one->part[i]);
}

static void keep_slow(struct request_name *name, const struct division *one)
{
	uint32_t at = name->n_slow;

	if (at == SUMMARY_SLOW_REQUESTS && name->slow[at - 1].wall_ns >= one->wall_ns)
		return;
	if (at < SUMMARY_SLOW_REQUESTS)
		name->n_slow++;
	else
		at--;
	for (; at && name->slow[at - 1].wall_ns < one->wall_ns; at--)
		name->slow[at] = name->slow[at - 1];
	name->slow[at] = *one;
}

/* Slices without an inference are no requests. */
static int settle(struct summary_maker *maker, struct sampled_thread *thread, size_t n)
{
	struct requests *requests = maker->requests;
	struct span *slice = thread->slices.data;
	struct request_name *name;
	struct division one;
	int rc = 0;

	for (size_t i = 0; !rc && i < n; i++) {
		void *row = NULL;

		divide(thread, &slice[i], &one);
		if (one.n_inferences)
			rc = sum_rows_find(maker, &requests->names, &slice[i].what, 0, &row);
		if (rc || !(name = row))
			continue;
		name->name = slice[i].what;
		add_up(&name->all, &one);
		keep_slow(name, &one);
	}
	if (n)
		memmove(slice, slice + n, (thread->slices.n - n) * sizeof *slice);
	thread->slices.n -= n;
	return rc;
}

/* Threads. */

static void forget(struct sampled_thread *thread)
{
	array_done(&thread->samples, sizeof(struct span));
	array_done(&thread->runs, sizeof(struct span));
	array_done(&thread->slices, sizeof(struct span));
	*thread = (struct sampled_thread){ 0 };
}

static int find_thread(struct summary_maker *maker, uint32_t process, int64_t tid, struct sampled_thread **to)
{
	struct requests *requests = requests_of(maker);
	uint64_t hash = ((uint64_t)process << 32 ^ (uint64_t)tid) * 0x9e3779b97f4a7c15u;
	struct sampled_thread *set = requests ? &requests->thread[(hash >> 48) % SETS * WAYS] : NULL, *oldest = set;
	int rc = 0;

	if (!requests)
		return -ENOMEM;
	for (struct sampled_thread *way = set; way < set + WAYS; way++) {
		if (way->process == process && way->tid == tid) {
			oldest = way;
			break;
		}
		oldest = way->used < oldest->used ? way : oldest;
	}
	if (oldest->process != process || oldest->tid != tid) {
		rc = settle(maker, oldest, oldest->slices.n);
		forget(oldest);
		oldest->process = process;
		oldest->tid = tid;
	}
	oldest->used = ++requests->used;
	*to = oldest;
	return rc;
}

/* Drops the older half; slices that began with it are divided before. */
static int make_room(struct summary_maker *maker, struct sampled_thread *thread, struct array *full)
{
	struct span *span = full->data;
	const struct span *slice = thread->slices.data;
	uint64_t until_ns = span[KEPT / 2].begin_ns;
	size_t n = 0;
	int rc;

	if (full == &thread->slices) /* in the order of their ends: one may lie around all others */
		return settle(maker, thread, KEPT / 2);
	while (n < thread->slices.n && slice[n].begin_ns < until_ns)
		n++;
	rc = settle(maker, thread, n);
	memmove(span, span + KEPT / 2, (full->n - KEPT / 2) * sizeof *span);
	full->n -= KEPT / 2;
	return rc;
}

static int keep(struct summary_maker *maker, struct sampled_thread *thread, struct array *to, const struct span *span)
{
	struct span *last = to->n ? (struct span *)to->data + to->n - 1 : NULL;

	if (to == &thread->samples && last && last->what == span->what && last->end_ns == span->begin_ns) {
		last->end_ns = span->end_ns;
		return 0;
	}
	if (to->n >= KEPT && make_room(maker, thread, to))
		return -ENOMEM;
	last = array_add(to, sizeof *last);
	if (!last)
		return -ENOMEM;
	*last = *span;
	return 0;
}

/* What a sample says. */

/* NONE: out of memory, or there is no room. */
static uint32_t number_of(struct summary_maker *maker, const struct event_sample *sample)
{
	struct outside_leaf leaf = { .state = sample->state,
				     .call = sample->call,
				     .object = sample->object,
				     .holder_tid = sample->holder_tid,
				     .holder_stack = sample->holder_stack };
	struct outside_place place = outside_place_of(maker->names, sample->stack);
	struct requests *requests = maker->requests;
	struct what what = { .state = sample->state }, *added;
	uint32_t number;

	what.wait = names_of(maker->names, outside_wait_words(maker->names, &leaf).s);
	if (place.in && sample->state != SAMPLE_STOPPED && sample->state != SAMPLE_QUEUED)
		what.place = names_of(maker->names, outside_place_words(maker->names, &place).s);
	if (requests->kinds.n >= MAX_WORK)
		return NONE;
	number = keys_number(&requests->kind_keys, keys_pair(what.state, what.wait), what.place);
	if (number == NONE || number < requests->kinds.n)
		return number;
	added = array_add(&requests->kinds, sizeof *added);
	if (!added)
		return NONE;
	*added = what;
	return number;
}

static uint32_t what_of(struct summary_maker *maker, const struct event_sample *sample)
{
	struct memo is = { sample->state,     sample->call, sample->object, sample->stack, sample->holder_stack, 0,
			   sample->holder_tid };
	struct memo *memo = &maker->requests->memo[(is.stack * 31 + is.call * 7 + is.object + is.state) % MEMO];

	is.what = memo->what;
	if (!memo->what || memcmp(memo, &is, sizeof is) != 0) {
		is.what = number_of(maker, sample) + 1;
		*memo = is;
	}
	return memo->what - 1;
}

static int keep_sample(struct summary_maker *maker, struct sampled_thread *thread, const struct event_sample *sample,
		       uint64_t begin_ns, uint64_t end_ns)
{
	struct span span = { begin_ns, end_ns, what_of(maker, sample) };

	return end_ns > begin_ns && span.what != NONE ? keep(maker, thread, &thread->samples, &span) : 0;
}

static bool is_left_out(const struct summary_maker *maker)
{
	return maker->opts.model || maker->opts.from_ns || maker->opts.to_ns;
}

/*
 * A short sample of a thread that wanted a CPU is divided as the kernel counted, a long one so, too: where in it the
 * parts lay is not known, but they are told apart.
 */
int sum_requests_sample(struct summary_maker *maker, uint32_t process, uint64_t end_ns,
			const struct event_sample *sample)
{
	uint64_t begin_ns = end_ns > sample->weight_ns ? end_ns - sample->weight_ns : 0, cpu_ns, queue_ns;
	struct event_sample part = *sample;
	struct sampled_thread *thread;
	int rc;

	if (is_left_out(maker) || sample->tid <= 0)
		return 0;
	rc = find_thread(maker, process, sample->tid, &thread);
	if (rc || sample->state == SAMPLE_UNKNOWN)
		return rc;
	maker->requests->has_samples = true;
	if (sample->state != SAMPLE_RAN && sample->state != SAMPLE_QUEUED)
		return keep_sample(maker, thread, sample, begin_ns, end_ns);
	cpu_ns = sample->cpu_ns < sample->weight_ns ? sample->cpu_ns : sample->weight_ns;
	queue_ns = sample->queue_ns < sample->weight_ns - cpu_ns ? sample->queue_ns : sample->weight_ns - cpu_ns;
	if (!cpu_ns && !queue_ns)
		cpu_ns = sample->weight_ns;
	if (sample->weight_ns <= LONG_NS) {
		cpu_ns = (uint64_t)((double)sample->weight_ns * (double)cpu_ns / (double)(cpu_ns + queue_ns));
		queue_ns = sample->weight_ns - cpu_ns;
	}
	part.state = SAMPLE_RAN;
	rc = keep_sample(maker, thread, &part, end_ns - cpu_ns, end_ns);
	part.state = SAMPLE_QUEUED;
	return rc ? rc : keep_sample(maker, thread, &part, end_ns - cpu_ns - queue_ns, end_ns - cpu_ns);
}

/* The thread below which the track lies; 0: none. */
static int64_t thread_of(const struct summary_maker *maker, const struct track *track)
{
	for (int hops = 0; hops < 8; hops++) {
		if (track->def.type == TRACK_THREAD)
			return track->def.tid;
		if (!track->def.parent || track->def.parent > maker->n_tracks)
			return 0;
		track = &maker->tracks[track->def.parent];
	}
	return 0;
}

int sum_requests_slice(struct summary_maker *maker, struct track *track, const struct slice *slice, uint64_t end_ns)
{
	struct span span = { slice->begin_ns, end_ns, slice->name };
	bool is_run = slice->kind == KIND_INFERENCE;
	int64_t tid = is_run ? fact_int(&slice->facts, FACT_TID, 0) : thread_of(maker, track);
	struct sampled_thread *thread;
	int rc;

	if (is_left_out(maker) || (!is_run && slice->kind != KIND_USER) || tid <= 0 || end_ns <= slice->begin_ns ||
	    end_ns == STORE_OPEN)
		return 0;
	rc = find_thread(maker, sum_process_of(maker, track), tid, &thread);
	return rc ? rc : keep(maker, thread, is_run ? &thread->runs : &thread->slices, &span);
}

/* Rows. */

static int put_row(struct summary_maker *maker, struct end *end, uint32_t name, const struct division *from)
{
	const struct what *kinds = maker->requests->kinds.data;
	struct summary_request *row = array_add(&end->requests, sizeof *row);
	uint32_t process = from->begin_ns ? process_at(maker, from->process)->index : SUMMARY_NONE;

	if (!row)
		return -ENOMEM;
	*row = (struct summary_request){ .name = name,
					 .n = from->n,
					 .begin_ns = from->begin_ns,
					 .process = process,
					 .tid = from->begin_ns ? from->tid : -1,
					 .wall_ns = from->wall_ns,
					 .inferences_ns = from->inferences_ns,
					 .n_inferences = from->n_inferences,
					 .unattributed_ns = from->unattributed_ns,
					 .first = (uint32_t)end->request_parts.n,
					 .n_parts = from->n_parts };
	for (uint32_t i = 0; i < from->n_parts; i++) {
		const struct what *what = &kinds[from->part[i].what];
		struct summary_request_part *part = array_add(&end->request_parts, sizeof *part);

		if (!part)
			return -ENOMEM;
		*part = (struct summary_request_part){ .request = (uint32_t)end->requests.n,
						       .state = names_of(maker->names, sample_state_name(what->state)),
						       .wait = what->wait,
						       .place = what->place,
						       .ns = from->part[i].ns,
						       .before_ns = from->part[i].before_ns };
	}
	return 0;
}

static int compare_names(const void *a_, const void *b_)
{
	const struct request_name *a = *(const struct request_name *const *)a_,
				  *b = *(const struct request_name *const *)b_;

	if (a->all.wall_ns != b->all.wall_ns)
		return a->all.wall_ns > b->all.wall_ns ? -1 : 1;
	return (a->name > b->name) - (a->name < b->name);
}

static int put_names(struct summary_maker *maker, struct end *end, const struct request_name **sorted)
{
	const struct sum_rows *names = &maker->requests->names;
	int rc = 0;

	for (size_t i = 0; i < names->rows.n; i++)
		sorted[i] = (const struct request_name *)names->rows.data + i;
	qsort(sorted, names->rows.n, sizeof *sorted, compare_names);
	for (size_t i = 0; !rc && i < names->rows.n; i++) {
		rc = put_row(maker, end, sorted[i]->name, &sorted[i]->all);
		for (uint32_t k = 0; !rc && k < sorted[i]->n_slow; k++)
			rc = put_row(maker, end, sorted[i]->name, &sorted[i]->slow[k]);
	}
	return rc;
}

/* Without samples, a slice has no parts. */
int sum_requests_make(struct summary_maker *maker, struct end *end)
{
	struct requests *requests = maker->requests;
	const struct request_name **sorted;
	int rc = 0;

	if (!requests || !requests->has_samples)
		return 0;
	for (int i = 0; !rc && i < SETS * WAYS; i++)
		rc = settle(maker, &requests->thread[i], requests->thread[i].slices.n);
	if (rc || !requests->names.rows.n)
		return rc;
	sorted = calloc(requests->names.rows.n, sizeof *sorted);
	rc = sorted ? put_names(maker, end, sorted) : -ENOMEM;
	free(sorted);
	return rc;
}

void sum_requests_done(struct summary_maker *maker)
{
	struct requests *requests = maker->requests;

	for (int i = 0; requests && i < SETS * WAYS; i++)
		forget(&requests->thread[i]);
	if (requests) {
		sum_rows_done(&requests->names);
		array_done(&requests->kinds, sizeof(struct what));
		keys_done(&requests->kind_keys);
	}
	free(requests);
}
