// SPDX-License-Identifier: Apache-2.0
/*
 * SQL, any text, over a small recording: it ends, it writes nothing, and what it answers is plain text in a table. The
 * number of steps is bounded.
 */
#include "analyze/query/query.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../unit/stream.h"
#include "fuzz.h"
#include "show/query/query_formats.h"

static struct stream stream;
static struct query *query;

static void require(bool claim, const char *what)
{
	if (claim)
		return;
	fprintf(stderr, "not true: %s\n", what);
	abort();
}

static void put_run(uint32_t lane, uint32_t thread, int number)
{
	uint64_t us = (uint64_t)number * 1000;

	stream_inference(&stream, lane, us, "m", 1, number);
	stream_operator(&stream, thread, us + 10, "outer", "Loop", number);
	stream_operator(&stream, thread, us + 20, "inner\x1b[2J", "Conv", number);
	stream_end(&stream, thread, us + 30);
	stream_end(&stream, thread, us + 40);
	if (number != 9)
		stream_end(&stream, lane, us + (uint64_t)(number == 5 ? 900 : 100));
}

static void make_query(void)
{
	const struct query_opts opts = { .memory_bytes = 32 << 20, .max_steps = 200000 };
	const struct summary_file file = { .path = "made" };
	uint32_t process, lane, thread, counter;
	struct err err = { 0 };

	stream_init(&stream);
	process = stream_process(&stream, 100, "app");
	lane = stream_lane(&stream, process, "m");
	thread = stream_thread(&stream, process, 101);
	counter = stream_counter(&stream, process, "cpu", "%");
	for (int i = 1; i < 10; i++) {
		put_run(lane, thread, i);
		stream_sample(&stream, counter, (uint64_t)i * 1000, i);
	}
	stream_int(&stream, KEY_COUNT, 3);
	stream_instant(&stream, process, 9990, KIND_LOST, "lost");
	query = query_new(stream_summary(&stream, &file), &opts, &err);
	require(query, "there is memory");
}

static void check_text(const char *text, size_t size)
{
	for (size_t i = 0; i < size; i++) {
		unsigned char c = (unsigned char)text[i];

		require((c >= 0x20 || c == '\n') && c != 0x7f, "a table is plain text");
	}
}

static void run(const char *sql, const char *format)
{
	struct query_writer writer = { .format = query_format_named(format), .is_human = true };
	struct query_taker taker;
	struct query_place place;
	struct err err = { 0 };
	char *text = NULL;
	size_t size = 0;

	writer.out = open_memstream(&text, &size);
	require(writer.out, "there is memory");
	taker = query_writer_taker(&writer);
	if (query_run(query, sql, &taker, &place, &err)) {
		require(*err.msg, "an error says what it is");
		require(!place.is_known || place.at <= strlen(sql), "the place is in the text");
	}
	query_writer_done(&writer);
	fclose(writer.out);
	if (!strcmp(format, "table"))
		check_text(text, size);
	free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *sql = malloc(size + 1);

	if (!query)
		make_query();
	require(sql, "there is memory");
	memcpy(sql, data, size);
	sql[size] = 0;
	query_is_complete(sql);
	run(sql, "table");
	run(sql, size % 2 ? "json" : "csv");
	free(sql);
	/* whatever it was, the tables are what they were */
	run("SELECT count(*) FROM operators", "jsonl");
	return 0;
}
