// SPDX-License-Identifier: Apache-2.0
#include "capture/decode/generator_calls.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "event/generator_call.h"

enum { ARGS = 5 };

struct generator_call_waiting {
	uint64_t begin_ns, end_ns;
	uint32_t track, name, n_args;
	struct arg arg[ARGS];
};

static struct generator_call_waiting *waiting_at(const struct generator_calls *calls, size_t i)
{
	return (struct generator_call_waiting *)calls->waiting.data + i;
}

int generator_calls_add(struct generator_calls *calls, uint32_t track, int32_t tid, const struct record *record,
			struct sink *out)
{
#define CALL_NAME(name, text) text,
	static const char *const names[N_GENERATOR_CALLS] = { GENERATOR_CALLS(CALL_NAME) };
	struct generator_call_waiting *call;
	char seen[16];

	if (record->value < record->time || record->flags >= N_GENERATOR_CALLS)
		return 0;
	if (!(call = array_add(&calls->waiting, sizeof *call)))
		return -ENOMEM;
	*call = (struct generator_call_waiting){ .begin_ns = record->time,
						 .end_ns = record->value,
						 .track = track,
						 .name = names_of(out->names, names[record->flags]),
						 .n_args = 3 };
	calls->is_sorted = false;
	call->arg[0] = arg_int(KEY_ID, record->id);
	call->arg[1] = arg_int(KEY_COUNT, record->more);
	call->arg[2] = arg_int(KEY_BATCH, record->text);
	if (tid)
		call->arg[call->n_args++] = arg_int(KEY_TID, tid);
	if (record->run) {
		snprintf(seen, sizeof seen, "~%u", record->run);
		call->arg[call->n_args++] = arg_name(KEY_SEQUENCES, names_of(out->names, seen));
	}
	return 0;
}

static int by_end(const void *a_, const void *b_)
{
	const struct generator_call_waiting *a = a_, *b = b_;

	if (a->end_ns != b->end_ns)
		return a->end_ns < b->end_ns ? -1 : 1;
	return (a->begin_ns > b->begin_ns) - (a->begin_ns < b->begin_ns);
}

static int put(const struct generator_call_waiting *call, struct sink *out, struct err *err)
{
	const struct event event = { .type = EVENT_BEGIN,
				     .kind = KIND_TOKENS,
				     .track = call->track,
				     .name = call->name,
				     .time_ns = call->begin_ns,
				     .args = call->arg,
				     .n_args = call->n_args };

	return sink_put_slice(out, &event, call->end_ns, err);
}

static void sort(struct generator_calls *calls)
{
	calls->waiting.n -= calls->at;
	memmove(waiting_at(calls, 0), waiting_at(calls, calls->at),
		calls->waiting.n * sizeof(struct generator_call_waiting));
	calls->at = 0;
	qsort(calls->waiting.data, calls->waiting.n, sizeof(struct generator_call_waiting), by_end);
	calls->is_sorted = true;
}

int generator_calls_put(struct generator_calls *calls, struct sink *out, uint64_t until_ns, struct err *err)
{
	int code = 0;

	if (calls->at == calls->waiting.n)
		return 0;
	if (!calls->is_sorted)
		sort(calls);
	while (!code && calls->at < calls->waiting.n && waiting_at(calls, calls->at)->end_ns <= until_ns)
		code = put(waiting_at(calls, calls->at++), out, err);
	if (calls->at == calls->waiting.n)
		calls->at = calls->waiting.n = 0;
	return code;
}

void generator_calls_done(struct generator_calls *calls)
{
	array_done(&calls->waiting, sizeof(struct generator_call_waiting));
}
