// SPDX-License-Identifier: Apache-2.0
/*
 * The result of a run after arbitrary writes: the input is a list of changes to a good one, each an offset of four
 * bytes, a count of one byte, and that many bytes. (A whole result would be two megabytes of zeros.) An accepted result
 * must hold what the header promises.
 */
#include "model/run/run_result.h"

#include <stdlib.h>
#include <string.h>

#include "fuzz.h"

enum { CAPACITY = 16 };

static void require(bool claim)
{
	if (!claim)
		abort();
}

static const size_t size_of_result = sizeof(struct run_result) + CAPACITY * sizeof(struct run_latency);

static void make_good(struct run_result *result)
{
	result->n_groups = 2;
	result->n_tensors = 1;
	result->n_latencies = 4;
	for (int i = 0; i < 4; i++)
		run_result_latencies(result)[i] =
		    (struct run_latency){ .status = RUN_LATENCY_OK, .phase = RUN_STEADY, .group = (uint16_t)(i & 1) };
}

/* Puts the changes into bytes; from: takes them out again, by what stood there. */
static void change(char *bytes, const uint8_t *data, size_t size, const char *from)
{
	while (size > 5) {
		uint32_t at;
		size_t n = data[4];

		memcpy(&at, data, sizeof at);
		data += 5;
		size -= 5;
		n = n < size ? n : size;
		at %= (uint32_t)size_of_result;
		memcpy(bytes + at, from ? from + at : (const char *)data,
		       n < size_of_result - at ? n : size_of_result - at);
		data += n;
		size -= n;
	}
}

static void check(const struct run_record *record)
{
	const struct run_result *head = record->head;

	require(head->n_groups <= RUN_MAX_GROUPS && head->n_tensors <= RUN_MAX_TENSORS &&
		record->n_latencies <= CAPACITY);
	require(strlen(head->log) < RUN_LOG && strlen(head->placed[RUN_MAX_PROVIDERS - 1].library) < RUN_PATH);
	for (uint64_t i = 0; i < record->n_latencies; i++)
		require(record->latency[i].status == RUN_LATENCY_EMPTY || record->latency[i].group < head->n_groups);
	for (uint32_t i = 0; i < head->n_tensors; i++)
		require(head->tensors[i].n_dims <= RUN_MAX_DIMS && head->tensors[i].group < head->n_groups);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct run_result *good, *result;
	static int fd;
	struct run_record record;

	if (!good) {
		char path[64];

		fd = run_result_make(CAPACITY, NULL);
		run_result_name(fd, path, sizeof path);
		result = run_result_map(path, NULL);
		require(result && !posix_memalign((void **)&good, 64, size_of_result));
		make_good(result);
		memcpy(good, result, size_of_result);
	}
	change((char *)result, data, size, NULL);
	if (!run_result_read(fd, &record, NULL)) {
		check(&record);
		run_result_free(&record);
	}
	change((char *)result, data, size, (const char *)good);
	return 0;
}
