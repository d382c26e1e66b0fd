// SPDX-License-Identifier: Apache-2.0
/* Samples of threads against gaps between inferences, in the order of time. */
#include "analyze/outside/outside.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/store/keys.h"
#include "base/array.h"

enum { PARTS = 3, ACCOUNT = 4096, MAX_LEAVES = 1 << 17, LONG_GAP = 2 };
/* Of MOST_PAST threads, the last PAST stretches: the ten seconds of a busy start, or the minutes of an idle one. */
enum { PAST = 1024, MOST_PAST = 64 };

/* A stretch that is so long was not looked at in between: its parts are what the kernel counted. */
static const uint64_t long_stretch_ns = 30000000;
/* Short gaps have as much more time than their samples stand for by chance; what is beyond that is unexplained. */
static const double most_stretched = 1.5;

/* What a thread does: a leaf without what comes after. */
struct kind {
	uint32_t process;
	int32_t tid;
	enum sample_state state;
	uint32_t call, object, stack;
	int32_t holder_tid;
	uint32_t holder_stack;
};

struct part {
	uint32_t kind;
	double ns;
};

/* A sample: what its thread did from begin_ns to end_ns. */
struct stretch {
	uint64_t begin_ns, end_ns;
	uint32_t process, thread;
	uint32_t n_parts;
	bool is_even; /* each part of it is taken to be like the whole */
	double lives; /* the share of it in which its process was not halted */
	struct part part[PARTS];
};

/* What a thread did in the gap at hand. */
struct account {
	uint32_t kind;
	double even_ns, weight_ns;
	uint64_t n;
};

struct thread {
	struct stretch last; /* the last one that passed; end_ns 0: none did */
	uint64_t first_ns;   /* where the first one began */
	struct array past;   /* struct stretch: if it is remembered, a ring of the last ones */
	uint64_t n_past;
	bool is_remembered;
	uint64_t gap; /* what follows is of this one */
	struct array account;
	size_t limit; /* rows of account before equal ones are joined */
	double covered_ns;
	uint32_t name;
};

/* What the gaps before one thing have of one state. */
struct span {
	uint64_t gap;
	double own_ns, longest_ns; /* own_ns: of that gap */
};

struct outside {
	struct keys thread_keys, kind_keys[3], leaf_keys;
	struct array threads, kinds, leaves; /* by number in keys */
	struct array kept;		     /* struct stretch */
	struct array free;		     /* uint32_t: of kept */
	uint64_t gap, gap_begin_ns;	     /* number of the gap, from 1 */
	bool is_in_gap;
	struct keys span_keys;
	struct array spans;  /* by number in span_keys */
	struct array pooled; /* double, by leaf: what samples in short gaps stand for */
	double pool_ns;	     /* short gaps, as far as their threads were sampled */
	uint32_t n_remembered;
};

struct outside *outside_new(void)
{
	struct outside *outside = calloc(1, sizeof *outside);

	if (outside)
		outside->gap = outside->is_in_gap = true;
	return outside;
}

static void free_thread(struct thread *thread)
{
	array_done(&thread->account, sizeof(struct account));
	array_done(&thread->past, sizeof(struct stretch));
}

void outside_free(struct outside *outside)
{
	struct thread *thread;

	if (!outside)
		return;
	thread = outside->threads.data;
	for (size_t i = 0; i < outside->threads.n; i++)
		free_thread(&thread[i]);
	keys_done(&outside->thread_keys);
	for (int i = 0; i < 3; i++)
		keys_done(&outside->kind_keys[i]);
	keys_done(&outside->leaf_keys);
	keys_done(&outside->span_keys);
	array_done(&outside->spans, sizeof(struct span));
	array_done(&outside->threads, sizeof(struct thread));
	array_done(&outside->kinds, sizeof(struct kind));
	array_done(&outside->leaves, sizeof(struct outside_leaf));
	array_done(&outside->kept, sizeof(struct stretch));
	array_done(&outside->free, sizeof(uint32_t));
	array_done(&outside->pooled, sizeof(double));
	free(outside);
}

static struct thread *thread_at(const struct outside *outside, uint32_t number)
{
	return (struct thread *)outside->threads.data + number;
}

static uint32_t thread_of(struct outside *outside, uint32_t process, int32_t tid)
{
	uint32_t number = keys_number(&outside->thread_keys, process, (uint64_t)tid);
	struct thread *thread;

	if (number != outside->threads.n)
		return number;
	thread = array_add(&outside->threads, sizeof *thread);
	if (!thread)
		return KEYS_NONE;
	thread->limit = ACCOUNT;
	return number;
}

void outside_remember(struct outside *outside, uint32_t process, int32_t tid)
{
	uint32_t number = thread_of(outside, process, tid);
	struct thread *thread = number != KEYS_NONE ? thread_at(outside, number) : NULL;

	if (!thread || thread->is_remembered || outside->n_remembered == MOST_PAST)
		return;
	thread->is_remembered = true;
	outside->n_remembered++;
}

static uint32_t kind_of(struct outside *outside, const struct kind *kind)
{
	uint32_t number = keys_number(&outside->kind_keys[0], keys_pair(kind->process, (uint32_t)kind->tid),
				      keys_pair(kind->state, kind->stack));
	struct kind *added;

	if (number != KEYS_NONE)
		number = keys_number(&outside->kind_keys[1], number, keys_pair(kind->call, kind->object));
	if (number != KEYS_NONE)
		number = keys_number(&outside->kind_keys[2], number,
				     keys_pair((uint32_t)kind->holder_tid, kind->holder_stack));
	if (number != outside->kinds.n)
		return number;
	added = array_add(&outside->kinds, sizeof *added);
	if (!added)
		return KEYS_NONE;
	*added = *kind;
	return number;
}

static int add_part(struct outside *outside, struct stretch *to, const struct kind *kind, uint64_t ns)
{
	uint32_t number;

	if (!ns)
		return 0;
	number = kind_of(outside, kind);
	if (number == KEYS_NONE)
		return -ENOMEM;
	to->part[to->n_parts++] = (struct part){ number, (double)ns };
	return 0;
}

/* Its part that the thread had a CPU; what the kernel counted is of more than the stretch after a long wait. */
static uint64_t ran_of(const struct event_sample *sample, uint64_t ns)
{
	uint64_t cpu_ns = sample->cpu_ns < ns ? sample->cpu_ns : ns;
	uint64_t queue_ns = sample->queue_ns < ns - cpu_ns ? sample->queue_ns : ns - cpu_ns;

	if (!cpu_ns && !queue_ns)
		return sample->state == SAMPLE_RAN ? ns : 0;
	return (uint64_t)((double)ns * (double)cpu_ns / (double)(cpu_ns + queue_ns));
}

/*
 * Where threads are sampled often, what they did when they were sampled is what they did: on average, shares come out
 * right. But the thread that takes samples runs when a CPU is free, or has just become so: whether another one had a
 * CPU or waited for one is for the kernel to say. A long stretch is divided by what the kernel counted; what a thread
 * that ran waited for in the rest of it is not known.
 */
static int divide(struct outside *outside, struct stretch *to, uint32_t process, const struct event_sample *sample)
{
	struct kind kind = { .process = process,
			     .tid = sample->tid,
			     .state = sample->state,
			     .call = sample->call,
			     .object = sample->object,
			     .stack = sample->stack,
			     .holder_tid = sample->holder_tid,
			     .holder_stack = sample->holder_stack };
	struct kind other = { .process = process, .tid = sample->tid, .stack = sample->stack };
	uint64_t left_ns = sample->weight_ns, cpu_ns, queue_ns;
	int rc = 0;

	to->is_even = left_ns > long_stretch_ns || (!sample->cpu_ns && !sample->queue_ns && kind.state != SAMPLE_RAN &&
						    kind.state != SAMPLE_UNKNOWN);
	if (left_ns <= long_stretch_ns && (kind.state == SAMPLE_RAN || kind.state == SAMPLE_QUEUED)) {
		cpu_ns = ran_of(sample, left_ns);
		kind.state = SAMPLE_RAN;
		rc = add_part(outside, to, &kind, cpu_ns);
		kind.state = SAMPLE_QUEUED;
		return rc ? rc : add_part(outside, to, &kind, left_ns - cpu_ns);
	}
	if (left_ns <= long_stretch_ns || kind.state == SAMPLE_UNKNOWN || kind.state == SAMPLE_STOPPED)
		return add_part(outside, to, &kind, left_ns);
	cpu_ns = sample->cpu_ns < left_ns ? sample->cpu_ns : left_ns;
	left_ns -= cpu_ns;
	queue_ns = sample->queue_ns < left_ns ? sample->queue_ns : left_ns;
	left_ns -= queue_ns;
	other.state = SAMPLE_RAN;
	rc = add_part(outside, to, &other, cpu_ns);
	other.state = SAMPLE_QUEUED;
	if (!rc)
		rc = add_part(outside, to, &other, queue_ns);
	other.state = SAMPLE_UNKNOWN;
	other.stack = 0;
	if (!rc)
		rc = add_part(outside, to, kind.state == SAMPLE_RAN || kind.state == SAMPLE_QUEUED ? &other : &kind,
			      left_ns);
	return rc;
}

uint32_t outside_keep(struct outside *outside, uint32_t process, uint64_t time_ns, const struct event_sample *sample,
		      uint64_t *from_ns)
{
	uint32_t *free = outside->free.data, number;
	uint64_t weight_ns = sample->weight_ns < time_ns ? sample->weight_ns : time_ns;
	struct stretch stretch = { .begin_ns = time_ns - weight_ns, .end_ns = time_ns, .process = process, .lives = 1 };
	struct stretch *to;

	stretch.thread = thread_of(outside, process, sample->tid);
	if (stretch.thread == KEYS_NONE || divide(outside, &stretch, process, sample))
		return OUTSIDE_NONE;
	if (sample->thread_name)
		thread_at(outside, stretch.thread)->name = sample->thread_name;
	number = outside->free.n ? free[--outside->free.n] : (uint32_t)outside->kept.n;
	if (number == outside->kept.n && !array_add(&outside->kept, sizeof *to))
		return OUTSIDE_NONE;
	to = (struct stretch *)outside->kept.data + number;
	*to = stretch;
	*from_ns = stretch.begin_ns;
	return number;
}

static int compare_accounts(const void *a_, const void *b_)
{
	const struct account *a = a_, *b = b_;

	return a->kind < b->kind ? -1 : a->kind > b->kind;
}

/* Rows of the same kind become one. */
static void join(struct thread *thread)
{
	struct account *row = thread->account.data;
	size_t n = 0;

	if (thread->account.n)
		qsort(row, thread->account.n, sizeof *row, compare_accounts);
	for (size_t i = 0; i < thread->account.n; i++) {
		if (n && row[n - 1].kind == row[i].kind) {
			row[n - 1].even_ns += row[i].even_ns;
			row[n - 1].weight_ns += row[i].weight_ns;
			row[n - 1].n += row[i].n;
		} else {
			row[n++] = row[i];
		}
	}
	thread->account.n = n;
	thread->limit = 2 * n > ACCOUNT ? 2 * n : ACCOUNT;
}

static int add_account(struct thread *thread, struct account add)
{
	struct account *last =
	    thread->account.n ? (struct account *)thread->account.data + thread->account.n - 1 : NULL;

	if (last && last->kind == add.kind) {
		last->even_ns += add.even_ns;
		last->weight_ns += add.weight_ns;
		last->n += add.n;
		return 0;
	}
	if (thread->account.n >= thread->limit)
		join(thread);
	last = array_add(&thread->account, sizeof *last);
	if (!last)
		return -ENOMEM;
	*last = add;
	return 0;
}

/* What a stretch says of a time. */
static int settle(struct thread *thread, const struct stretch *stretch, uint64_t from_ns, uint64_t until_ns)
{
	uint64_t begin_ns = stretch->begin_ns > from_ns ? stretch->begin_ns : from_ns;
	uint64_t end_ns = stretch->end_ns < until_ns ? stretch->end_ns : until_ns;
	int rc = 0;

	if (!stretch->end_ns || end_ns <= begin_ns)
		return 0;
	for (uint32_t i = 0; !rc && stretch->is_even && i < stretch->n_parts; i++)
		rc = add_account(thread, (struct account){ stretch->part[i].kind,
							   stretch->part[i].ns * (double)(end_ns - begin_ns) /
							       (double)(stretch->end_ns - stretch->begin_ns),
							   0, i + 1 == stretch->n_parts });
	if (stretch->is_even)
		return rc;
	thread->covered_ns += stretch->lives * (double)(end_ns - begin_ns);
	/* the sample was taken at the end */
	for (uint32_t i = 0; !rc && stretch->end_ns <= until_ns && i < stretch->n_parts; i++)
		rc = add_account(thread, (struct account){ stretch->part[i].kind, 0, stretch->part[i].ns,
							   i + 1 == stretch->n_parts });
	return rc;
}

/* What the last stretch of a thread says of the gap at hand, up to a time. */
static int settle_last(struct outside *outside, struct thread *thread, uint64_t until_ns)
{
	if (thread->gap != outside->gap) {
		thread->gap = outside->gap;
		thread->account.n = 0;
		thread->covered_ns = 0;
	}
	return settle(thread, &thread->last, outside->gap_begin_ns, until_ns);
}

uint64_t outside_ends(const struct outside *outside, uint32_t number, uint32_t *process)
{
	const struct stretch *stretch = (const struct stretch *)outside->kept.data + number;

	*process = stretch->process;
	return stretch->end_ns;
}

static bool is_stopped_kind(const struct outside *outside, uint32_t kind)
{
	return ((const struct kind *)outside->kinds.data)[kind].state == SAMPLE_STOPPED;
}

static bool is_stopped(const struct outside *outside, const struct account *row)
{
	return is_stopped_kind(outside, row->kind);
}

/* A process that is halted does not run: what its threads wait for comes last, and gives way first. */
static void take_halted(const struct outside *outside, struct stretch *from, uint64_t halted_ns)
{
	double left_ns = (double)halted_ns;

	if (!halted_ns || !from->n_parts || is_stopped_kind(outside, from->part[from->n_parts - 1].kind))
		return;
	from->lives = 1 - left_ns / (double)(from->end_ns - from->begin_ns);
	from->lives = from->lives > 0 ? from->lives : 0;
	for (uint32_t i = from->n_parts; i-- && left_ns > 0;) {
		double ns = left_ns < from->part[i].ns ? left_ns : from->part[i].ns;

		from->part[i].ns -= ns;
		left_ns -= ns;
	}
}

static int remember(struct thread *thread, const struct stretch *stretch)
{
	struct stretch *to = thread->past.n < PAST ? array_add(&thread->past, sizeof *to)
						   : (struct stretch *)thread->past.data + thread->n_past % PAST;

	if (!to)
		return -ENOMEM;
	*to = *stretch;
	thread->n_past++;
	return 0;
}

int outside_pass(struct outside *outside, uint32_t number, uint64_t halted_ns)
{
	struct stretch *stretch = (struct stretch *)outside->kept.data + number;
	struct thread *thread = thread_at(outside, stretch->thread);
	uint32_t *free;
	int rc = outside->is_in_gap ? settle_last(outside, thread, stretch->begin_ns) : 0;

	take_halted(outside, stretch, halted_ns);
	thread->last = *stretch;
	thread->first_ns = thread->first_ns ? thread->first_ns : stretch->begin_ns;
	if (!rc && thread->is_remembered)
		rc = remember(thread, stretch);
	free = array_add(&outside->free, sizeof *free);
	if (!free)
		return -ENOMEM;
	*free = number;
	return rc;
}

void outside_begin(struct outside *outside, uint64_t time_ns)
{
	outside->is_in_gap = true;
	outside->gap++;
	outside->gap_begin_ns = time_ns;
}

/* NULL: out of memory. */
static struct outside_leaf *leaf_of(struct outside *outside, uint32_t number, uint32_t before)
{
	const struct kind *kind = (const struct kind *)outside->kinds.data + number;
	uint32_t leaf = outside->leaves.n < MAX_LEAVES ? keys_number(&outside->leaf_keys, number, before)
						       : keys_find(&outside->leaf_keys, number, before);
	struct outside_leaf *added;

	if (leaf == KEYS_NONE)
		return NULL;
	if (leaf < outside->leaves.n)
		return (struct outside_leaf *)outside->leaves.data + leaf;
	added = array_add(&outside->leaves, sizeof *added);
	if (!added || !array_add(&outside->pooled, sizeof(double)))
		return NULL;
	*added = (struct outside_leaf){ .process = kind->process,
					.tid = kind->tid,
					.before = before,
					.state = kind->state,
					.call = kind->call,
					.object = kind->object,
					.stack = kind->stack,
					.holder_tid = kind->holder_tid,
					.holder_stack = kind->holder_stack };
	return added;
}

static int add_to_span(struct outside *outside, const struct outside_leaf *leaf, double ns)
{
	uint32_t number = keys_number(&outside->span_keys, leaf->before, leaf->state);
	struct span *span;

	if (number == KEYS_NONE || (number == outside->spans.n && !array_add(&outside->spans, sizeof *span)))
		return -ENOMEM;
	span = (struct span *)outside->spans.data + number;
	if (span->gap != outside->gap)
		span->own_ns = 0;
	span->gap = outside->gap;
	span->own_ns += ns;
	span->longest_ns = span->own_ns > span->longest_ns ? span->own_ns : span->longest_ns;
	return 0;
}

/* Once there are too many different leaves, new ones stay unexplained. */
static int add_to_leaf(struct outside *outside, uint32_t kind, uint32_t before, double ns, uint64_t n)
{
	struct outside_leaf *leaf = leaf_of(outside, kind, before);

	if (!leaf)
		return outside->leaves.n < MAX_LEAVES ? -ENOMEM : 0;
	leaf->ns += ns;
	leaf->n += n;
	return add_to_span(outside, leaf, ns);
}

static int add_to_pool(struct outside *outside, const struct account *row, uint32_t before)
{
	struct outside_leaf *leaf = leaf_of(outside, row->kind, before);

	if (!leaf)
		return outside->leaves.n < MAX_LEAVES ? -ENOMEM : 0;
	leaf->n += row->n;
	((double *)outside->pooled.data)[leaf - (struct outside_leaf *)outside->leaves.data] += row->weight_ns;
	return 0;
}

/* What the samples of a thread that are not even add up to. */
static double sum_weights(const struct thread *thread, uint64_t *n)
{
	const struct account *row = thread->account.data;
	double sum_ns = 0;

	*n = 0;
	for (size_t i = 0; i < thread->account.n; i++) {
		sum_ns += row[i].weight_ns;
		*n += row[i].weight_ns > 0 ? row[i].n : 0;
	}
	return sum_ns;
}

/* Divides most_ns of the gap by what the thread did, without what it is stopped for. *rest_ns: what is left of it. */
static int divide_gap(struct outside *outside, const struct thread *thread, uint32_t before, double most_ns,
		      double *rest_ns)
{
	const struct account *row = thread->account.data;
	uint64_t n;
	double even_ns = 0, weights_ns = sum_weights(thread, &n), covered_ns = thread->covered_ns, scale = 1;
	bool is_long;
	int rc = 0;

	for (size_t i = 0; i < thread->account.n; i++)
		even_ns += is_stopped(outside, &row[i]) ? 0 : row[i].even_ns;
	if (even_ns + covered_ns > most_ns && even_ns + covered_ns > 0)
		scale = most_ns / (even_ns + covered_ns);
	covered_ns *= scale;
	is_long = n && covered_ns >= LONG_GAP * weights_ns / (double)n;
	for (size_t i = 0; !rc && i < thread->account.n; i++) {
		double ns = is_stopped(outside, &row[i]) ? 0 : row[i].even_ns * scale;

		if (is_long)
			ns += covered_ns * row[i].weight_ns / weights_ns;
		if (ns > 0)
			rc = add_to_leaf(outside, row[i].kind, before, ns, row[i].n);
		if (!rc && !is_long && row[i].weight_ns > 0)
			rc = add_to_pool(outside, &row[i], before);
	}
	outside->pool_ns += is_long ? 0 : covered_ns;
	*rest_ns = most_ns - even_ns * scale - covered_ns;
	return rc;
}

/* For how long the process was stopped, as its halts or samples say. */
static int take_stopped(struct outside *outside, const struct thread *thread, const struct outside_owner *owner,
			double *most_ns)
{
	const struct account *row = thread ? thread->account.data : NULL;
	double sampled_ns = 0, halted_ns = (double)owner->halted_ns;
	struct kind kind = { owner->process, owner->tid, SAMPLE_STOPPED, owner->halted, 0, 0, 0, 0 };
	uint32_t number;
	int rc = 0;

	for (size_t i = 0; thread && i < thread->account.n; i++)
		sampled_ns += is_stopped(outside, &row[i]) ? row[i].even_ns : 0;
	sampled_ns = sampled_ns < *most_ns ? sampled_ns : *most_ns;
	halted_ns = halted_ns < *most_ns ? halted_ns : *most_ns;
	if (sampled_ns >= halted_ns) {
		for (size_t i = 0; !rc && thread && i < thread->account.n; i++)
			if (is_stopped(outside, &row[i]))
				rc = add_to_leaf(outside, row[i].kind, owner->before, row[i].even_ns, row[i].n);
		*most_ns -= sampled_ns;
		return rc;
	}
	number = kind_of(outside, &kind);
	*most_ns -= halted_ns;
	return number == KEYS_NONE ? -ENOMEM : add_to_leaf(outside, number, owner->before, halted_ns, 0);
}

static struct thread *find_thread(const struct outside *outside, uint32_t process, int32_t tid)
{
	uint32_t number = tid ? keys_find(&outside->thread_keys, process, (uint64_t)tid) : KEYS_NONE;

	return number != KEYS_NONE ? thread_at(outside, number) : NULL;
}

/* A gap, of which threads have had the time from known_ns to until_ns; both are end_ns before one has. */
struct gap {
	uint64_t begin_ns, end_ns, known_ns, until_ns;
	double left_ns; /* in all: samples that are missing in between leave some, too */
};

static void widen(struct gap *gap, const struct thread *thread)
{
	bool is_first = gap->known_ns == gap->end_ns;

	if (!thread->last.end_ns)
		return;
	gap->until_ns = is_first || thread->last.end_ns > gap->until_ns ? thread->last.end_ns : gap->until_ns;
	gap->until_ns = gap->until_ns < gap->begin_ns ? gap->begin_ns : gap->until_ns;
	gap->known_ns = thread->first_ns < gap->known_ns ? thread->first_ns : gap->known_ns;
}

static double between(uint64_t from_ns, uint64_t until_ns)
{
	return until_ns > from_ns ? (double)(until_ns - from_ns) : 0;
}

/* What another thread did before known_ns, but not from fork_ns on, and behind until_ns. */
static int divide_rest(struct outside *outside, const struct thread *by, uint64_t fork_ns, uint32_t before,
		       struct gap *gap)
{
	struct thread then = { .limit = ACCOUNT };
	const struct stretch *past = by->past.data;
	uint64_t front_ns = gap->known_ns < fork_ns ? gap->known_ns : fork_ns;
	double rest_ns = between(gap->begin_ns, front_ns) + between(gap->until_ns, gap->end_ns);
	double own_ns = rest_ns < gap->left_ns ? rest_ns : gap->left_ns, unknown_ns = own_ns;
	int rc = 0;

	for (uint64_t n = by->n_past; !rc && own_ns > 0 && n && by->n_past - n < by->past.n; n--) {
		const struct stretch *stretch = &past[(n - 1) % PAST];

		if (stretch->end_ns <= gap->begin_ns)
			break;
		rc = settle(&then, stretch, gap->begin_ns, front_ns);
		rc = rc ? rc : settle(&then, stretch, gap->until_ns, gap->end_ns);
	}
	if (!rc && then.account.n)
		rc = divide_gap(outside, &then, before, own_ns, &unknown_ns);
	gap->left_ns -= own_ns - unknown_ns;
	free_thread(&then);
	widen(gap, by);
	return rc;
}

int outside_end(struct outside *outside, uint64_t first_ns, uint64_t time_ns, const struct outside_owner *owner)
{
	uint64_t begin_ns = outside->gap_begin_ns > first_ns ? outside->gap_begin_ns : first_ns;
	struct gap gap = { begin_ns, time_ns, time_ns, time_ns, between(begin_ns, time_ns) };
	struct thread *own = find_thread(outside, owner->process, owner->tid), *first;
	int rc = 0;

	own = own ? own : find_thread(outside, owner->first[0].process, owner->first[0].tid);
	outside->is_in_gap = false;
	if (time_ns <= begin_ns)
		return 0;
	if (own)
		rc = settle_last(outside, own, time_ns);
	if (!rc)
		rc = take_stopped(outside, own, owner, &gap.left_ns);
	if (!rc && own)
		rc = divide_gap(outside, own, owner->before, gap.left_ns, &gap.left_ns);
	if (own)
		widen(&gap, own);
	for (int i = 0; !rc && gap.left_ns > 0 && i < OUTSIDE_FIRST_THREADS; i++) {
		first = find_thread(outside, owner->first[i].process, owner->first[i].tid);
		if (first && first != own)
			rc = divide_rest(outside, first, owner->first[i].fork_ns, owner->before, &gap);
	}
	return rc;
}

static int compare_leaves(const void *a_, const void *b_)
{
	const struct outside_leaf *a = a_, *b = b_;

	if (a->ns != b->ns)
		return a->ns < b->ns ? 1 : -1;
	if (a->process != b->process || a->tid != b->tid)
		return a->process != b->process ? (a->process < b->process ? -1 : 1) : (a->tid < b->tid ? -1 : 1);
	return a->stack != b->stack ? (a->stack < b->stack ? -1 : 1) : (a->state > b->state) - (a->state < b->state);
}

/* Of short gaps, which are divided together, none is the longest. */
static double longest_of(const struct outside *outside, const struct outside_leaf *leaf)
{
	uint32_t number = keys_find(&outside->span_keys, leaf->before, leaf->state);

	return number != KEYS_NONE ? ((const struct span *)outside->spans.data)[number].longest_ns : 0;
}

void outside_finish(struct outside *outside)
{
	struct outside_leaf *leaf = outside->leaves.data;
	const double *pooled = outside->pooled.data;
	double sum_ns = 0, scale;

	for (size_t i = 0; i < outside->pooled.n; i++)
		sum_ns += pooled[i];
	scale = sum_ns > 0 ? outside->pool_ns / sum_ns : 0;
	scale = scale < most_stretched ? scale : most_stretched;
	for (size_t i = 0; i < outside->leaves.n; i++) {
		const struct thread *thread = find_thread(outside, leaf[i].process, leaf[i].tid);

		leaf[i].ns += pooled[i] * scale;
		leaf[i].thread_name = thread ? thread->name : 0;
		leaf[i].longest_ns = longest_of(outside, &leaf[i]);
	}
	if (outside->leaves.n)
		qsort(leaf, outside->leaves.n, sizeof *leaf, compare_leaves);
}

const struct outside_leaf *outside_leaves(const struct outside *outside, size_t *n)
{
	*n = outside->leaves.n;
	return outside->leaves.data;
}
