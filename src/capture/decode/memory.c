// SPDX-License-Identifier: Apache-2.0
/* Keeps living blocks by address, and adds them up. Does not read records, and writes nothing but values of counters.
 */
#include "capture/decode/memory.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"

enum { MAX_ALLOCATORS = 1 << 18, MAX_NODES = 1 << 20, MAX_KEPT = 4096 };

struct memory_allocator *memory_allocator(struct memory *memory, uint32_t id)
{
	uint32_t n = memory->n_allocators;

	if (!id || id >= MAX_ALLOCATORS || !ARRAY_ROOM(memory->allocator, memory->n_allocators, id + 1))
		return NULL;
	while (n < memory->n_allocators)
		memory->allocator[n++].account = MEMORY_NO_ACCOUNT;
	return &memory->allocator[id];
}

void memory_shapes(struct memory *memory, struct names *names, uint32_t node, uint32_t shapes)
{
	if (node >= MAX_NODES || !ARRAY_ROOM(memory->shapes, memory->n_shapes, node + 1))
		return;
	if (names_is_passing(shapes))
		shapes = memory->n_kept++ < MAX_KEPT ? names_keep(names, shapes) : 0;
	memory->shapes[node] = shapes;
}

int memory_add(struct memory *memory, const struct memory_event *event)
{
	if (!ARRAY_ROOM(memory->event, memory->capacity, memory->n + 1))
		return -ENOMEM;
	memory->event[memory->n] = *event;
	memory->event[memory->n++].order = memory->order++;
	return 0;
}

static int by_time(const void *left, const void *right)
{
	const struct memory_event *a = left, *b = right;

	if (a->time_ns != b->time_ns)
		return a->time_ns < b->time_ns ? -1 : 1;
	return a->order < b->order ? -1 : a->order > b->order;
}

static bool is_account(const struct memory_account *account, uint32_t session, uint32_t device)
{
	return account->session == session && account->device == device && !account->is_over;
}

/* The account of this session and device; made if there is none. MEMORY_NO_ACCOUNT: out of memory. */
static uint32_t find_account(struct memory *memory, struct memory_allocator *allocator, uint32_t session)
{
	uint32_t n = memory->n_accounts, at;

	if (allocator->account < n && is_account(&memory->account[allocator->account], session, allocator->device))
		return allocator->account;
	/* the newest first */
	for (uint32_t i = n; i-- > 0;)
		if (is_account(&memory->account[i], session, allocator->device))
			return allocator->account = i;
	for (at = 0; at < n && !memory->account[at].is_over; at++)
		;
	if (at == n && !ARRAY_ROOM(memory->account, memory->accounts_capacity, n + 1))
		return MEMORY_NO_ACCOUNT;
	memory->account[at] = (struct memory_account){ .session = session, .device = allocator->device };
	memory->n_accounts += at == n;
	return allocator->account = at;
}

/* Of two that hold the same, the one that was seen first: it has ended, and its shapes are known. */
static bool is_above(const struct memory_node *a, const struct memory_node *b)
{
	return a->bytes != b->bytes ? a->bytes > b->bytes : a->node < b->node;
}

static void take_operators_peak(struct memory_account *account)
{
	struct memory_node *top = account->at_peak;
	uint32_t n = 0;

	account->operators_have_grown = false;
	for (size_t i = 0; i < account->nodes.n_slots; i++) {
		const struct memory_node *node = (struct memory_node *)account->nodes.row + i;
		uint32_t at = n < MEMORY_AT_PEAK ? n : MEMORY_AT_PEAK;
		if (!node->node || !node->bytes)
			continue;
		for (; at && is_above(node, &top[at - 1]); at--)
			if (at < MEMORY_AT_PEAK)
				top[at] = top[at - 1];
		if (at < MEMORY_AT_PEAK)
			top[at] = *node;
		n++;
	}
	account->n_at_peak = n;
}

/* A level may be at its highest so far, and is about to fall: who holds it? */
static void take_peaks(struct memory_account *account)
{
	if (account->operators_have_grown)
		take_operators_peak(account);
	if (!account->has_grown)
		return;
	account->has_grown = false;
	for (int i = 0; i < N_MEMORY_USES; i++)
		account->use_at_peak[i] = account->now.use[i].bytes;
}

static void set_level(struct memory_level *level, uint64_t bytes, uint64_t time_ns)
{
	if (!level->has_changed || bytes >= level->high) {
		level->high = bytes;
		level->high_ns = time_ns;
	}
	level->has_changed = true;
	level->last = bytes;
	level->last_ns = time_ns;
}

/* What runtimes have taken in all. */
static void add_total(struct memory *memory, uint64_t taken, uint64_t given_back, uint64_t time_ns)
{
	memory->total += taken - given_back;
	set_level(&memory->level, memory->total, time_ns);
}

static void hold(struct memory_account *account, const struct memory_event *event)
{
	account->now.held += event->bytes;
	if (account->now.held > account->held_peak)
		account->held_peak = account->now.held;
	account->n_growths += !event->is_reserve;
	account->n_reserves += event->is_reserve;
	set_level(&account->levels[1], account->now.held, event->time_ns);
}

static bool is_of_runs(uint8_t use)
{
	return use == MEMORY_OPERATOR || use == MEMORY_RUN;
}

static void use(struct memory_account *account, const struct memory_event *event, bool is_direct)
{
	struct memory_node *node =
	    event->node ? slots_get(&account->nodes, event->node, sizeof(struct memory_node)) : NULL;

	account->now.in_use += event->bytes;
	account->now.direct += is_direct ? event->bytes : 0;
	account->now.use[event->use].bytes += event->bytes;
	account->now.use[event->use].n++;
	if (is_of_runs(event->use)) {
		account->recent[account->n_run_ends % MEMORY_RECENT].bytes += event->bytes;
		account->recent[account->n_run_ends % MEMORY_RECENT].n++;
	}
	account->n_allocs++;
	account->allocated += event->bytes;
	if (node) {
		node->bytes += event->bytes;
		node->n++;
	}
	if (account->now.in_use > account->peak) {
		account->peak = account->now.in_use;
		account->has_grown = true;
	}
	if (account->now.use[MEMORY_OPERATOR].bytes > account->operators_peak) {
		account->operators_peak = account->now.use[MEMORY_OPERATOR].bytes;
		account->operators_have_grown = true;
	}
	set_level(&account->levels[0], account->now.in_use, event->time_ns);
}

static void release(struct memory *memory, struct memory_block *block, uint64_t time_ns)
{
	struct memory_account *account = &memory->account[block->account];
	struct memory_node *node;

	account->has_changed = true;
	if (block->address & 3)
		add_total(memory, 0, block->bytes, time_ns);
	if (block->address & 1) {
		account->now.held -= block->bytes;
		set_level(&account->levels[1], account->now.held, time_ns);
	} else {
		take_peaks(account);
		account->now.in_use -= block->bytes;
		account->now.direct -= block->address & 2 ? block->bytes : 0;
		account->now.use[block->use].bytes -= block->bytes;
		account->now.use[block->use].n--;
		if (is_of_runs(block->use) && (uint32_t)account->n_run_ends - block->born < MEMORY_RECENT) {
			account->recent[block->born % MEMORY_RECENT].bytes -= block->bytes;
			account->recent[block->born % MEMORY_RECENT].n--;
		}
		account->n_frees++;
		node = block->node ? slots_get(&account->nodes, block->node, sizeof(struct memory_node)) : NULL;
		if (node && node->n) {
			node->bytes -= block->bytes;
			node->n--;
		}
		set_level(&account->levels[0], account->now.in_use, time_ns);
	}
	slots_remove(&memory->blocks, block, sizeof *block);
}

static int put_value(const struct memory_event *from, struct sink *out, struct err *err)
{
	struct event event = {
		.type = EVENT_COUNTER, .track = from->counter, .time_ns = from->time_ns, .value = from->value
	};

	return sink_put(out, &event, err);
}

static int add_growth(struct memory *memory, const struct memory_event *event, uint32_t session)
{
	if (!ARRAY_ROOM(memory->growth, memory->growths_capacity, memory->n_growths + 1))
		return -ENOMEM;
	memory->growth[memory->n_growths++] =
	    (struct memory_growth){ event->time_ns, event->bytes, event->allocator, session, event->is_reserve };
	return 0;
}

/*
 * The block that is freed; NULL: none. Its allocator tells on which side of an arena it is; a block of
 * an unknown allocator is on this side.
 */
static struct memory_block *find_freed(const struct memory *memory, const struct memory_event *event)
{
	bool is_behind = event->allocator && event->allocator < memory->n_allocators &&
			 memory->allocator[event->allocator].is_behind_arena;
	struct memory_block *block = slots_find(&memory->blocks, event->address << 2 | is_behind, sizeof *block);

	return block || is_behind ? block : slots_find(&memory->blocks, event->address << 2 | 2, sizeof *block);
}

static int apply_free(struct memory *memory, const struct memory_event *event)
{
	struct memory_block *block = find_freed(memory, event);

	if (block)
		release(memory, block, event->time_ns);
	else
		memory->n_unknown++;
	return 0;
}

static int apply_alloc(struct memory *memory, const struct memory_event *event)
{
	struct memory_allocator *allocator = memory_allocator(memory, event->allocator);
	bool is_behind = allocator->is_behind_arena, is_direct = !is_behind && !allocator->is_arena;
	uint32_t session = allocator->session ? allocator->session : event->session;
	uint64_t address = event->address << 2 | (uint64_t)is_behind | (uint64_t)is_direct << 1;
	uint32_t account = find_account(memory, allocator, session);
	size_t n = memory->blocks.n;
	struct memory_block *block =
	    account == MEMORY_NO_ACCOUNT ? NULL : slots_get(&memory->blocks, address, sizeof *block);

	/* an address that is allocated again was freed, and the record of that is lost */
	if (block && memory->blocks.n == n) {
		memory->n_reused++;
		release(memory, block, event->time_ns);
		block = slots_get(&memory->blocks, address, sizeof *block);
	}
	if (!block)
		return -ENOMEM;
	*block = (struct memory_block){
		address, event->bytes, account, event->node, (uint32_t)memory->account[account].n_run_ends, event->use
	};
	memory->account[account].has_changed = true;
	if (is_behind || is_direct)
		add_total(memory, event->bytes, 0, event->time_ns);
	if (!is_behind) {
		use(&memory->account[account], event, is_direct);
		return 0;
	}
	hold(&memory->account[account], event);
	return add_growth(memory, event, session);
}

static void apply_release(struct memory *memory, uint32_t session)
{
	for (uint32_t i = 0; i < memory->n_accounts; i++) {
		struct memory_account *account = &memory->account[i];
		if (account->session != session || account->is_over || account->is_released)
			continue;
		account->is_released = account->has_changed = true;
		account->at_release = account->now;
	}
}

static void end_run(struct memory_account *account)
{
	const struct memory_amount *operators = &account->now.use[MEMORY_OPERATOR],
				   *runs = &account->now.use[MEMORY_RUN];

	account->at_run_end = (struct memory_amount){ operators->bytes + runs->bytes, operators->n + runs->n };
	account->kept = account->at_run_end;
	for (uint32_t i = 0; i < MEMORY_RECENT; i++) {
		account->kept.bytes -= account->recent[i].bytes;
		account->kept.n -= account->recent[i].n;
	}
	account->n_run_ends++;
	account->recent[account->n_run_ends % MEMORY_RECENT] = (struct memory_amount){ 0 };
}

static void apply_run_end(struct memory *memory, uint32_t session)
{
	for (uint32_t i = memory->n_accounts; session && i-- > 0;) {
		struct memory_account *account = &memory->account[i];
		if (account->session != session || account->is_over)
			continue;
		account->has_changed = true;
		end_run(account);
	}
}

static int apply(struct memory *memory, struct sink *out, const struct memory_event *event, struct err *err)
{

	if (event->counter)
		return put_value(event, out, err);
	if (event->is_release || event->is_run_end) {
		(event->is_release ? apply_release : apply_run_end)(memory, event->session);
		return 0;
	}
	return event->is_free ? apply_free(memory, event) : apply_alloc(memory, event);
}

int memory_apply(struct memory *memory, struct sink *out, uint64_t until_ns, struct err *err)
{
	size_t i;
	int code = 0;

	if (!memory->n)
		return 0;
	qsort(memory->event, memory->n, sizeof *memory->event, by_time);
	for (i = 0; i < memory->n && memory->event[i].time_ns <= until_ns && !code; i++)
		code = apply(memory, out, &memory->event[i], err);
	memmove(memory->event, memory->event + i, (memory->n - i) * sizeof *memory->event);
	memory->n -= i;
	for (uint32_t k = 0; k < memory->n_accounts; k++)
		take_peaks(&memory->account[k]);
	return code;
}

void memory_done(struct memory *memory)
{
	for (uint32_t i = 0; i < memory->n_accounts; i++)
		slots_done(&memory->account[i].nodes);
	free(memory->account);
	free(memory->growth);
	free(memory->shapes);
	free(memory->allocator);
	free(memory->event);
	slots_done(&memory->blocks);
	memset(memory, 0, sizeof *memory);
}
