// SPDX-License-Identifier: Apache-2.0
/* libinftrace and the agent's side of it, in one program: what each call writes into the ring of its thread. */
#include "capture/agent/run/annotate.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include "capture/agent/agent.h"
#include "capture/decode/segment.h"
#include "cases.h"
#include "event/event.h"
#include "event/port.h"
#include "inftrace.h"

void inftrace_agent_join(struct port *port);
struct port *inftrace_port(void);

static char dir[] = "/tmp/inftrace-annotate-XXXXXX";

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

static const struct inftrace_name *with_kind(enum inftrace_kind kind, const char *name)
{
	struct inftrace_name_opts opts = {
		.size = sizeof opts, .kind = kind, .name = name, .model = "resnet", .provider = "NPU", .type = "Conv"
	};

	return inftrace_intern_with(&opts);
}

static bool use_ticks; /* with them, a slice takes the path that calls nothing */

/* A segment of its own for each test, without a record. */
static void restart(uint32_t level, uint64_t ring_bytes)
{
	struct agent_settings settings = { dir, level, ring_bytes, use_ticks };

	if (agent.segment)
		unlink(agent.path);
	agent_set(&settings);
	assert_true(agent.segment ? agent_restart() : agent_enter_process());
	annotate_switch(true);
	assert_non_null(agent_thread());
}

static int begin(void **state)
{
	use_ticks = false;
	restart(LEVEL_OPERATOR, 1 << 20);
	return 0;
}

static int begin_with_ticks(void **state)
{
	use_ticks = true;
	restart(LEVEL_OPERATOR, 1 << 20);
	return 0;
}

static int start(void **state)
{
	agent_at_edges(&edges);
	if (!mkdtemp(dir) || !agent_set_up())
		return -1;
	inftrace_agent_join(inftrace_port());
	return 0;
}

static int stop(void **state)
{
	unlink(agent.path);
	return rmdir(dir);
}

/* Record number n of this thread, after the RECORD_THREAD. */
static const struct record *record_at(uint64_t n)
{
	assert_true(n + 1 < self_thread->ring.head);
	return &self_thread->ring.data[n + 1];
}

static uint64_t n_records(void)
{
	return self_thread->ring.head - 1;
}

static void assert_text(uint32_t id, const char *wanted)
{
	struct names *names = names_new();
	struct segment_map map = { 0 };
	struct segment_entry entry;
	struct err err;

	assert_int_equal(segment_open(&map, agent.path, names, &err), 0);
	while (segment_next(&map, &entry))
		;
	assert_string_equal(names_text(names, segment_text(&map, id)), wanted);
	segment_close(&map);
	names_free(names);
}

/* Each with both clocks. */
#define CASE(name) \
	static void name(void **state); \
	__attribute__((constructor)) static void add_##name(void) \
	{ \
		cases_add(#name, name, begin, NULL); \
		cases_add(#name, name, begin_with_ticks, NULL); \
	} \
	static void name(void **state)
TEST_GROUP(start, stop)

CASE(a_slice_has_what_its_name_says)
{
	inftrace_begin(with_kind(INFTRACE_OPERATOR, "conv_1"));
	inftrace_end();
	assert_int_equal(n_records(), 2);
	assert_int_equal(record_at(0)->type, RECORD_USER_BEGIN);
	assert_int_equal(record_at(0)->flags, KIND_OPERATOR);
	assert_text(record_at(0)->text, "conv_1");
	assert_text(record_at(0)->id, "Conv");
	assert_text((uint32_t)record_at(0)->value, "resnet");
	assert_text((uint32_t)(record_at(0)->value >> 32), "NPU");
	assert_int_equal(record_at(1)->type, RECORD_USER_END);
	assert_true(record_at(1)->time >= record_at(0)->time && record_at(0)->time);
}

CASE(a_slice_without_a_name_is_called_like_its_model_and_function)
{
	struct inftrace_name_opts opts = { .size = sizeof opts, .kind = INFTRACE_INFERENCE, .model = "bert" };

	inftrace_begin(inftrace_intern_with(&opts));
	opts.function = "decode";
	inftrace_begin(inftrace_intern_with(&opts));
	assert_text(record_at(0)->text, "bert");
	assert_text(record_at(1)->text, "bert:decode");
	assert_int_equal((uint32_t)record_at(0)->value, (uint32_t)record_at(1)->value);
	inftrace_end();
	inftrace_end();
}

CASE(operators_have_the_number_of_the_inference_around_them)
{
	for (int i = 0; i < 2; i++) {
		inftrace_begin(with_kind(INFTRACE_INFERENCE, NULL));
		inftrace_begin(with_kind(INFTRACE_OPERATOR, "conv_1"));
		inftrace_end();
		inftrace_end();
	}
	inftrace_begin(with_kind(INFTRACE_OPERATOR, "conv_1"));
	inftrace_end();
	assert_int_not_equal(record_at(0)->run, 0);
	assert_int_equal(record_at(1)->run, record_at(0)->run);
	assert_int_equal(record_at(5)->run, record_at(4)->run);
	assert_int_not_equal(record_at(4)->run, record_at(0)->run);
	assert_int_equal(record_at(8)->run, 0);
}

CASE(tokens_have_the_number_of_the_inference_around_them)
{
	inftrace_tokens(7, 12, 3, 5);
	inftrace_begin(with_kind(INFTRACE_INFERENCE, NULL));
	inftrace_tokens(8, -1, 1, 0);
	inftrace_tokens(8, 13, 0, 0);
	inftrace_end();
	assert_int_equal(n_records(), 4);
	assert_int_equal(record_at(0)->type, RECORD_RUN_TOKENS);
	assert_int_equal(record_at(0)->run, 0);
	assert_int_equal(record_at(0)->id, 7);
	assert_int_equal(record_at(0)->text, 3);
	assert_true(record_at(0)->value == (12 | (uint64_t)3 << 32));
	assert_int_not_equal(record_at(2)->run, 0);
	assert_int_equal(record_at(2)->run, record_at(1)->run);
	assert_true(record_at(2)->value == UINT32_MAX);
}

CASE(a_failure_has_its_message)
{
	inftrace_begin(inftrace_intern("step"));
	inftrace_end_failed("no memory on the device");
	assert_int_equal(record_at(1)->more, FLAG_FAILED);
	assert_text(record_at(1)->text, "no memory on the device");
	inftrace_begin(inftrace_intern("step"));
	inftrace_end_failed(NULL);
	assert_int_equal(record_at(3)->more, 0);
}

CASE(instants_counters_and_flows_are_written)
{
	struct inftrace_name_opts opts = { .size = sizeof opts, .name = "queue", .unit = "count" };
	double value;

	inftrace_instant(inftrace_intern("cache miss"));
	inftrace_counter(inftrace_intern_with(&opts), 2.5);
	inftrace_flow(7);
	inftrace_flow_end(7);
	assert_int_equal(record_at(0)->type, RECORD_USER_INSTANT);
	assert_int_equal(record_at(1)->type, RECORD_USER_COUNTER);
	memcpy(&value, &record_at(1)->value, sizeof value);
	assert_true(value == 2.5);
	assert_text(record_at(1)->id, "count");
	assert_int_equal(record_at(2)->type, RECORD_FLOW);
	assert_int_equal(record_at(2)->flags, 0);
	assert_int_equal(record_at(3)->type, RECORD_USER_INSTANT);
	assert_int_equal(record_at(3)->time, record_at(2)->time);
	assert_int_equal(record_at(4)->flags, FLAG_END);
	assert_int_equal(record_at(4)->value, 7);
}

CASE(an_end_without_a_begin_writes_nothing)
{
	inftrace_end();
	assert_int_equal(n_records(), 0);
	inftrace_begin(inftrace_intern("before"));
	restart(LEVEL_OPERATOR, 1 << 20);
	inftrace_end(); /* of a slice that the recording before has */
	assert_int_equal(n_records(), 0);
	inftrace_begin(inftrace_intern("after"));
	inftrace_end();
	assert_int_equal(n_records(), 2);
	assert_text(record_at(0)->text, "after");
}

CASE(operators_are_left_out_at_level_inference)
{
	restart(LEVEL_INFERENCE, 1 << 20);
	inftrace_begin(with_kind(INFTRACE_INFERENCE, NULL));
	inftrace_begin(with_kind(INFTRACE_OPERATOR, "conv_1"));
	inftrace_begin(with_kind(INFTRACE_KERNEL, "copy"));
	inftrace_end();
	inftrace_end();
	inftrace_end();
	assert_int_equal(n_records(), 2);
	assert_int_equal(record_at(0)->flags, KIND_INFERENCE);
	assert_int_equal(record_at(1)->flags, KIND_INFERENCE);
}

CASE(slices_that_are_too_deep_are_counted_and_the_others_stay_whole)
{
	for (int i = 0; i < MAX_SLICES + 3; i++)
		inftrace_begin(inftrace_intern("deep"));
	for (int i = 0; i < MAX_SLICES + 3; i++)
		inftrace_end();
	assert_int_equal(n_records(), 2 * MAX_SLICES);
	assert_int_equal(self_thread->ring.ring->lost, 3);
	assert_int_equal(self_thread->slices.depth, 0);
}

CASE(an_end_that_found_no_room_is_written_later)
{
	struct ring *ring;
	uint64_t head, n_ends = 0, n_begins = 0;

	restart(LEVEL_OPERATOR, RING_MIN);
	ring = self_thread->ring.ring;
	inftrace_begin(inftrace_intern("outer"));
	inftrace_begin(inftrace_intern("inner"));
	while (self_thread->ring.ring->lost < 10)
		inftrace_instant(inftrace_intern("fills the ring"));
	inftrace_end();
	inftrace_end();
	assert_int_equal(self_thread->slices.n_owed, 2);
	assert_ptr_equal(self_thread->ring.ring, ring);
	for (uint64_t i = 0; i < self_thread->ring.head; i++)
		n_begins += self_thread->ring.data[i].type == RECORD_USER_BEGIN;
	assert_int_equal(n_begins, 2);
	head = self_thread->ring.head;
	__atomic_store_n(&ring->tail, head, __ATOMIC_RELEASE);
	inftrace_instant(inftrace_intern("there is room again"));
	assert_int_equal(self_thread->slices.n_owed, 0);
	for (uint64_t i = head; i < self_thread->ring.head; i++)
		n_ends += self_thread->ring.data[i & self_thread->ring.mask].type == RECORD_USER_END;
	assert_int_equal(n_ends, 2);
}

static void handle_signal(int number)
{
	inftrace_begin(inftrace_intern("handler"));
	inftrace_end();
}

CASE(a_signal_handler_that_interrupts_a_record_loses_its_own_alone)
{
	const struct inftrace_name *name = inftrace_intern("handler");

	inftrace_instant(name);
	signal(SIGUSR1, handle_signal);
	raise(SIGUSR1);
	assert_int_equal(n_records(), 3);
	self_thread->ring.busy = 1; /* in the middle of a record */
	raise(SIGUSR1);
	self_thread->ring.busy = 0;
	assert_int_equal(n_records(), 3);
	assert_int_equal(self_thread->ring.ring->lost, 1);
	inftrace_instant(name);
	assert_int_equal(n_records(), 4);
	assert_int_equal(self_thread->slices.depth, 0);
}

static int n_signals;

static void count_signal(int number)
{
	handle_signal(number);
	n_signals++;
}

/* Reads what is in the ring. The number of slices that are open after it; -1: records are not whole. */
static int read_slices(int n_open)
{
	struct ring_writer *ring = &self_thread->ring;
	uint64_t at = ring->ring->tail, head = ring->ring->head;

	for (; at < head && n_open >= 0; at++) {
		const struct record *record = &ring->data[at & ring->mask];
		bool is_begin = record->type == RECORD_USER_BEGIN, is_end = record->type == RECORD_USER_END;

		n_open += is_begin - is_end;
		if (n_open > 3 || (is_begin || is_end ? !record->time : record->type != RECORD_LOST))
			n_open = -1;
	}
	__atomic_store_n(&ring->ring->tail, at, __ATOMIC_RELEASE);
	return n_open;
}

CASE(a_signal_between_any_two_instructions_leaves_slices_whole)
{
	const struct itimerval often = { { 0, 50 }, { 0, 50 } }, never = { { 0, 0 }, { 0, 0 } };
	const struct inftrace_name *outer = inftrace_intern("outer"), *inner = inftrace_intern("inner");
	int n_open = 0;

	n_signals = 0;
	self_thread->ring.ring->tail = self_thread->ring.head;
	signal(SIGALRM, count_signal);
	setitimer(ITIMER_REAL, &often, NULL);
	while (n_open >= 0 && __atomic_load_n(&n_signals, __ATOMIC_RELAXED) < 1000) {
		for (int i = 0; i < 100; i++) {
			inftrace_begin(outer);
			inftrace_begin(inner);
			inftrace_end();
			inftrace_end();
		}
		n_open = read_slices(n_open);
	}
	setitimer(ITIMER_REAL, &never, NULL);
	signal(SIGALRM, SIG_IGN);
	assert_int_equal(n_open, 0);
	assert_int_equal(read_slices(n_open), 0);
	assert_int_equal(self_thread->slices.depth, 0);
	assert_int_equal(self_thread->slices.n_owed, 0);
}

CASE(a_child_of_fork_has_records_of_its_own_and_no_open_slice)
{
	char parents[sizeof agent.path];
	int status = -1;

	strcpy(parents, agent.path);
	inftrace_begin(inftrace_intern("parent"));
	if (!fork()) {
		inftrace_end();
		inftrace_instant(inftrace_intern("child"));
		status = strcmp(parents, agent.path) != 0 && n_records() == 1 &&
			 record_at(0)->type == RECORD_USER_INSTANT && record_at(0)->text == 1;
		unlink(agent.path);
		_exit(status);
	}
	wait(&status);
	assert_int_equal(WEXITSTATUS(status), 1);
	inftrace_end();
	assert_int_equal(n_records(), 2);
}

CASE(nothing_is_written_when_it_is_off)
{
	annotate_switch(false);
	assert_false(inftrace_is_on());
	inftrace_begin(inftrace_intern("off"));
	inftrace_end();
	inftrace_instant(inftrace_intern("off"));
	assert_int_equal(n_records(), 0);
	annotate_switch(true);
	assert_true(inftrace_is_on());
	hot->level = LEVEL_OFF; /* the word is late */
	inftrace_instant(inftrace_intern("off"));
	assert_int_equal(n_records(), 0);
}

CASE(bad_arguments_record_nothing_and_harm_nothing)
{
	struct inftrace_name_opts opts = { .size = sizeof opts, .name = "x" };
	struct port foreign = { .magic = 1, .size = sizeof foreign };

	errno = 77;
	assert_null(inftrace_intern(NULL));
	assert_null(inftrace_intern(""));
	assert_null(inftrace_intern_with(NULL));
	opts.size = 3;
	assert_null(inftrace_intern_with(&opts));
	opts.size = sizeof opts;
	opts.kind = 10;
	assert_null(inftrace_intern_with(&opts));
	opts = (struct inftrace_name_opts){ .size = sizeof opts, .kind = INFTRACE_STAGE };
	assert_null(inftrace_intern_with(&opts));
	inftrace_instant(NULL);
	inftrace_counter(NULL, 1);
	inftrace_agent_join(NULL);
	inftrace_agent_join(&foreign);
	assert_null(foreign.calls);
	assert_int_equal(n_records(), 0);
	inftrace_begin(NULL);
	inftrace_end();
	assert_int_equal(n_records(), 2);
	assert_int_equal(errno, 77);
}

CASE(a_text_is_one_name)
{
	char same[] = "one name", longest[1200];

	assert_ptr_equal(inftrace_intern("one name"), inftrace_intern(same));
	assert_ptr_not_equal(inftrace_intern("one name"), inftrace_intern("another"));
	assert_ptr_not_equal(inftrace_intern("one name"), with_kind(INFTRACE_STAGE, "one name"));
	assert_ptr_equal(with_kind(INFTRACE_STAGE, "one name"), with_kind(INFTRACE_STAGE, "one name"));
	memset(longest, 'x', sizeof longest - 1);
	longest[sizeof longest - 1] = 0;
	inftrace_instant(inftrace_intern(longest));
	longest[1000] = 0;
	assert_text(record_at(0)->text, longest);
}

enum { N_THREADS = 32, N_ROUNDS = 200 };

static void *annotate_much(void *arg)
{
	char text[32];
	int n = *(int *)arg, len;

	for (int i = 0; i < N_ROUNDS; i++) {
		len = snprintf(text, sizeof text, "name %d", (i + n) % 50);
		assert_true(len > 0);
		inftrace_begin(inftrace_intern(text));
		inftrace_counter(inftrace_intern("n"), i);
		inftrace_end();
	}
	assert_int_equal(self_thread->slices.depth, 0);
	assert_int_equal(self_thread->ring.ring->lost, 0);
	return NULL;
}

CASE(many_threads_annotate_at_once)
{
	pthread_t thread[N_THREADS];
	int number[N_THREADS];
	uint64_t total = 0;

	for (int i = 0; i < N_THREADS; i++) {
		number[i] = i;
		assert_int_equal(pthread_create(&thread[i], NULL, annotate_much, &number[i]), 0);
	}
	for (int i = 0; i < N_THREADS; i++)
		pthread_join(thread[i], NULL);
	for (uint32_t i = 0; i < agent.segment->n_rings; i++)
		for (uint64_t n = 0; n < agent.ring[i]->head; n++)
			total += ring_data(agent.ring[i])[n].type == RECORD_USER_COUNTER;
	assert_int_equal(total, N_THREADS * N_ROUNDS);
	assert_int_equal(agent.segment->dict_lost, 0);
}
