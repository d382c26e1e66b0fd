// SPDX-License-Identifier: Apache-2.0
/* Passes events on to several sinks. Does not look into them, and ends no sink. */
#include "event/tee.h"

/* Every event passes here: the err text is touched only when there is an error. */
static int put(struct sink *sink, const struct event *event, struct err *err)
{
	struct tee *tee = (struct tee *)sink;
	struct err first, why;
	size_t n_refused = 0;

	for (size_t i = 0; i < tee->n; i++) {
		if (__builtin_expect(!sink_put(tee->to[i], event, &why), 1))
			continue;
		if (!n_refused++)
			first = why;
	}
	if (__builtin_expect(!n_refused, 1))
		return 0;
	if (n_refused == tee->n)
		return err_set(err, first.code, "%s", first.msg);
	if (!tee->missed.code)
		tee->missed = first;
	return 0;
}

static int write_out(struct sink *sink, int (*of_one)(struct sink *sink, struct err *err), struct err *err)
{
	struct tee *tee = (struct tee *)sink;
	struct err first = tee->missed, why = { 0 };

	sink->n_bytes = sink->n_moved = 0;
	for (size_t i = 0; i < tee->n; i++) {
		if (of_one(tee->to[i], &why) && !first.code)
			first = why;
		sink->n_bytes += tee->to[i]->n_bytes;
		sink->n_moved = tee->to[i]->n_moved > sink->n_moved ? tee->to[i]->n_moved : sink->n_moved;
	}
	return first.code ? err_set(err, first.code, "%s", first.msg) : 0;
}

static int flush(struct sink *sink, struct err *err)
{
	return write_out(sink, sink_flush, err);
}

static int sync_(struct sink *sink, struct err *err)
{
	return write_out(sink, sink_sync, err);
}

void tee_init(struct tee *tee, struct sink *const *to, size_t n)
{
	*tee = (struct tee){
		.sink = { .put = put,
			  .names = to[0]->names,
			  .last_track = to[0]->last_track,
			  .flush = flush,
			  .sync = sync_ },
		.to = to,
		.n = n,
	};
}
