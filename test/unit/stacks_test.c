// SPDX-License-Identifier: Apache-2.0
/* Places of operators in folded stacks: each moment of a thread is counted once. */
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "cases.h"
#include "stream.h"
#include "trace/export/exporters.h"

static char *folded_of(struct stream *s)
{
	int fd = memfd_create("stacks_test", MFD_CLOEXEC);
	struct sink *sink;
	uint32_t last_track = 0;
	struct err err;
	char *text;
	off_t size;

	sink = exporters_find("folded")->open(fd, s->names, &last_track, &err);
	assert_non_null(sink);
	stream_replay(s, sink);
	assert_int_equal(exporters_find("folded")->close(sink, NULL, &err), 0);
	size = lseek(fd, 0, SEEK_END);
	text = calloc(1, (size_t)size + 1);
	assert_int_equal(pread(fd, text, (size_t)size, 0), size);
	close(fd);
	return text;
}

static void put_creation(struct stream *s, uint32_t lane, int tid)
{
	stream_int(s, KEY_SESSION, tid);
	stream_int(s, KEY_TID, tid);
	stream_begin(s, lane, 10, KIND_SESSION, "m");
	stream_begin(s, lane, 20, KIND_SPECIALIZE, "ConstantFolding");
}

static void put_operator(struct stream *s, uint32_t thread, uint64_t us, uint64_t end_us)
{
	stream_text(s, KEY_OP_TYPE, "Mul");
	stream_begin(s, thread, us, KIND_OPERATOR, "mul");
	stream_end(s, thread, end_us);
}

TEST(constant_folding_is_a_part_of_the_creation)
{
	struct stream s;
	uint32_t process, lane, thread, other;
	char *text;

	(void)state;
	stream_init(&s);
	process = stream_process(&s, 7, "app");
	lane = stream_lane(&s, process, "m");
	thread = stream_thread(&s, process, 8);
	other = stream_thread(&s, process, 9);
	put_creation(&s, lane, 8);
	put_operator(&s, thread, 30, 50);
	put_operator(&s, other, 40, 45); /* of a thread that creates nothing */
	stream_end(&s, lane, 60);
	stream_end(&s, lane, 70);
	put_operator(&s, thread, 80, 90); /* after the creation */
	text = folded_of(&s);
	assert_string_equal(text, "app;m;session creation 20000\n"
				  "app;m;session creation;ConstantFolding 20000\n"
				  "app;m;session creation;ConstantFolding;Mul;mul 20000\n"
				  "app;thread 9;Mul;mul 5000\n"
				  "app;thread 8;Mul;mul 10000\n");
	free(text);
	stream_done(&s);
}
