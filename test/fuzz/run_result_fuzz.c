// SPDX-License-Identifier: Apache-2.0
/*
 * The result of a run after something wrote into it: the input is a list of changes to a good one, each an offset of
 * four bytes, a count of one byte, and so many bytes. A whole result would be two megabytes of zeros. What is taken
 * must keep what the header promises.
 */
#include "fuzz.h"

#include "model/run_result.h"

#include <stdlib.h>
#include <string.h>

enum { CAPACITY = 16 };

static void require(bool claim)
{
	if (!claim)
		abort();
}

static const size_t size_of_result = sizeof(struct run_result) + CAPACITY * sizeof(struct run_latency);

static void make_good(struct run_result *result)
{
	memset(result, 0, size_of_result);
	result->magic = RUN_RESULT_MAGIC;
	result->version = RUN_RESULT_VERSION;
	result->header_size = sizeof *result;
	result->latency_size = sizeof(struct run_latency);
	result->latency_capacity = CAPACITY;
	result->n_groups = 2;
	result->n_tensors = 1;
	result->n_latencies = 4;
	for (int i = 0; i < 4; i++)
		run_result_latencies(result)[i] =
		    (struct run_latency){ .status = RUN_LATENCY_OK, .phase = RUN_STEADY, .group = (uint16_t)(i & 1) };
}

static void change(char *bytes, const uint8_t *data, size_t size)
{
	while (size > 5) {
		uint32_t at;
		size_t n = data[4];

		memcpy(&at, data, sizeof at);
		data += 5;
		size -= 5;
		n = n < size ? n : size;
		at %= (uint32_t)size_of_result;
		n = n < size_of_result - at ? n : size_of_result - at;
		memcpy(bytes + at, data, n);
		data += n;
		size -= n;
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct run_result *result;
	struct run_record record;

	if (!result)
		require(!posix_memalign((void **)&result, 64, size_of_result));
	make_good(result);
	change((char *)result, data, size);
	if (run_result_parse(result, size_of_result, &record, NULL))
		return 0;
	require(record.head->n_groups <= RUN_MAX_GROUPS && record.head->n_tensors <= RUN_MAX_TENSORS &&
		record.n_latencies <= CAPACITY);
	require(strlen(record.head->log) < RUN_LOG &&
		strlen(record.head->placed[RUN_MAX_PROVIDERS - 1].library) < RUN_PATH);
	for (uint64_t i = 0; i < record.n_latencies; i++)
		require(record.latency[i].status == RUN_LATENCY_EMPTY ||
			record.latency[i].group < record.head->n_groups);
	for (uint32_t i = 0; i < record.head->n_tensors; i++)
		require(record.head->tensors[i].n_dims <= RUN_MAX_DIMS &&
			record.head->tensors[i].group < record.head->n_groups);
	run_result_free(&record);
	return 0;
}
