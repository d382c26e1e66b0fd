// SPDX-License-Identifier: Apache-2.0
/* The agent's files without a runtime: threads and rings, brackets, sessions. */
#include "capture/agent/agent.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "capture/agent/inference.h"

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

static void a_thread_without_a_ring_does_not_ask_for_one_each_time(void **state)
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

static void brackets_of_another_recording_are_left_alone(void **state)
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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_thread_without_a_ring_does_not_ask_for_one_each_time),
		cmocka_unit_test(brackets_of_another_recording_are_left_alone),
	};

	return cmocka_run_group_tests(tests, start, stop);
}
