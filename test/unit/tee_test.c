// SPDX-License-Identifier: Apache-2.0
#include "event/tee.h"

#include <errno.h>

#include "cases.h"

/* Counts its events; rejects all from a certain one on. */
struct counting {
	struct sink sink;
	uint64_t n, n_flushed, refuses_from;
	int code;
};

static int put(struct sink *sink, const struct event *event, struct err *err)
{
	struct counting *counting = (struct counting *)sink;

	counting->n++;
	if (counting->refuses_from && counting->n >= counting->refuses_from)
		return err_set(err, counting->code, "sink with code %d is full", counting->code);
	return 0;
}

static int flush(struct sink *sink, struct err *err)
{
	struct counting *counting = (struct counting *)sink;

	counting->n_flushed++;
	sink->n_bytes = counting->n * 10;
	if (counting->refuses_from && counting->n >= counting->refuses_from)
		return err_set(err, counting->code, "flush with code %d", counting->code);
	return 0;
}

static struct names *names;
static uint32_t last_track;

static struct counting counting_sink(void)
{
	return (struct counting){ .sink = { .put = put, .names = names, .last_track = &last_track, .flush = flush } };
}

static int put_one(struct tee *tee, struct err *err)
{
	return sink_put(&tee->sink, &(struct event){ .type = EVENT_INSTANT, .track = 1 }, err);
}

static int setup(void **state)
{
	names = names_new();
	last_track = 0;
	return names ? 0 : -1;
}

static int teardown(void **state)
{
	names_free(names);
	return 0;
}

TEST_WITH(every_sink_gets_every_event, setup, teardown)
{
	struct counting a = counting_sink(), b = counting_sink();
	struct sink *const sinks[] = { &a.sink, &b.sink };
	struct err err = { 0 };
	struct tee tee;

	tee_init(&tee, sinks, 2);
	for (int i = 0; i < 5; i++)
		assert_int_equal(put_one(&tee, &err), 0);
	assert_int_equal(a.n, 5);
	assert_int_equal(b.n, 5);
	assert_int_equal(sink_flush(&tee.sink, &err), 0);
	assert_int_equal(tee.sink.n_bytes, 100);
	assert_ptr_equal(tee.sink.names, names);
	assert_int_equal(sink_new_track(&tee.sink), 1);
	assert_int_equal(last_track, 1);
}

TEST_WITH(a_sink_that_fails_takes_nothing_from_the_others, setup, teardown)
{
	struct counting a = counting_sink(), b = counting_sink();
	struct sink *const sinks[] = { &a.sink, &b.sink };
	struct err err = { 0 };
	struct tee tee;

	a.refuses_from = 2;
	a.code = ENOSPC;
	tee_init(&tee, sinks, 2);
	for (int i = 0; i < 5; i++)
		assert_int_equal(put_one(&tee, &err), 0);
	assert_int_equal(b.n, 5);
	/* the error stays, because one of them misses events */
	assert_int_equal(sink_flush(&tee.sink, &err), -ENOSPC);
	assert_string_equal(err.msg, "sink with code 28 is full");
	assert_int_equal(b.n_flushed, 1);
}

TEST_WITH(an_event_that_no_sink_takes_is_an_error_of_who_put_it, setup, teardown)
{
	struct counting a = counting_sink(), b = counting_sink();
	struct sink *const sinks[] = { &a.sink, &b.sink };
	struct err err = { 0 };
	struct tee tee;

	a.refuses_from = b.refuses_from = 1;
	a.code = EINVAL;
	b.code = ENOMEM;
	tee_init(&tee, sinks, 2);
	assert_int_equal(put_one(&tee, &err), -EINVAL);
	assert_string_equal(err.msg, "sink with code 22 is full");
	assert_int_equal(b.n, 1);
	/* otherwise no sink misses an event that the other has */
	a.refuses_from = b.refuses_from = 0;
	assert_int_equal(sink_flush(&tee.sink, &err), 0);
}

TEST_WITH(all_are_flushed_when_the_first_fails, setup, teardown)
{
	struct counting a = counting_sink(), b = counting_sink(), c = counting_sink();
	struct sink *const sinks[] = { &a.sink, &b.sink, &c.sink };
	struct err err = { 0 };
	struct tee tee;

	tee_init(&tee, sinks, 3);
	assert_int_equal(put_one(&tee, &err), 0);
	a.refuses_from = c.refuses_from = 1;
	a.code = EIO;
	c.code = EFBIG;
	b.sink.flush = NULL; /* buffers nothing */
	assert_int_equal(sink_flush(&tee.sink, &err), -EIO);
	assert_int_equal(a.n_flushed, 1);
	assert_int_equal(c.n_flushed, 1);
}
