// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Runs in the kernel, on the thread that has come to a site: puts one record into the ring. Names are read here, at
 * the first sight of an object, because later it may be gone. What records mean is the recorder's business.
 *
 * One program for all sites of a link: which kind of site it is, and whose, is in the cookie. What a thread is inside
 * of is remembered because operators of a skipped inference are, too, and one on a thread in none tells whose it is.
 */
#include "capture/probe/uprobe.h"

#include <linux/bpf.h>
#include <bpf/bpf_core_read.h>
#include <bpf/bpf_helpers.h>
#include <stdbool.h>
#include <stddef.h>

#include "capture/probe/uprobe_registers.h"

char terms[] SEC("license") = "Dual BSD/GPL";

/* Of the kernel's own structures; libbpf puts in where each field lies in the running kernel, if its types can be read.
 */
#ifdef WITH_USAGE
#pragma clang attribute push(__attribute__((preserve_access_index)), apply_to = record)
struct sched_entity {
	uint64_t exec_start, sum_exec_runtime;
};
struct sched_info {
	unsigned long long run_delay;
};
struct task_io_accounting {
	uint64_t read_bytes;
};
struct task_struct {
	struct sched_entity se;
	struct sched_info sched_info;
	unsigned long nvcsw, nivcsw, min_flt, maj_flt;
	struct task_io_accounting ioac;
};
#pragma clang attribute pop
#endif

/* The pid namespace of the recorder, whose numbers it wants; 0: the initial one. */
const volatile uint64_t namespace_device, namespace_inode;

struct {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, UPROBE_RING_BYTES);
} records SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, UPROBE_MAX_ARMED);
	__type(key, uint32_t);
	__type(value, struct uprobe_armed);
} armed SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, UPROBE_MAX_ARMED);
	__type(key, uint64_t);
	__type(value, uint32_t);
} places SEC(".maps");

/* Processes that came to a probe of all processes and are not watched: one may be a copy of one that is. */
struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, 4096);
	__type(key, uint32_t);
	__type(value, uint32_t);
} strangers SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, N_STRANGER_COUNTS);
	__type(key, uint32_t);
	__type(value, uint64_t);
} n_strangers SEC(".maps");

/* Functions with a return probe inside each other. */
enum { RESULTS = 4 };

struct thread {
	uint64_t stack;	     /* of the outermost run */
	uint32_t depth;	     /* runs inside each other; 0: none */
	uint16_t is_skipped; /* enum skipped */
	uint16_t place;	     /* enum place; of a thread that was in no run so far */
	uint32_t window;     /* in which all this was so */
#if !RETURNS_ADDRESS
	struct {
		uint64_t stack,
		    at; /* at the entry, of a function that has not returned; where it is to put its result */
	} result[RESULTS];
#endif
};

/*
 * Why an inference is not recorded; its operators are not either, whichever thread's inference they look like. The
 * first of these is recorded without them.
 */
enum skipped { NOT_SKIPPED, SKIPPED_OPERATORS, SKIPPED_BY_SAMPLE, SKIPPED_BY_GATE, SKIPPED_BY_WINDOW };

/* Where a thread is that runs an operator and has begun no inference since probes are in. */
enum place { PLACE_UNKNOWN, PLACE_INSIDE, PLACE_OUTSIDE };

struct {
	__uint(type, BPF_MAP_TYPE_TASK_STORAGE);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, int);
	__type(value, struct thread);
} threads SEC(".maps");

/*
 * Objects whose names were told: in the row that 14 bits of a hash choose, 32 more say which object, and below are 32
 * of its mark, which changes with its identity. One that is pushed out is told again. The kernel's own tables with keys
 * cost more than all the rest that is done for an operator.
 */
enum { SEEN_WAYS = 4, SEEN_ROWS = 16384 };

struct seen {
	uint64_t way[SEEN_WAYS];
};

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, SEEN_ROWS);
	__type(key, uint32_t);
	__type(value, struct seen);
} seen SEC(".maps");

/* Everything that one hit needs. */
struct hit {
	uprobe_registers *regs;
	struct uprobe_armed *armed;
	uint64_t cookie;
	uint32_t tid;
};

/* What is known of the current thread. NULL: nothing so far, or with make no memory. */
static __always_inline struct thread *thread_of(bool make)
{
	return bpf_task_storage_get(&threads, bpf_get_current_task_btf(), 0, make ? BPF_LOCAL_STORAGE_GET_F_CREATE : 0);
}

static __always_inline uint64_t peek(uint64_t address)
{
	uint64_t word = 0;

	bpf_probe_read_user(&word, sizeof word, (void *)address);
	return word;
}

/* The stack pointer as it was when the function was called; a site may lie behind the making of its frame. */
static __always_inline uint64_t stack_at_entry(const struct hit *hit)
{
	return REGISTER_STACK(hit->regs) + UPROBE_COOKIE_DEPTH(hit->cookie);
}

/* Returns false: it is nobody's copy. */
static __always_inline bool meet_stranger(uint32_t tgid, uint8_t kind)
{
	uint32_t met = STRANGERS_MET, ran = STRANGERS_RUN_ENDS;
	bool is_run = kind == SITE_RUN && !namespace_inode; /* those of other namespaces are none of ours */
	uint64_t *n = is_run ? bpf_map_lookup_elem(&n_strangers, &ran) : NULL;

	if (n)
		__sync_fetch_and_add(n, 1);
	if (bpf_map_lookup_elem(&strangers, &tgid) || bpf_map_update_elem(&strangers, &tgid, &met, BPF_NOEXIST))
		return false;
	n = bpf_map_lookup_elem(&n_strangers, &met);
	if (n)
		__sync_fetch_and_add(n, 1);
	return false;
}

/* Of a probe of all processes: whose it is. False: a process that is not watched. */
static __always_inline bool find_place(struct hit *hit, uint32_t *index, uint64_t id)
{
	uint64_t key = UPROBE_PLACE(*index & (UPROBE_SHARED - 1), id >> 32);
	const uint32_t *found = bpf_map_lookup_elem(&places, &key);

	if (!found)
		return meet_stranger(id >> 32, (uint8_t)hit->cookie);
	*index = *found;
	hit->cookie = (hit->cookie & ~0xffffff00ull) | (uint64_t)(*index & 0xffffff) << 8;
	return true;
}

/* False: the gate is closed, or it is another process. Inferences are followed before the gate is open. */
static __always_inline bool hit_open(struct hit *hit, uprobe_registers *regs)
{
	struct bpf_pidns_info ids;
	uint64_t id = bpf_get_current_pid_tgid();
	uint32_t index;

	hit->regs = regs;
	hit->cookie = bpf_get_attach_cookie(regs);
	if (namespace_inode && !bpf_get_ns_current_pid_tgid(namespace_device, namespace_inode, &ids, sizeof ids))
		id = (uint64_t)ids.tgid << 32 | ids.pid;
	hit->tid = (uint32_t)id;
	index = UPROBE_COOKIE_ARMED(hit->cookie) & 0xffffff;
	if (index & UPROBE_SHARED && !find_place(hit, &index, id))
		return false;
	hit->armed = bpf_map_lookup_elem(&armed, &index);
	if (!hit->armed || (!hit->armed->is_open && (uint8_t)hit->cookie != SITE_RUN))
		return false;
	return !hit->armed->tgid || hit->armed->tgid == (uint32_t)(id >> 32);
}

static __always_inline void *claim(const struct hit *hit, uint64_t size, uint8_t kind, uint64_t object, bool is_return)
{
	struct uprobe_record *record = bpf_ringbuf_reserve(&records, size, 0);

	if (!record) {
		__sync_fetch_and_add(&hit->armed->n_lost, 1);
		return NULL;
	}
	record->time = bpf_ktime_get_ns();
	record->object = object;
	record->stack =
	    is_return || kind == SITE_OPERATOR_END ? REGISTER_STACK(hit->regs) - BEHIND_CALL + 8 : stack_at_entry(hit);
	record->tid = hit->tid;
	record->kind = kind;
	record->is_return = is_return;
	record->armed = (uint16_t)UPROBE_COOKIE_ARMED(hit->cookie);
	return record;
}

static __always_inline void put(const struct hit *hit, uint64_t object, bool is_return)
{
	struct uprobe_record *record = claim(hit, sizeof *record, (uint8_t)hit->cookie, object, is_return);

	if (record)
		bpf_ringbuf_submit(record, BPF_RB_NO_WAKEUP);
}

/* The name is the text at this address; name_of: where its address is. */
static __always_inline struct uprobe_named *claim_named(const struct hit *hit, uint8_t kind, uint64_t object,
							bool is_return, uint64_t name_of)
{
	struct uprobe_named *named = claim(hit, sizeof *named, kind, object, is_return);

	if (!named)
		return NULL;
	named->index = 0;
	named->provider = 0;
	named->type[0] = 0;
	if (bpf_probe_read_user_str(named->name, sizeof named->name, (void *)peek(name_of)) < 0)
		named->name[0] = 0;
	return named;
}

static __always_inline struct uprobe_record text_record(uint64_t object, uint32_t tid, uint32_t index)
{
	return (struct uprobe_record){
		.time = bpf_ktime_get_ns(), .object = object, .tid = tid, .kind = UPROBE_TEXT, .armed = (uint16_t)index
	};
}

/* tell_text for a long one. */
__noinline int tell_long_text(uint64_t object, uint64_t offset, uint64_t cookie, uint32_t tid, uint64_t generation)
{
	uint32_t index = UPROBE_COOKIE_ARMED(cookie);
	struct uprobe_armed *state = bpf_map_lookup_elem(&armed, &index);
	struct uprobe_long_named *named = bpf_ringbuf_reserve(&records, sizeof *named, 0);

	if (!named) {
		if (state)
			__sync_fetch_and_add(&state->n_lost, 1);
		return 0;
	}
	named->record = text_record(object, tid, index);
	named->index = offset;
	named->provider = generation;
	named->type[0] = 0;
	if (bpf_probe_read_user_str(named->name, sizeof named->name, (void *)peek(object + offset)) < 0)
		named->name[0] = 0;
	bpf_ringbuf_submit(named, BPF_RB_NO_WAKEUP);
	return 0;
}

/*
 * Hands on the std::string at this offset of an object, if there is one. Not static, as the next one: the
 * kernel checks such a function once, and not for each of hundreds of calls.
 */
__noinline int tell_text(uint64_t object, uint64_t offset, uint64_t cookie, uint32_t tid, uint64_t generation)
{
	uint32_t index = UPROBE_COOKIE_ARMED(cookie);
	struct uprobe_armed *state = bpf_map_lookup_elem(&armed, &index);
	struct uprobe_named *named;
	uint64_t word[2] = { 0 };
	char end = 1;

	if (!state || bpf_probe_read_user(word, sizeof word, (void *)(object + offset)))
		return 0;
	if (state->is_old_string)
		word[1] = peek(word[0] - 24);
	if (!word[1] || word[1] >= UPROBE_LONG_NAME || bpf_probe_read_user(&end, 1, (void *)(word[0] + word[1])) || end)
		return 0;
	if (word[1] >= UPROBE_NAME)
		return tell_long_text(object, offset, cookie, tid, generation);
	named = bpf_ringbuf_reserve(&records, sizeof *named, 0);
	if (!named) {
		__sync_fetch_and_add(&state->n_lost, 1);
		return 0;
	}
	named->record = text_record(object, tid, index);
	named->index = offset;
	named->provider = generation;
	named->type[0] = 0;
	if (bpf_probe_read_user_str(named->name, sizeof named->name, (void *)word[0]) != (long)word[1] + 1) {
		bpf_ringbuf_discard(named, BPF_RB_NO_WAKEUP);
		return 0;
	}
	bpf_ringbuf_submit(named, BPF_RB_NO_WAKEUP);
	return 0;
}

enum { BLOCK_BYTES = 160 };

/* Everything in a block of an object that looks like a std::string. Blocks, because the kernel checks every turn of a
 * loop. */
__noinline int tell_block(uint64_t object, uint64_t offset, uint64_t cookie, uint32_t tid, uint64_t generation)
{
	for (uint32_t at = 0; at < BLOCK_BYTES; at += 8)
		if (peek(object + offset + at) >= 4096)
			tell_text(object, offset + at, cookie, tid, generation);
	return 0;
}

/* The same for the object. */
__noinline int tell_texts(uint64_t object, uint64_t size, uint64_t cookie, uint32_t tid, uint64_t generation)
{
	for (uint32_t at = 8; at < UPROBE_SESSION_BYTES && at < size; at += BLOCK_BYTES)
		tell_block(object, at, cookie, tid, generation);
	return 0;
}

static __always_inline uint64_t hash(uint64_t value)
{
	value *= 0x9e3779b97f4a7c15;
	return (value ^ value >> 32) * 0xd6e8feb86659fd93;
}

/* An object on its way to being told: where that is noted, and what. */
struct telling {
	uint64_t *way, entry; /* way NULL: it was told with the same mark */
};

static __always_inline struct telling find_untold(const struct hit *hit, uint64_t object, uint64_t mark)
{
	uint64_t mixed = hash(object ^ hit->cookie >> 8 << 48);
	struct telling telling = { NULL, mixed >> 32 << 32 | hash(mark) >> 32 };
	uint32_t row = mixed & (SEEN_ROWS - 1);
	struct seen *known = bpf_map_lookup_elem(&seen, &row);

	if (!known)
		return telling;
	telling.way = &known->way[mixed >> 30 & (SEEN_WAYS - 1)];
	for (int i = 0; i < SEEN_WAYS; i++) {
		if (known->way[i] == telling.entry)
			telling.way = NULL;
		else if (known->way[i] >> 32 == telling.entry >> 32)
			telling.way = &known->way[i];
	}
	return telling;
}

/* Tells what a session or provider is called when it is seen for the first time, or may be a new one. */
static __always_inline void tell_object(const struct hit *hit, uint64_t object, uint64_t size)
{
	uint64_t generation = hit->armed->generation, n_lost = hit->armed->n_lost;
	struct telling telling = find_untold(hit, object, generation);

	if (!telling.way)
		return;
	tell_texts(object, size, hit->cookie, hit->tid, generation);
	if (hit->armed->n_lost == n_lost) /* else it is told again */
		*telling.way = telling.entry;
}

static __always_inline uint64_t string_length(const struct uprobe_armed *state, uint64_t string)
{
	return peek(state->is_old_string ? peek(string) - 24 : string + 8);
}

/* Tells of a kernel whose node has a long name. 0: no room. */
__noinline int tell_long_kernel(uint64_t object, uint64_t node, uint64_t provider, uint64_t cookie, uint32_t tid)
{
	uint32_t index = UPROBE_COOKIE_ARMED(cookie);
	struct uprobe_armed *state = bpf_map_lookup_elem(&armed, &index);
	struct uprobe_long_named *named;

	if (!state)
		return 0;
	named = bpf_ringbuf_reserve(&records, sizeof *named, 0);
	if (!named) {
		__sync_fetch_and_add(&state->n_lost, 1);
		return 0;
	}
	named->record = text_record(object, tid, index);
	named->record.kind = UPROBE_KERNEL;
	named->index = peek(node + state->node_index);
	named->provider = provider;
	if (bpf_probe_read_user_str(named->name, sizeof named->name, (void *)peek(node + state->node_name)) < 0)
		named->name[0] = 0;
	if (bpf_probe_read_user_str(named->type, sizeof named->type, (void *)peek(node + state->node_type)) < 0)
		named->type[0] = 0;
	bpf_ringbuf_submit(named, BPF_RB_NO_WAKEUP);
	return 1;
}

/*
 * The same for a kernel. Once sessions are made, kernels come and go with them alone; while one is being made, a kernel
 * at a known address may be another (is_making): reading a word of it on every hit would cost a fifth of all that.
 */
static __always_inline void tell_kernel(const struct hit *hit, uint64_t object, bool is_making)
{
	const struct uprobe_armed *state = hit->armed;
	uint64_t info = object + state->kernel_info, made = is_making ? peek(info) : 0, node, provider;
	struct telling telling = find_untold(hit, object, made ^ hit->armed->generation << 48);
	struct uprobe_named *named;

	if (!telling.way)
		return;
	if (!state->is_info_inside)
		info = is_making ? made : peek(info);
	node = peek(info + state->info_node);
	provider = peek(info + state->info_provider);
	tell_object(hit, provider, UPROBE_PROVIDER_BYTES);
	if (string_length(state, node + state->node_name) >= UPROBE_NAME) {
		if (tell_long_kernel(object, node, provider, hit->cookie, hit->tid))
			*telling.way = telling.entry;
		return;
	}
	named = claim_named(hit, UPROBE_KERNEL, object, false, node + state->node_name);
	if (!named)
		return;
	named->index = peek(node + state->node_index);
	named->provider = provider;
	if (bpf_probe_read_user_str(named->type, sizeof named->type, (void *)peek(node + state->node_type)) < 0)
		named->type[0] = 0;
	bpf_ringbuf_submit(named, BPF_RB_NO_WAKEUP);
	*telling.way = telling.entry;
}

enum { STACK_WORDS = 32, STACK_BLOCKS = 48 };

/* Whether a return address into InferenceSession::Run stands in this block of a stack; 2: the stack ends here. */
__noinline int is_run_in_block(uint64_t stack, uint64_t start, uint64_t end)
{
	uint64_t word[STACK_WORDS];

	if (bpf_probe_read_user(word, sizeof word, (void *)stack))
		return 2;
	for (int i = 0; i < STACK_WORDS; i++)
		if (CODE_ADDRESS(word[i]) - start < end - start)
			return 1;
	return 0;
}

/* The same of 12 KiB above the stack pointer: far enough from an operator's Compute to the Run that it is in. */
__noinline int is_run_on_stack(uint64_t stack, uint64_t start, uint64_t end)
{
	for (uint32_t i = 0; i < STACK_BLOCKS; i++) {
		int found = is_run_in_block(stack + i * STACK_WORDS * 8, start, end);

		if (found)
			return found == 1;
	}
	return 0;
}

/*
 * An operator on a thread that has begun no inference as far as we know is either one of an inference that began
 * unseen, on the thread that called Run, or one that the runtime has handed to a thread of its own. The stack tells,
 * once for a thread.
 */
static __always_inline bool is_in_unseen(const struct hit *hit, struct thread *thread)
{
	if (!hit->armed->run_end)
		return false;
	if (!thread)
		thread = thread_of(true);
	if (!thread)
		return false;
	if (thread->place == PLACE_UNKNOWN)
		thread->place = is_run_on_stack(REGISTER_STACK(hit->regs), hit->armed->run_start, hit->armed->run_end)
				    ? PLACE_INSIDE
				    : PLACE_OUTSIDE;
	return thread->place == PLACE_INSIDE;
}

static __always_inline int operator_begin(const struct hit *hit)
{
	struct thread *thread = thread_of(false);
	uint64_t kernel = REGISTER_THIS(hit->regs), context = REGISTER_ARGUMENT(hit->regs);
	struct uprobe_joined *joined;
	bool is_unseen;

	if (thread && thread->depth && thread->is_skipped)
		return 0;
	tell_kernel(hit, kernel, false);
	if (thread && thread->depth) {
		put(hit, kernel, false);
		return 0;
	}
	is_unseen = is_in_unseen(hit, thread);
	joined = claim(hit, sizeof *joined, SITE_OPERATOR, kernel, false);
	if (!joined)
		return 0;
	__builtin_memset(joined->word, 0, sizeof joined->word);
	if (!is_unseen && bpf_probe_read_user(joined->word, UPROBE_CONTEXT_WORDS * sizeof *joined->word,
					      (void *)(context + hit->armed->context_options)) < 0)
		__builtin_memset(joined->word, 0, sizeof joined->word);
	bpf_ringbuf_submit(joined, BPF_RB_NO_WAKEUP);
	return 0;
}

static __always_inline int operator_end(const struct hit *hit)
{
	struct thread *thread = hit->armed->has_gaps ? thread_of(false) : NULL;

	if (!thread || !thread->depth || !thread->is_skipped)
		put(hit, 0, false);
	return 0;
}

/* Whether an inference that begins is one of those that are not recorded. */
static __always_inline enum skipped is_skipped(struct uprobe_armed *state)
{
	uint64_t n, now, next, then;

	if (!state->is_open)
		return SKIPPED_BY_GATE;
	if (!state->has_gaps)
		return NOT_SKIPPED;
	if (state->is_run_out)
		return SKIPPED_BY_WINDOW;
	n = __sync_fetch_and_add(&state->n_runs, 1);
	if (state->sample > 1 && n % state->sample)
		return SKIPPED_BY_SAMPLE;
	if (!state->min_gap_ns)
		return state->is_operator_out ? SKIPPED_OPERATORS : NOT_SKIPPED;
	now = bpf_ktime_get_ns();
	next = state->next_ns;
	if (next > now)
		return SKIPPED_BY_SAMPLE;
	then = (now - next > state->min_gap_ns ? now : next) + state->min_gap_ns;
	/* of two at the same moment one is */
	if (__sync_val_compare_and_swap(&state->next_ns, next, then) != next)
		return SKIPPED_BY_SAMPLE;
	return state->is_operator_out ? SKIPPED_OPERATORS : NOT_SKIPPED;
}

/* Remembers that the thread is inside a run. False: one that is not recorded. */
static __always_inline bool enter(const struct hit *hit)
{
	struct thread *thread = thread_of(true);

	if (!thread)
		return true;
	/* the stack has come up again, or probes were out: what was open there has ended unseen */
	if (!thread->depth || thread->stack <= stack_at_entry(hit) || thread->window != hit->armed->window) {
		thread->depth = 0;
		thread->window = hit->armed->window;
		thread->stack = stack_at_entry(hit);
		thread->is_skipped = is_skipped(hit->armed);
		thread->place = PLACE_OUTSIDE; /* once this run is over */
	}
	if (thread->is_skipped == SKIPPED_BY_SAMPLE && !thread->depth)
		__sync_fetch_and_add(&hit->armed->n_skipped, 1);
	thread->depth++;
	return thread->is_skipped <= SKIPPED_OPERATORS;
}

/* The same for its end. One that began before the gate was open is told by its end alone, and counted. */
static __always_inline bool leave_run(const struct hit *hit)
{
	struct thread *thread = thread_of(false);

	if (!thread || !thread->depth)
		return true;
	thread->depth--;
	return thread->is_skipped != SKIPPED_BY_SAMPLE && thread->is_skipped != SKIPPED_BY_WINDOW;
}

/* Where the function that is being entered puts what it returns, for returned_at. */
static __always_inline void note_result(const struct hit *hit)
{
#if !RETURNS_ADDRESS
	struct thread *thread = thread_of(true);
	uint64_t stack = stack_at_entry(hit);

	for (int i = 0; thread && i < RESULTS; i++) {
		/* one that is below has ended unseen */
		if (thread->result[i].stack > stack)
			continue;
		thread->result[i].stack = stack;
		thread->result[i].at = REGISTER_RESULT(hit->regs);
		return;
	}
#endif
}

static __always_inline bool keeps_threads(const struct hit *hit)
{
	return hit->armed->has_operators || hit->armed->has_gaps;
}

/* The words of a run other than its options; 0: not known. */
static __always_inline void read_usage(struct uprobe_joined *joined)
{
#ifdef WITH_USAGE
	const struct task_struct *task = bpf_get_current_task_btf();

	joined->word[UPROBE_RAN] = task->se.sum_exec_runtime;
	joined->word[UPROBE_CPU] = task->se.sum_exec_runtime - task->se.exec_start + joined->record.time;
	joined->word[UPROBE_WAIT] =
	    bpf_core_field_exists(task->sched_info.run_delay) ? task->sched_info.run_delay : ~0ull;
	joined->word[UPROBE_FAULTS_SWITCHES] =
	    (task->min_flt + task->maj_flt) << 32 | (uint32_t)(task->nvcsw + task->nivcsw);
	joined->word[UPROBE_MAJOR] = task->maj_flt;
	joined->word[UPROBE_READ] = bpf_core_field_exists(task->ioac.read_bytes) ? task->ioac.read_bytes : 0;
#else
	for (int i = UPROBE_OPTIONS + 1; i < UPROBE_RUN_WORDS; i++)
		joined->word[i] = 0;
#endif
}

static __always_inline bool has_no_operators(void)
{
	const struct thread *thread = thread_of(false);

	return thread && thread->depth && thread->is_skipped == SKIPPED_OPERATORS;
}

static __always_inline int run_begin(const struct hit *hit)
{
	struct uprobe_joined *joined;

	if ((keeps_threads(hit) && !enter(hit)) || !hit->armed->is_open)
		return 0;
	note_result(hit);
	tell_object(hit, REGISTER_THIS(hit->regs), UPROBE_SESSION_BYTES);
	joined = claim(hit, sizeof *joined, SITE_RUN, REGISTER_THIS(hit->regs), false);
	if (!joined)
		return 0;
	joined->word[UPROBE_OPTIONS] =
	    hit->armed->has_gaps && has_no_operators() ? UPROBE_NO_OPERATORS : REGISTER_ARGUMENT(hit->regs);
	read_usage(joined);
	bpf_ringbuf_submit(joined, BPF_RB_NO_WAKEUP);
	return 0;
}

/* Where the class is that a function has returned; 0: not known, because its entry was not seen. */
static __always_inline uint64_t returned_at(const struct hit *hit)
{
#if RETURNS_ADDRESS
	return REGISTER_RETURNED(hit->regs);
#else
	struct thread *thread = thread_of(false);

	for (int i = 0; thread && i < RESULTS; i++) {
		if (thread->result[i].stack != REGISTER_STACK(hit->regs) - BEHIND_CALL)
			continue;
		thread->result[i].stack = 0;
		return thread->result[i].at;
	}
	return 0;
#endif
}

/* What a function that returns a Status has returned: nothing, or a message. */
static __always_inline void put_status(const struct hit *hit)
{
	uint64_t at = returned_at(hit), state = at ? peek(at) : 0;
	struct uprobe_joined *joined;
	struct uprobe_named *named;

	if (!state && (uint8_t)hit->cookie == SITE_RUN) {
		joined = claim(hit, sizeof *joined, SITE_RUN, 0, true);
		if (!joined)
			return;
		joined->word[UPROBE_OPTIONS] = 0;
		read_usage(joined);
		bpf_ringbuf_submit(joined, BPF_RB_NO_WAKEUP);
		return;
	}
	if (!state) {
		put(hit, 0, true);
		return;
	}
	named = claim_named(hit, (uint8_t)hit->cookie, state, true, state + hit->armed->status_message);
	if (named)
		bpf_ringbuf_submit(named, BPF_RB_NO_WAKEUP);
}

static __always_inline int on_return(const struct hit *hit)
{
	if ((uint8_t)hit->cookie == SITE_RUN && keeps_threads(hit) && !leave_run(hit))
		return 0;
	if (!hit->armed->is_open)
		return 0;
	if ((uint8_t)hit->cookie == SITE_INITIALIZE)
		__sync_fetch_and_add(&hit->armed->generation, 1);
	put_status(hit);
	return 0;
}

static __always_inline int on_entry(const struct hit *hit)
{
	struct uprobe_named *named;

	switch ((uint8_t)hit->cookie) {
	case SITE_OPERATOR:
		return operator_begin(hit);
	case SITE_OPERATOR_END:
		return operator_end(hit);
	case SITE_RUN:
		return run_begin(hit);
	case SITE_TRANSFORM:
		named = claim_named(hit, SITE_TRANSFORM, REGISTER_THIS(hit->regs), false,
				    REGISTER_THIS(hit->regs) + hit->armed->part_name);
		if (named)
			bpf_ringbuf_submit(named, BPF_RB_NO_WAKEUP);
		return 0;
	case SITE_PREPACK:
		tell_kernel(hit, REGISTER_THIS(hit->regs), true);
		break;
	case SITE_SESSION_DELETE:
		__sync_fetch_and_add(&hit->armed->generation, 1);
		put(hit, REGISTER_THIS_PLAIN(hit->regs), false);
		return 0;
	case SITE_GET_CAPABILITY:
	case SITE_COMPILE:
		tell_object(hit, REGISTER_THIS(hit->regs), UPROBE_PROVIDER_BYTES);
		break;
	case SITE_INITIALIZE: /* the model is loaded: names are there */
		note_result(hit);
		__sync_fetch_and_add(&hit->armed->generation, 1);
		tell_object(hit, REGISTER_THIS(hit->regs), UPROBE_SESSION_BYTES);
		break;
	case SITE_LOAD:
		note_result(hit);
		__sync_fetch_and_add(&hit->armed->generation, 1);
		break;
	}
	put(hit, REGISTER_THIS(hit->regs), false);
	return 0;
}

SEC("uprobe")
int entry(uprobe_registers *regs)
{
	struct hit hit;

	return hit_open(&hit, regs) ? on_entry(&hit) : 0;
}

SEC("uprobe")
int leave(uprobe_registers *regs)
{
	struct hit hit;

	return hit_open(&hit, regs) ? on_return(&hit) : 0;
}

/*
 * In an object of its own: to find out that a kernel does not have this function, libbpf looks through all its modules,
 * which wants CAP_SYS_ADMIN.
 */
#ifdef WITH_SESSION
extern bool bpf_session_is_return(void) __ksym;

SEC("uprobe")
int session(uprobe_registers *regs)
{
	struct hit hit;

	if (!hit_open(&hit, regs))
		return 0;
	return bpf_session_is_return() ? on_return(&hit) : on_entry(&hit);
}
#endif

/* What probes cost that do nothing: the peers of the benches, and the self-test. */
SEC("uprobe")
int empty(uprobe_registers *regs)
{
	return 0;
}

SEC("uprobe")
int empty_session(uprobe_registers *regs)
{
	return 0;
}
