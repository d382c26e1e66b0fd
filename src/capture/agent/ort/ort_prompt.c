// SPDX-License-Identifier: Apache-2.0
/*
 * Whether a prompt of a plain loop begins as an earlier one of its session did: the values of the input "input_ids",
 * if one row of it has a block of tokens or more. They are read so that memory of a device does no harm, and compared
 * as hashes (prefix.h). Steps of a token are not looked at.
 */
#include <errno.h>
#include <stdio.h>

#include "capture/agent/dict.h"
#include "capture/agent/ort/ort_in.h"
#include "capture/agent/prefix.h"
#include "capture/agent/run/inference.h"
#include "runtime/find/peek.h"

enum { INT32 = 6, INT64 = 7, CHUNK = 32 * PREFIX_BLOCK, MOST_TOKENS = 1 << 16 };

static size_t tokens_of(const struct shape *shape)
{
	bool is_row = (shape->type == INT64 || shape->type == INT32) && shape->n_dims == 2 && shape->dim[0] == 1;

	return is_row && shape->dim[1] >= PREFIX_BLOCK && shape->dim[1] <= MOST_TOKENS ? (size_t)shape->dim[1] : 0;
}

static uint32_t seen(uint64_t owner, word data, size_t apart, size_t n)
{
	int64_t chunk[CHUNK];
	struct prefix prefix;

	prefix_begin(&prefix, owner);
	for (size_t at = 0; at + PREFIX_BLOCK <= n; at += CHUNK) {
		size_t left = n - at < CHUNK ? n - at : CHUNK;

		if (!peek_read(data + at * apart, chunk, left * apart))
			return 0;
		prefix_add(&prefix, (const int32_t *)chunk, apart, left);
	}
	return prefix.n_seen;
}

void ort_prompt_see(struct ort_copy *copy, struct thread *thread, const struct open_run *run, word value,
		    const struct shape *shape)
{
	void *const *api = (void *const *)copy->api;
	size_t n = tokens_of(shape);
	int saved = errno;
	word data = 0, status;
	char text[16];
	uint32_t n_seen;

	/* of a generator, the calls say more */
	if (!n || !run->session || !value || !api || thread->generator.number)
		return;
	status = ((word (*)(word, word *))api[ORT_API_GET_DATA])(value, &data);
	if (status)
		((void (*)(word))api[ORT_API_RELEASE_STATUS])(status);
	n_seen = status || !data ? 0 : seen(run->session->number, data, shape->type == INT64 ? 8 : 4, n);
	if (n_seen)
		inference_tell_sequences(thread, run,
					 dict_text_of_run(text, (size_t)snprintf(text, sizeof text, "~%u", n_seen)));
	errno = saved;
}
