// SPDX-License-Identifier: Apache-2.0
/*
 * An engine runs its model for several requests at a time. The records of their tokens follow that of its call: each
 * names a request, of which the call is a step. So a batch is a part of several generations.
 */
#include <errno.h>
#include <stdlib.h>

#include "analyze/generation/calls_in.h"

int batches_end(struct generator *engine, const struct generation_call *call)
{
	const struct inside inside = call_parts_take(engine, call);
	struct batch *batch = engine->batch;

	if (!engine->has_last)
		return 0;
	if (!batch && !(batch = engine->batch = calloc(1, sizeof *batch)))
		return -ENOMEM;
	batch->call = *call;
	batch->inside = inside;
	batch->inside.cache_bytes /= inside.batch;
	batch->inside.copied_bytes /= inside.batch;
	batch->inside.batch = 1;
	batch->busy_before_ns = batch->busy_ns;
	batch->busy_ns += call->end_ns - call->begin_ns;
	return 0;
}

void batches_queue(struct generator *request, const struct generator *engine, const struct generation_call *call)
{
	struct queued *queued = &request->queued;

	/* a request may wait for its prompt, then for its engine */
	queued->begin_ns = call->begin_ns;
	queued->n_tokens += call->n_tokens;
	queued->n_seen += call->n_seen;
	queued->busy_ns = engine && engine->batch ? engine->batch->busy_ns : 0;
}

/* A draft: one of several that the same batch has made. */
static int add_drafted(const struct generations *to, struct generator *request, struct open *open)
{
	open->row.output_tokens++;
	open->row.length = open->expected = ++request->length;
	open_tell(to, open, (struct generation_made){ .n = 1 });
	return 0;
}

static int take_prompt(struct generations *to, struct generator *request, const struct batch *batch, uint64_t others_ns)
{
	const struct inside nothing = { .batch = 1 };
	const struct queued queued = request->queued;
	struct generation_call call = batch->call;

	call.n_tokens = queued.n_tokens;
	call.n_seen = queued.n_seen;
	request->queued.n_tokens = request->queued.n_seen = request->queued.begin_ns = 0;
	if (calls_prompt(to, request, &call, &batch->inside, (struct prompt_wait){ queued.begin_ns, others_ns }))
		return -ENOMEM;
	call.begin_ns = call.end_ns;
	return calls_next(to, request, &call, &nothing, 0);
}

int batches_token(struct generations *to, struct generator *request, const struct generator *engine)
{
	const struct batch *batch = engine->batch;
	struct decoder *decoder;
	uint64_t others_ns;
	struct open *open;
	size_t at;

	if (!batch)
		return 0;
	request->last = engine->last;
	request->has_last = true;
	if (!(decoder = open_decoder(to, &request->last)))
		return -ENOMEM;
	if (request->queued.batch_ns == batch->call.begin_ns && (open = calls_open(decoder, request, &at)))
		return add_drafted(to, request, open);
	request->queued.batch_ns = batch->call.begin_ns;
	others_ns =
	    batch->busy_before_ns > request->queued.busy_ns ? batch->busy_before_ns - request->queued.busy_ns : 0;
	request->queued.busy_ns = batch->busy_ns;
	if (request->queued.n_tokens)
		return take_prompt(to, request, batch, others_ns);
	return calls_next(to, request, &batch->call, &batch->inside, others_ns);
}

void batches_cached(struct generations *to, const struct generator *request, uint64_t n_tokens)
{
	struct decoder *decoder = request->has_last ? open_decoder(to, &request->last) : NULL;
	struct open *open;
	size_t at;

	open = decoder ? calls_open(decoder, request, &at) : NULL;
	if (!open || n_tokens > open->row.prompt_tokens)
		return;
	open->row.prompt_tokens -= n_tokens;
	open->row.cached_tokens += n_tokens;
	open->row.seen_tokens -= n_tokens < open->row.seen_tokens ? n_tokens : open->row.seen_tokens;
}
