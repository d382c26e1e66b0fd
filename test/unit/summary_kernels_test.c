// SPDX-License-Identifier: Apache-2.0
/* Kernels of devices in a summary: by name and type, by type, and how busy each line was. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

#include <cmocka.h>

#include "stream.h"

static void put_kernel(struct stream *s, uint32_t stream, uint64_t us, uint64_t end_us, const char *name,
		       const char *type)
{
	stream_int(s, KEY_INFERENCE, us < 60 ? 1 : 2);
	if (type)
		stream_text(s, KEY_OP_TYPE, type);
	stream_begin(s, stream, us, KIND_KERNEL, name);
	if (end_us)
		stream_end(s, stream, end_us);
}

static const char *text(const struct summary *summary, uint32_t id)
{
	return names_text(summary->names, id);
}

static void kernels_are_added_up_by_name_and_type(void **state)
{
	struct stream s;
	struct summary *summary;
	uint32_t process, a, b;

	(void)state;
	stream_init(&s);
	process = stream_process(&s, 7, "app");
	a = stream_track(
	    &s, (struct track_def){ .type = TRACK_LANE, .parent = process, .name = stream_name(&s, "stream 7") });
	b = stream_track(
	    &s, (struct track_def){ .type = TRACK_LANE, .parent = process, .name = stream_name(&s, "stream 8") });
	put_kernel(&s, a, 10, 20, "sgemm", "Conv");
	put_kernel(&s, a, 20, 50, "sgemm", "Conv");
	put_kernel(&s, a, 55, 60, "sgemm", "MatMul");
	put_kernel(&s, a, 80, 81, "MemcpyDtoH", NULL);
	/* one inside another: its own row, and no more time that the line was busy */
	stream_text(&s, KEY_OP_TYPE, "Relu");
	stream_begin(&s, b, 10, KIND_KERNEL, "outer");
	put_kernel(&s, b, 12, 14, "inner", "Relu");
	stream_end(&s, b, 18);
	put_kernel(&s, b, 30, 0, "cut off", "Relu");
	summary = stream_summary(&s, &(struct summary_file){ 0 });

	assert_int_equal(summary->n_kernels, 5);
	assert_string_equal(text(summary, summary->kernels[0].name), "sgemm");
	assert_string_equal(text(summary, summary->kernels[0].op_type), "Conv");
	assert_int_equal(summary->kernels[0].duration.n, 2);
	assert_int_equal(summary->kernels[0].duration.total_ns, 40000);
	assert_int_equal(summary->kernels[0].duration.max_ns, 30000);
	assert_string_equal(text(summary, summary->kernels[1].name), "outer");
	assert_string_equal(text(summary, summary->kernels[2].op_type), "MatMul");
	assert_int_equal(summary->kernels_ns, 56000);

	assert_int_equal(summary->n_kernel_types, 4);
	assert_string_equal(text(summary, summary->kernel_types[0].op_type), "Conv");
	assert_string_equal(text(summary, summary->kernel_types[1].op_type), "Relu");
	assert_int_equal(summary->kernel_types[1].n, 2);
	assert_int_equal(summary->kernel_types[1].total_ns, 10000);
	assert_int_equal(summary->kernel_types[3].op_type, 0);

	assert_int_equal(summary->n_streams, 2);
	assert_string_equal(text(summary, summary->streams[0].name), "stream 7");
	assert_int_equal(summary->streams[0].n, 4);
	assert_int_equal(summary->streams[0].busy_ns, 46000);
	assert_int_equal(summary->streams[0].copies_ns, 1000);
	assert_int_equal(summary->streams[0].end_ns - summary->streams[0].begin_ns, 71000);
	assert_int_equal(summary->streams[0].n_gaps, 2);
	assert_int_equal(summary->streams[0].longest_gap_ns, 20000);
	assert_int_equal(summary->streams[0].idle_within_ns, 5000);
	assert_int_equal(summary->streams[1].n, 1);
	assert_int_equal(summary->streams[1].busy_ns, 8000);
	summary_free(summary);
	stream_done(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(kernels_are_added_up_by_name_and_type),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
