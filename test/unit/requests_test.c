// SPDX-License-Identifier: Apache-2.0
/* Slices of a program's own around inferences, divided by what their thread did. */
#include "cases.h"
#include "event/callstack.h"
#include "show/words/request_words.h"
#include "stream.h"

enum { MAIN = 100, OTHER = 101 };

struct fixture {
	struct stream s;
	uint32_t process, lane, thread, other;
	struct summary *summary;
	struct event_sample sample[4096];
	size_t n;
	int64_t n_runs;
};

static void begin(struct fixture *f)
{
	memset(f, 0, sizeof *f);
	stream_init(&f->s);
	f->process = stream_process(&f->s, MAIN, "app");
	f->lane = stream_lane(&f->s, f->process, "m");
	f->thread = stream_thread(&f->s, f->process, MAIN);
	f->other = stream_thread(&f->s, f->process, OTHER);
}

static uint32_t at_line(struct fixture *f, const char *function, uint32_t line)
{
	struct callstacks *stacks = names_callstacks(f->s.names);
	struct frame frame = { .kind = FRAME_PYTHON,
			       .function = stream_name(&f->s, function),
			       .file = stream_name(&f->s, "/app/serve.py"),
			       .line = line };

	return callstacks_push(stacks, 0, callstacks_frame(stacks, &frame));
}

/* From one moment to the next, in ms. */
static void did(struct fixture *f, int32_t tid, uint64_t from_ms, uint64_t to_ms, enum sample_state state,
		uint32_t stack)
{
	struct event_sample *sample = &f->sample[f->n++];
	uint64_t ns = (to_ms - from_ms) * 1000000;

	*sample = (struct event_sample){ .tid = tid,
					 .state = (uint8_t)state,
					 .stack = stack,
					 .weight_ns = ns,
					 .cpu_ns = state == SAMPLE_RAN ? ns : 0 };
	stream_put(
	    &f->s,
	    (struct event){ .type = EVENT_SAMPLE, .track = f->process, .time_ns = to_ms * 1000000, .sample = sample });
}

static void runs(struct fixture *f, int32_t tid, uint64_t from_ms, uint64_t to_ms)
{
	stream_int(&f->s, KEY_TID, tid);
	stream_inference(&f->s, f->lane, from_ms * 1000, "m", 1, ++f->n_runs);
	stream_text(&f->s, KEY_STATUS, "ok");
	stream_end(&f->s, f->lane, to_ms * 1000);
}

static void slice(struct fixture *f, uint32_t thread, const char *name, uint64_t from_ms, uint64_t to_ms)
{
	stream_begin(&f->s, thread, from_ms * 1000, KIND_USER, name);
	stream_end(&f->s, thread, to_ms * 1000);
}

static void end(struct fixture *f)
{
	summary_free(f->summary);
	stream_done(&f->s);
}

TEST(a_request_is_divided_by_what_its_thread_did)
{
	struct fixture f;
	const struct summary_request *all, *slow;
	const struct summary_request_part *part;

	begin(&f);
	did(&f, MAIN, 0, 10, SAMPLE_RAN, at_line(&f, "before", 2));
	did(&f, OTHER, 0, 100, SAMPLE_SLEPT, at_line(&f, "other", 3)); /* another thread's */
	did(&f, MAIN, 10, 40, SAMPLE_LOCK, at_line(&f, "work", 7));
	did(&f, MAIN, 40, 60, SAMPLE_RAN, at_line(&f, "run", 9));
	did(&f, MAIN, 60, 70, SAMPLE_RAN, at_line(&f, "after", 11));
	slice(&f, f.thread, "request", 5, 75); /* of 70 to 75 there is no sample */
	runs(&f, MAIN, 42, 58);
	slice(&f, f.other, "nap", 10, 90);
	slice(&f, f.thread, "request", 80, 90); /* it has no sample */
	runs(&f, MAIN, 81, 89);
	f.summary = stream_summary(&f.s, &(struct summary_file){ 0 });
	assert_int_equal(f.summary->n_requests, 3);
	all = &f.summary->requests[0];
	slow = &f.summary->requests[1];
	assert_int_equal(all->begin_ns, 0);
	assert_int_equal(all->n, 2);
	assert_int_equal(all->wall_ns, 80000000);
	assert_int_equal(all->inferences_ns, 24000000);
	assert_int_equal(slow->tid, MAIN);
	assert_int_equal(slow->wall_ns, 70000000);
	assert_int_equal(slow->inferences_ns, 16000000);
	assert_int_equal(slow->unattributed_ns, 5000000);
	assert_int_equal(slow->n_parts, 4);
	part = f.summary->request_parts + slow->first;
	assert_string_equal(names_text(f.s.names, part[0].place), "work (serve.py:7)");
	assert_string_equal(names_text(f.s.names, part[0].state), "waited for a thread");
	assert_int_equal(part[0].ns, 30000000);
	assert_int_equal(part[0].before_ns, 30000000);
	assert_int_equal(part[1].ns, 10000000); /* after, and nothing of it before the inference */
	assert_int_equal(part[1].before_ns, 0);
	assert_int_equal(part[2].ns + part[3].ns, 4000000 + 5000000);
	assert_string_equal(request_words(f.summary, slow, true).s,
			    "70.0 ms: 16.0 ms in 1 inference, 30.0 ms waited for a thread in work (serve.py:7), 10.0 "
			    "ms ran in after (serve.py:11), 5.00 ms ran in before (serve.py:2), 4.00 ms ran in run "
			    "(serve.py:9), 5.00 ms of other things or not known");
	end(&f);
}

/* Events of a thread come in no common order, and there are more than are kept; each request adds up. */
TEST(many_requests_add_up)
{
	enum { N = 1500 };
	struct fixture f;
	uint64_t sum_ns = 0;

	begin(&f);
	for (uint64_t i = 100; i < 100 + N; i++) {
		did(&f, MAIN, 10 * i, 10 * i + 4, SAMPLE_RAN, at_line(&f, "work", 7));
		did(&f, MAIN, 10 * i + 4, 10 * i + 10, SAMPLE_SLEPT, at_line(&f, "nap", 8));
		if (i % 50 == 49)
			for (uint64_t k = i - 49; k <= i; k++)
				slice(&f, f.thread, "request", 10 * k, 10 * k + 8);
		if (i % 100 == 99)
			for (uint64_t k = i - 99; k <= i; k++)
				runs(&f, MAIN, 10 * k + 2, 10 * k + 3);
	}
	f.summary = stream_summary(&f.s, &(struct summary_file){ 0 });
	assert_int_equal(f.summary->requests[0].n, N);
	assert_int_equal(f.summary->requests[0].inferences_ns, N * UINT64_C(1000000));
	assert_int_equal(f.summary->requests[0].unattributed_ns, 0);
	for (uint32_t i = 0; i < f.summary->requests[0].n_parts; i++)
		sum_ns += f.summary->request_parts[i].ns;
	assert_int_equal(sum_ns, N * UINT64_C(7000000));
	end(&f);
}

TEST(a_slice_without_an_inference_is_no_request)
{
	struct fixture f;

	begin(&f);
	did(&f, MAIN, 0, 10, SAMPLE_RAN, at_line(&f, "work", 7));
	runs(&f, OTHER, 2, 8);
	slice(&f, f.thread, "request", 0, 10);
	f.summary = stream_summary(&f.s, &(struct summary_file){ 0 });
	assert_int_equal(f.summary->n_requests, 0);
	end(&f);
}

/* On a busy machine the sampler comes late: its samples follow what they are of. */
TEST(samples_that_follow_their_requests_count)
{
	struct fixture f;

	begin(&f);
	runs(&f, MAIN, 40, 50);
	slice(&f, f.thread, "request", 10, 60);
	did(&f, MAIN, 10, 40, SAMPLE_LOCK, at_line(&f, "work", 7));
	f.summary = stream_summary(&f.s, &(struct summary_file){ 0 });
	assert_int_equal(f.summary->n_requests, 2);
	assert_int_equal(f.summary->requests[0].n, 1);
	assert_int_equal(f.summary->request_parts[f.summary->requests[0].first].before_ns, 30000000);
	end(&f);
}

TEST(without_samples_there_are_no_parts_to_show)
{
	struct fixture f;

	begin(&f);
	runs(&f, MAIN, 40, 50);
	slice(&f, f.thread, "request", 10, 60);
	f.summary = stream_summary(&f.s, &(struct summary_file){ 0 });
	assert_int_equal(f.summary->n_requests, 0);
	end(&f);
}
