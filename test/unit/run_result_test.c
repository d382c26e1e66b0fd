// SPDX-License-Identifier: Apache-2.0
#include "model/run/run_result.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cases.h"

static struct err err;
static struct run_record record;

/* A result with room for ten latencies, three of them used; one shape group, one output. */
static int make(struct run_result **result)
{
	int fd = run_result_make(10, &err);
	char path[64];

	assert_true(fd >= 0);
	run_result_name(fd, path, sizeof path);
	*result = run_result_map(path, &err);
	assert_non_null(*result);
	(*result)->n_groups = 1;
	(*result)->n_tensors = 1;
	strcpy((*result)->tensors[0].name, "y");
	(*result)->n_latencies = 3;
	run_result_latencies(*result)[0] =
	    (struct run_latency){ 100, 0, 7, .status = RUN_LATENCY_OK, .phase = RUN_FIRST };
	run_result_latencies(*result)[1] =
	    (struct run_latency){ 200, 0, 0, .status = RUN_LATENCY_IN_FLIGHT, .phase = RUN_STEADY };
	return fd;
}

TEST(what_the_runner_writes_is_what_the_parent_reads)
{
	struct run_result *result;
	int fd = make(&result);

	strcpy(result->error, "cannot do it");
	assert_int_equal(run_result_read(fd, &record, &err), 0);
	assert_string_equal(record.head->error, "cannot do it");
	assert_string_equal(record.head->tensors[0].name, "y");
	assert_int_equal(record.n_latencies, 3);
	assert_true(record.latency[0].duration_ns == 7 && record.latency[1].status == RUN_LATENCY_IN_FLIGHT);
	assert_int_equal(record.latency[2].status, RUN_LATENCY_EMPTY);
	/* a copy: later changes are not in it */
	strcpy(result->error, "later");
	assert_string_equal(record.head->error, "cannot do it");
	run_result_free(&record);
	run_result_unmap(result);
	close(fd);
}

TEST(more_latencies_than_there_is_room_for_are_cut_off)
{
	struct run_result *result;
	int fd = make(&result);

	result->n_latencies = UINT64_MAX;
	assert_int_equal(run_result_read(fd, &record, &err), 0);
	assert_int_equal(record.n_latencies, 10);
	run_result_free(&record);
	run_result_unmap(result);
	close(fd);
}

static void expect_refused(int fd, const char *why)
{
	assert_int_equal(run_result_read(fd, &record, &err), -EBADMSG);
	assert_non_null(strstr(err.msg, why));
	assert_null(record.head);
}

TEST(what_does_not_fit_together_is_refused)
{
	struct run_result *result;
	int fd = make(&result);

#define WITH(field, value, why) \
	do { \
		__typeof__(result->field) old = result->field; \
		result->field = value; \
		expect_refused(fd, why); \
		result->field = old; \
	} while (0)
	WITH(magic, 1, "inftrace did not write this file");
	WITH(version, RUN_RESULT_VERSION + 1, "another version");
	WITH(header_size, 64, "another version");
	WITH(latency_capacity, 11, "room for 11 latencies");
	WITH(n_groups, RUN_MAX_GROUPS + 1, "n_groups is 65");
	WITH(n_groups, 0, "shape group 0 of 0");
	WITH(outcome, RUN_N_OUTCOMES, "outcome is 3");
	WITH(phase, RUN_N_PHASES, "phase is 9");
	WITH(phases[3].state, RUN_N_PHASE_STATES, "phases.state");
	WITH(devices[63].type, RUN_N_DEVICE_TYPES, "devices.type");
	WITH(tensors[0].n_dims, RUN_MAX_DIMS + 1, "dimensions");
	WITH(tensors[0].n_dims, -2, "dimensions");
	WITH(tensors[0].group, 1, "shape group 1 of 1");
#undef WITH
	run_result_latencies(result)[1].group = 1;
	expect_refused(fd, "latency 1");
	run_result_latencies(result)[1].group = 0;
	memset(result->placed[31].library, 'x', sizeof result->placed[31].library);
	expect_refused(fd, "placed.library is not terminated");
	memset(result->placed[31].library, 0, sizeof result->placed[31].library);
	assert_int_equal(run_result_read(fd, &record, &err), 0);
	run_result_free(&record);
	run_result_unmap(result);
	close(fd);
}

TEST(a_result_that_is_cut_off_is_refused)
{
	static const size_t whole = sizeof(struct run_result) + 10 * sizeof(struct run_latency);
	const size_t sizes[] = { whole, whole - sizeof(struct run_latency), sizeof(struct run_result) - 1, 0 };
	struct run_result *result;
	int fd = make(&result);

	run_result_unmap(result);
	for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
		assert_int_equal(ftruncate(fd, (off_t)sizes[i]), 0);
		assert_int_equal(run_result_read(fd, &record, &err), i ? -EBADMSG : 0);
		run_result_free(&record);
	}
	close(fd);
}

TEST(memory_that_is_no_result_is_not_mapped)
{
	char path[] = "/tmp/inftrace-result-XXXXXX";
	int fd = mkstemp(path);

	assert_true(fd >= 0);
	assert_null(run_result_map(path, &err));
	assert_int_equal(ftruncate(fd, sizeof(struct run_result)), 0);
	assert_null(run_result_map(path, &err));
	assert_non_null(strstr(err.msg, "inftrace did not write this file"));
	close(fd);
	unlink(path);
}
