// SPDX-License-Identifier: Apache-2.0
/* The agent's files without a runtime: threads and rings, brackets, sessions. */
#include "capture/agent/agent.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/processor.h"
#include "capture/agent/dict.h"
#include "capture/agent/llama/llama_in.h"
#include "capture/agent/ort/ort_in.h"
#include "capture/agent/room.h"
#include "capture/agent/run/inference.h"
#include "capture/agent/run/phase.h"
#include "capture/agent/share.h"
#include "cases.h"

#define PHASE_NAME(name, text) text,

static char dir[] = "/tmp/inftrace-agent-XXXXXX";

static void forked(bool has_segment)
{
}

static void ended(void)
{
}

static bool is_over(void)
{
	return false;
}

static const struct agent_edges edges = { forked, ended, is_over };

static int start(void **state)
{
	struct agent_settings settings = { mkdtemp(dir), LEVEL_OPERATOR, 1 << 20, false };

	agent_at_edges(&edges);
	if (!agent_set_up())
		return -1;
	agent_set(&settings);
	return agent_enter_process() ? 0 : -1;
}

static int stop(void **state)
{
	unlink(agent.path);
	return rmdir(dir);
}

TEST(a_thread_without_a_ring_does_not_ask_for_one_each_time)
{
	uint32_t n_rings = agent.segment->n_rings;
	uint64_t begin_ns = clock_ns();

	agent.segment->n_rings = SEGMENT_MAX_RINGS;
	for (int i = 0; i < 1000; i++)
		assert_null(agent_thread());
	assert_in_range(agent.segment->ring_lost, 1, 1 + (clock_ns() - begin_ns) / 100000000);
	agent.segment->n_rings = n_rings;
	agent.segment->ring_lost = 0;
	while (!agent_thread()) /* again after a while */
		usleep(1000);
}

static struct thread *another_thread(void)
{
	self_thread = NULL;
	return agent_thread();
}

TEST(a_thread_moves_to_a_ring_behind_its_own)
{
	struct thread *before = self_thread, *mover = another_thread(), *behind, *first;
	uint32_t large, old = mover->ring_number;

	agent_grow_ring(mover);
	large = mover->ring_number;
	assert_in_range(large, old + 1, SEGMENT_MAX_RINGS);
	first = another_thread(); /* in the ring that was left */
	assert_int_equal(first->ring_number, old);
	behind = another_thread();
	assert_in_range(behind->ring_number, large + 1, SEGMENT_MAX_RINGS);
	agent.free_ring[agent.n_free_rings++] = large;	   /* the mover has ended, */
	agent.ring[large]->tail = agent.ring[large]->head; /* and is read */
	agent_grow_ring(behind);
	assert_in_range(behind->ring_number, large + 1, SEGMENT_MAX_RINGS);
	agent_grow_ring(first);
	assert_int_equal(first->ring_number, large);
	self_thread = before;
}

static void write_records(struct thread *thread, uint64_t n)
{
	for (; n; n--) {
		struct record *record = agent_claim(thread);
		assert_non_null(record);
		*record = (struct record){ .type = RECORD_USER_INSTANT };
		agent_publish(thread);
	}
}

TEST(a_thread_reads_the_tail_once_for_half_a_ring_and_moves_beyond)
{
	struct thread *before = self_thread, *thread = another_thread();
	struct ring *ring = thread->ring.ring;
	uint64_t size = thread->ring.mask + 1, begun;

	ring->tail = ring->head;
	begun = thread->ring.head;
	thread->ring.limit = begun;
	write_records(thread, 1);
	assert_in_range(thread->ring.limit, begun + size / 2 - 1, begun + size / 2 + 1);
	/* beyond a full ring by its tail: not read again before the limit */
	ring->tail = begun - size;
	write_records(thread, thread->ring.limit - thread->ring.head);
	assert_ptr_equal(thread->ring.ring, ring);
	ring->tail = begun;
	write_records(thread, 2);
	assert_ptr_not_equal(thread->ring.ring, ring);
	assert_int_equal(ring->lost + thread->ring.ring->lost, 0);
	self_thread = before;
}

/* The agent's thread leaves with its recorder, but not while the process shares. */
TEST(an_injected_agent_goes_on_for_the_process)
{
	struct port_share share = { .segment_layout = SEGMENT_LAYOUT };
	struct thread *before = self_thread, *thread = another_thread();
	struct ring *ring = thread->ring.ring;

	agent.late_since = 1;
	assert_int_equal(share_begin(&share), -EBUSY); /* a child of fork */
	hot->is_injected = 1;
	assert_int_equal(share_begin(&share), -ENOENT); /* still coming */
	share_open();
	hot->is_child = 1;
	assert_int_equal(share_begin(&share), -EBUSY); /* its thread has left the hooks to themselves */
	hot->is_child = 0;
	assert_int_equal(share_begin(&share), 0);
	assert_false(share_close());
	/* in good order: the recorder reads the rest */
	write_records(thread, 10);
	ring->own_tail = ring->head;
	share_take_over(false);
	assert_int_equal(agent.segment->state, SEGMENT_IDLE);
	assert_int_equal(ring_tail(ring), ring->tail);
	assert_true(ring->tail < ring->head);
	share_take_over(true);
	assert_int_equal(agent.segment->state, SEGMENT_OFF);
	assert_int_equal(ring_tail(ring), ring->head);
	share_end();
	assert_int_equal(share_begin(&share), -ENOENT); /* its path is gone */
	assert_true(share_close());
	agent.segment->state = SEGMENT_IDLE;
	assert_int_equal(share_begin(&share), -ENOENT); /* leaving */
	agent.late_since = hot->is_injected = 0;
	self_thread = before;
}

TEST(brackets_of_another_recording_are_left_alone)
{
	struct thread *thread = agent_thread();
	uint32_t generation = hot->generation;

	inference_begin(thread, OWNER_API, 0, NULL);
	inference_begin(thread, OWNER_PROVIDER, 0, NULL);
	hot->generation++;
	alarm(20);
	inference_end_inner(thread, 1);
	alarm(0);
	assert_int_equal(thread->n_runs, 2);
	hot->generation = generation;
	inference_end_inner(thread, 1);
	inference_end(thread, OWNER_API, 0);
	assert_int_equal(thread->n_runs, 0);
}

TEST(a_session_is_found_at_its_last_object_only_and_gone_when_released)
{
	struct session *session = session_new(&runtime_onnxruntime);
	uintptr_t first = 0x10000, second = 0x20000;

	session_bind(session, first);
	session_bind(session, second);
	assert_null(session_of_object(first));
	assert_ptr_equal(session_of_object(second), session);
	session_release(second);
	assert_null(session_of_object(second));
}

TEST(providers_of_released_sessions_take_no_more_memory)
{
	const void *first = NULL;

	for (uintptr_t i = 1; i <= 20000; i++) {
		struct session *session = session_new(&runtime_onnxruntime);
		session_bind(session, 0x1000000 + i * 64);
		session_add_provider(session, 0x10000000 + i * 64, "CPUExecutionProvider");
		assert_ptr_equal(session_of_provider(0x10000000 + i * 64), session);
		session_release(0x1000000 + i * 64);
		assert_null(session_of_provider(0x10000000 + i * 64));
		if (i == 2000)
			first = agent.arena.first;
	}
	assert_ptr_equal(agent.arena.first, first);
}

/* One of a runtime for training: it does not tell which of its sessions runs, whichever of them lives. */
TEST(a_provider_of_several_sessions_stays_known_as_such)
{
	struct session *session[3];

	for (uintptr_t i = 0; i < 3; i++) {
		session[i] = session_new(&runtime_onnxruntime);
		session_bind(session[i], 0x30000 + i * 64);
		session_add_provider(session[i], 0x40000, "CPUExecutionProvider");
		assert_int_equal(session_is_shared(0x40000), i > 0);
	}
	for (uintptr_t i = 0; i < 3; i++) {
		session_release(0x30000 + i * 64);
		assert_true(session_is_shared(0x40000));
		assert_null(session_of_provider(0x40000));
	}
}

/* Its release was not seen, as of one that is older than the hooks. */
TEST(a_session_at_the_place_of_another_ends_that_one)
{
	struct session *first = session_new(&runtime_onnxruntime), *second = session_new(&runtime_onnxruntime);

	session_bind(first, 0x50000);
	session_bind(second, 0x50000);
	assert_true(first->is_released);
	assert_ptr_equal(session_of_object(0x50000), second);
	session_release(0x50000);
	assert_null(session_of_object(0x50000));
}

/* A provider, and a session's object with the list of its providers. */
static struct {
	word vtable[2], provider[1], pair[2], *object;
} made;

static void make_session(void)
{
	made.object = calloc(1, 32 << 10);
	made.provider[0] = (word)&made.vtable[0];
	made.pair[0] = (word)made.provider;
	made.pair[1] = (word)&made;
	made.object[0] = (word)&made.vtable[1];
	made.object[1] = 0x5e5510115e551011;
	made.object[20] = (word)made.pair;
	made.object[21] = made.object[22] = (word)(made.pair + 2);
	ort_copies[0] = (struct ort_copy){ .copy = &copies[0],
					   .cpu_vtable = (word)&made.vtable[0],
					   .session_vtable = { (word)&made.vtable[1] } };
	n_copies = 1;
}

extern word __bss_start[], _end[];

/* Its address may be on the stack, where sessions are looked for. */
TEST(no_copy_of_a_session_stays_in_the_agent)
{
	struct session *session;

	make_session();
	session = ort_late_session_of_object(NULL, (word)made.object);
	assert_non_null(session);
	assert_ptr_equal(session_of_provider((word)made.provider), session);
	for (const word *at = __bss_start; at + 1 < _end; at++)
		assert_false(at[0] == made.object[0] && at[1] == made.object[1]);
	session_forget_all();
	assert_null(session_of_object((word)made.object));
	n_copies = 0;
	free(made.object);
}

static void add_one(void)
{
	made.pair[0]++;
}

static const struct record *record_before(const struct thread *thread, uint64_t n)
{
	return &thread->ring.data[(thread->ring.head - n) & thread->ring.mask];
}

/* Hooks are taken out one by one: of a run that has begun, that of its provider may be gone before its operators'. */
TEST(an_operator_tells_its_inference_if_nothing_else_has)
{
	struct thread *thread = agent_thread();
	struct copy copy = { .image = { .relro_start = (word)made.vtable, .relro_end = (word)(made.vtable + 2) } };
	word kernel[32] = { (word)made.vtable }, result = 0;
	struct open_run *run;

	for (int i = 0; i < RUNTIME_FAMILIES; i++)
		copy.found.slot[i] = 0;
	copies[0] = copy;
	ort_copies[0] = (struct ort_copy){ .copy = &copies[0] };
	n_copies = 1;
	made.pair[0] = 0;
	made.vtable[0] = (word)add_one;
	assert_true(hook_word((word)made.vtable, (void *)(word)ort_on_compute));
	run = inference_begin(thread, OWNER_EVALUATION, 0, NULL);
	for (uint64_t i = 1; i <= 2; i++) {
		assert_int_equal(run->told, i == 2);
		ort_on_compute((word)&result, (word)kernel, 0);
		assert_int_equal(made.pair[0], i);
		assert_int_equal(record_before(thread, i + 1)->type, RECORD_RUN_BEGIN);
		assert_int_equal(record_before(thread, i + 1)->run, run->run);
		assert_int_equal(record_before(thread, 1)->type, RECORD_OPERATOR);
		assert_int_equal(record_before(thread, 1)->run, run->run);
	}
	inference_end(thread, OWNER_EVALUATION, 0);
	assert_int_equal(record_before(thread, 1)->type, RECORD_RUN_END);
	ort_operator_forget_all();
	n_copies = 0;
}

static word forward(word a, word b, word c, word d, word e)
{
	return b;
}

static struct {
	void *with;
	bool is_done, is_wrong;
} caller;

static void *call_on(void *unused)
{
	const int second = 1; /* of the graph's threads: its operators are passed on */
	word (*with)(word, word, word, word, word) = (word (*)(word, word, word, word, word))(word)caller.with;

	for (word i = 0; i < 3000000; i++)
		caller.is_wrong |= with((word)&second, i, 0, 0, 0) != i;
	__atomic_store_n(&caller.is_done, true, __ATOMIC_RELEASE);
	return NULL;
}

/* A module may have several words for one function, and threads that call by the first one meanwhile. */
TEST(a_function_of_llama_is_called_while_another_word_of_it_is_replaced)
{
	static const char name[] = "ggml_compute_forward_add";
	struct copy copy = { .number = 0 };
	pthread_t thread;

	caller.with = llama_operator_hook(&copy, name, LLAMA_OPERATOR, (void *)(word)forward);
	assert_int_equal(pthread_create(&thread, NULL, call_on, NULL), 0);
	while (!__atomic_load_n(&caller.is_done, __ATOMIC_ACQUIRE))
		assert_ptr_equal(llama_operator_hook(&copy, name, LLAMA_OPERATOR, (void *)(word)forward), caller.with);
	pthread_join(thread, NULL);
	assert_false(caller.is_wrong);
}

/* At a level without operators no other hook names its session. */
TEST(an_inference_whose_session_no_hook_has_seen_while_hooks_change_is_left_out)
{
	struct thread *thread = agent_thread();
	uint64_t before = thread->ring.head, lanes = hot->lanes;

	for (int is_begun_so = 0; is_begun_so <= 1; is_begun_so++) {
		hot->is_changing = is_begun_so ? CHANGE_IN : CHANGE_NONE;
		inference_begin(thread, OWNER_EVALUATION, 0, NULL);
		hot->is_changing = is_begun_so ? CHANGE_NONE : CHANGE_OUT;
		inference_end(thread, OWNER_EVALUATION, 0);
		assert_int_equal(thread->n_runs, 0);
	}
	hot->is_changing = CHANGE_NONE;
	assert_int_equal(thread->ring.head, before);
	assert_int_equal(hot->lanes, lanes);
}

static uint32_t number_of_a_run(void)
{
	struct thread *thread = agent_thread();
	uint32_t number = inference_begin(thread, OWNER_API, 0, NULL)->run;

	inference_end(thread, OWNER_API, 0);
	return number;
}

static void *run_once(void *number)
{
	*(uint32_t *)number = number_of_a_run();
	return NULL;
}

/* A server may start a thread for each request. */
TEST(threads_of_one_run_use_up_one_number_each)
{
	enum { THREADS = 1000 };
	uint32_t begin = hot->next_run, number[THREADS];
	pthread_t thread;

	for (int i = 0; i < THREADS; i++) {
		assert_int_equal(pthread_create(&thread, NULL, run_once, &number[i]), 0);
		pthread_join(thread, NULL);
		for (int k = 0; k < i; k++)
			assert_int_not_equal(number[k], number[i]);
	}
	assert_in_range(hot->next_run - begin, THREADS - 64, THREADS + 128);
}

TEST(numbers_begin_again_after_the_last_one_and_are_never_0)
{
	struct thread *thread = agent_thread();
	bool has_begun_again = false;

	thread->next_run = thread->numbers_end;
	hot->next_run = UINT32_MAX - 127;
	for (int i = 0; i < 200; i++) {
		uint32_t number = number_of_a_run();
		assert_int_not_equal(number, 0);
		has_begun_again |= number == 1;
	}
	assert_true(has_begun_again);
}

/* The recorder would take it for one of 2^32 inferences later. */
TEST(a_thread_that_has_rested_takes_a_new_number)
{
	uint32_t number = number_of_a_run();

	assert_int_equal(number_of_a_run(), number + 1);
	hot->next_run += 3u << 29;
	assert_in_range(number_of_a_run() - number, 3u << 29, UINT32_MAX / 2);
}

/* What the recorder sees of the segment. */
static void read_file(uint64_t offset, void *to, size_t size)
{
	int fd = open(agent.path, O_RDONLY);

	assert_int_equal(pread(fd, to, size, (off_t)offset), size);
	close(fd);
}

/* KiB of address space that files named *.segment take, by /proc/self/maps. */
static uint64_t mapped(void)
{
	FILE *maps = fopen("/proc/self/maps", "r");
	unsigned long long from, to;
	char line[512];
	uint64_t size = 0;

	while (fgets(line, sizeof line, maps))
		if (strstr(line, SEGMENT_SUFFIX) && sscanf(line, "%llx-%llx", &from, &to) == 2)
			size += (to - from) >> 10;
	fclose(maps);
	return size;
}

/* KiB of a page: parts are rounded up to pages, and each has one page more than is used. */
static uint64_t page_kib(void)
{
	return page_size() >> 10;
}

/* Also a program that has entered another root folder, or lost the right to open files. */
TEST(more_of_the_segment_is_mapped_when_it_is_used_without_its_file)
{
	uint64_t before = mapped(), offset[2];
	char elsewhere[sizeof agent.path + 2];
	char *part[2];

	assert_in_range(before, 100, 2000 + 2 * page_kib() * agent.segment->n_rings);
	snprintf(elsewhere, sizeof elsewhere, "%s-", agent.path);
	assert_int_equal(rename(agent.path, elsewhere), 0);
	for (int i = 0; i < 2; i++) {
		part[i] = room_take(1 << 20, &offset[i]);
		assert_non_null(part[i]);
		memset(part[i], 'a' + i, 1 << 20);
	}
	assert_int_equal(rename(elsewhere, agent.path), 0);
	for (int i = 0; i < 2; i++) {
		char first, last;
		read_file(offset[i], &first, 1);
		read_file(offset[i] + (1 << 20) - 1, &last, 1);
		assert_int_equal(first, 'a' + i);
		assert_int_equal(last, 'a' + i);
	}
	assert_in_range(mapped(), before + 2048, before + 2048 + 2 * page_kib());
}

/* The program is injected again and again. */
TEST(recordings_after_each_other_take_no_more_address_space)
{
	uint64_t size = 0;

	for (int i = 0; i < 20; i++) {
		unlink(agent.path);
		assert_true(agent_restart());
		assert_non_null(agent_thread());
		assert_int_not_equal(dict_text("model", 5), 0);
		if (i == 2)
			size = mapped();
	}
	assert_int_equal(mapped(), size);
}

TEST(a_child_maps_nothing_of_its_parent)
{
	uint64_t size = mapped();
	int status;
	pid_t pid = fork();

	if (!pid) {
		bool has_segment = agent_enter_process() && agent_thread() && dict_text("model", 5);
		uint64_t own = mapped();
		unlink(agent.path);
		_exit(has_segment && own < size && own < 284 + 4 * page_kib() ? 0 : 1);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
}

static uint32_t text_of_run(int n)
{
	char text[200] = { 0 };

	memset(text, 'x', sizeof text);
	snprintf(text, sizeof text, "%d", n);
	return dict_text_of_run(text, sizeof text);
}

/* A program that has new shapes or a new tag in each inference. */
TEST(texts_of_runs_have_no_end_and_leave_room_for_names)
{
	enum { MANY = 300000 };
	struct {
		struct text_entry head;
		char text[8];
	} entry;
	uint32_t id = 0, before = 0;

	assert_int_equal(agent.segment->texts, 0);
	for (int n = 0; n < MANY; n++) {
		before = n == MANY * 3 / 4 ? id : before;
		id = text_of_run(n);
		assert_int_not_equal(id, 0);
	}
	assert_in_range(agent.segment->dict_end, SEGMENT_DICT_SIZE / 8 - 1000, SEGMENT_DICT_SIZE / 8 + 1000);
	assert_true(agent.segment->texts_end > 2 * SEGMENT_TEXTS_SIZE);
	read_file(agent.segment->texts + (id & ~TEXT_PASSES) * 8ull % SEGMENT_TEXTS_SIZE, &entry, sizeof entry);
	assert_int_equal(entry.head.id, id);
	assert_int_equal(atoi(entry.text), MANY - 1);
	assert_true(dict_is_valid(id));
	assert_false(dict_is_valid(before));
	assert_int_equal(text_of_run(MANY - 1), id); /* not again */
	for (uint32_t number = 1; number <= 800000; number++)
		dict_session(
		    &(struct dict_session){ number, "resnet", "/models/resnet.onnx", "CPUExecutionProvider", 0, 0 });
	assert_int_not_equal(dict_text("another model", 13), 0);
	assert_int_equal(agent.segment->dict_lost + agent.segment->texts_lost, 0);
}

static word got[24];

static word note_arguments(ORT_LONG_ARGS)
{
	const word all[24] = { a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t, u, v, w, x };

	memcpy(got, all, sizeof got);
	return 42;
}

TEST(the_longest_function_gets_all_its_arguments)
{
	static const struct copy copy;
	static const struct ort_copy ort = { .copy = &copy, .minor = 30 };
	word object[2] = { 0x1000, 0 };

	ort_met[ORT_CREATION] = (struct ort_met){ object[0], (ort_function *)(word)note_arguments, &ort };
	assert_int_equal(ort_on_creation((word)object, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19,
					 20, 21, 22, 23, 24),
			 42);
	ort_met[ORT_CREATION] = (struct ort_met){ 0 };
	assert_int_equal(got[0], (word)object);
	for (word number = 2; number <= 24; number++)
		assert_int_equal(got[number - 1], number);
}

static void create(struct thread *thread)
{
	uint64_t now;

	creation_begin(thread, &runtime_onnxruntime, OWNER_API, 0);
	creation_prepared(thread);
	creation_path(thread, "/m/net.onnx");
	now = agent_now();
	phase_read(thread, now, now + 10, 100);
	phase_read(thread, now + 10, now + 11, 0);
	while (agent_now() < now + 1000)
		;
	creation_loaded(thread, 0);
	phase_register(thread);
	phase_register(thread); /* each provider is asked */
	phase_begin(thread, EVENT_PHASE_TRANSFORMERS, agent_now());
	phase_register(thread); /* and again later */
	creation_part_begin(thread, NULL, "changes");
	phase_plan(thread); /* inside a part: of another graph */
	phase_begin(thread, EVENT_PHASE_RESOLVE, creation_part_end(thread, FLAG_MODIFIED, 0));
	creation_part_begin(thread, NULL, "leaves");
	creation_part_end(thread, FLAG_UNMODIFIED, 0);
	creation_part_begin(thread, NULL, "leaves");
	creation_part_end(thread, FLAG_UNMODIFIED, 0);
	phase_plan(thread);
	thread->creation.n_values = 7;
	phase_plan(thread);
	phase_weights(thread, true);
	phase_weight(thread);
	phase_weight(thread);
	now = agent_now();
	phase_pack(thread, now);
	phase_packed(thread, now + 5);
	phase_hashed(thread);
	creation_end(thread, OWNER_API, 0);
}

/* Phases and parts in the order of their begin, those inside others indented; with what their end counts. */
static const char *written(const struct thread *thread, uint64_t from, const char *const *names, size_t n_names)
{
	static char text[2000];
	size_t used = 0;
	int depth = 0;

	*text = 0;
	for (uint64_t at = from; at < thread->ring.head; at++) {
		const struct record *record = &thread->ring.data[at & thread->ring.mask];
		const char *name = "?";

		if (record->type == RECORD_CREATION_WAIT) /* where it is comes from the machine */
			continue;
		for (size_t i = 0; i < n_names; i++)
			if (record->text == dict_text(names[i], strlen(names[i])))
				name = names[i];
		if (record->type == RECORD_SLICE_END && (record->more & (FLAG_COUNT | FLAG_BYTES)))
			used += (size_t)snprintf(text + used, sizeof text - used, "%*s= %u\n", depth, "", record->run);
		depth -= record->type == RECORD_SLICE_END;
		if (record->type != RECORD_SLICE_END)
			used += (size_t)snprintf(text + used, sizeof text - used, "%*s%s\n", depth, "", name);
		depth += record->type == RECORD_SLICE_BEGIN;
	}
	assert_int_equal(depth, 0);
	return text;
}

TEST(each_phase_of_a_creation_ends_where_the_next_begins)
{
	static const char *const names[] = { EVENT_PHASES(PHASE_NAME) "load", "changes", "leaves", "net" };
	struct thread *thread = agent_enter();
	uint64_t from = thread->ring.head, end = 0;
	unsigned n_gaps = 0, depth = 0;

	create(thread);
	assert_string_equal(
	    written(thread, from, names, sizeof names / sizeof *names),
	    "net\n set up session\n load\n  parse model\n   read file\n   = 100\n  build graph\n"
	    " create providers\n register kernels\n create transformers\n changes\n resolve graph\n leaves\n leaves\n"
	    " look up kernels\n plan memory\n  = 7\n copy weights\n  = 2\n create kernels\n pre-pack weights\n"
	    "  hash packed weights\n finish session\n");
	for (uint64_t at = from; at < thread->ring.head; at++) {
		const struct record *record = &thread->ring.data[at & thread->ring.mask];
		bool is_end = record->type == RECORD_SLICE_END;

		if (record->type == RECORD_CREATION_WAIT)
			continue;
		depth -= is_end;
		if (depth == 1 && !is_end)
			n_gaps += end && record->time != end;
		if (depth == 1)
			end = record->type == RECORD_SLICE ? record->value : record->time;
		depth += record->type == RECORD_SLICE_BEGIN;
	}
	assert_int_equal(n_gaps, 1); /* behind the first part that changed nothing */
}

/* The process reads its own rings beside the recorder. */
TEST(a_process_shares_its_recording_from_now_on)
{
	struct port_share share = { .segment_layout = SEGMENT_LAYOUT }, other = { .segment_layout = SEGMENT_LAYOUT };
	struct thread *before = self_thread, *thread = another_thread();
	struct ring *ring = agent.ring[thread->ring_number];

	other.segment_layout++;
	assert_int_equal(share_begin(&other), -EBUSY);
	assert_int_equal(share_begin(&share), 0);
	assert_string_equal(share.path, agent.path);
	assert_int_equal(share.level, LEVEL_OPERATOR);
	assert_int_equal(ring->tid, agent_tid());
	assert_int_equal(ring->own_tail, ring->head);
	other.segment_layout--;
	assert_int_equal(share_begin(&other), -EBUSY); /* one at a time */
	agent_grow_ring(thread);
	assert_int_equal(ring->tid, 0);
	ring = agent.ring[thread->ring_number];
	assert_int_equal(ring->tid, agent_tid());
	assert_true(ring->is_shared);
	ring->tail = ring->head;
	assert_int_equal(ring_tail(ring), 0);
	/* the recorder ends; the process goes on, until it is done */
	agent.segment->state = SEGMENT_OFF;
	agent_grow_ring(thread);
	assert_int_equal(hot->level, LEVEL_OPERATOR);
	share_end();
	assert_int_equal(ring_tail(ring), ring->tail);
	assert_int_equal(share_begin(&share), -EBUSY);
	agent.segment->state = SEGMENT_IDLE;
	self_thread = before;
}

TEST_GROUP(start, stop)
