// SPDX-License-Identifier: Apache-2.0
/*
 * A profile of pprof: profile.proto, compressed by gzip. Each place of the tree is a sample with two values, time in
 * nanoseconds spent there and not below, and the number of its slices. A frame is a function with one location.
 */
#include <stdlib.h>
#include <zlib.h>

#include "base/pb.h"
#include "base/text/utf8.h"
#include "trace/export/stacks.h"

/* Fields of profile.proto. */
enum { SAMPLE_TYPE = 1, SAMPLE, LOCATION = 4, FUNCTION, STRINGS, TIME = 9, DURATION, COMMENT = 13, DEFAULT_TYPE };
enum { TYPE_TYPE = 1, TYPE_UNIT };
enum { SAMPLE_LOCATION = 1, SAMPLE_VALUE };
enum { LOCATION_ID = 1, LOCATION_LINE = 4, LINE_FUNCTION = 1 };
enum { FUNCTION_ID = 1, FUNCTION_NAME, FUNCTION_SYSTEM_NAME };

enum { MESSAGE = (STACKS_DEPTH + 8) * PB_VARINT_MAX };

/* The first strings. */
static const char *const strings[] = { "", "time", "nanoseconds", "count", "made by inftrace" };
enum { STRING_TIME = 1, STRING_NANOSECONDS, STRING_COUNT, STRING_COMMENT, N_STRINGS };

struct gzip {
	z_stream stream;
	struct text_out *out;
};

static void deflate_all(struct gzip *gzip, int flush)
{
	unsigned char data[16 << 10];

	do {
		gzip->stream.next_out = data;
		gzip->stream.avail_out = sizeof data;
		deflate(&gzip->stream, flush);
		text_out_put(gzip->out, data, sizeof data - gzip->stream.avail_out);
	} while (!gzip->stream.avail_out);
}

static void put(struct gzip *gzip, const void *data, size_t len)
{
	while (len) {
		uInt part = len > 1 << 30 ? 1 << 30 : (uInt)len;

		gzip->stream.next_in = (z_const Bytef *)data;
		gzip->stream.avail_in = part;
		deflate_all(gzip, Z_NO_FLUSH);
		data = (const char *)data + part;
		len -= part;
	}
}

static void put_field(struct gzip *gzip, uint32_t number, const void *data, size_t len)
{
	uint8_t tag[2 * PB_VARINT_MAX];
	uint8_t *at = pb_put_varint(pb_put_varint(tag, PB_TAG(number, PB_BYTES)), len);

	put(gzip, tag, (size_t)(at - tag));
	put(gzip, data, len);
}

static void put_uint(struct gzip *gzip, uint32_t number, uint64_t value)
{
	uint8_t field[2 * PB_VARINT_MAX];

	put(gzip, field, (size_t)(pb_put_uint(field, number, value) - field));
}

/* A message of two numbers. */
static void put_pair(struct gzip *gzip, uint32_t number, const uint64_t value[2])
{
	uint8_t message[4 * PB_VARINT_MAX], *at = pb_put_uint(message, 1, value[0]);

	put_field(gzip, number, message, (size_t)(pb_put_uint(at, 2, value[1]) - message));
}

static void put_sample(struct gzip *gzip, const struct stacks_node *nodes, uint32_t leaf, const uint32_t *function_of)
{
	uint8_t message[MESSAGE], *at = message, *inside;

	at = pb_open(at, SAMPLE_LOCATION, &inside);
	for (uint32_t node = leaf; node; node = nodes[node].parent)
		at = pb_put_varint(at, function_of[node]);
	at = pb_close(at, inside);
	at = pb_open(at, SAMPLE_VALUE, &inside);
	at = pb_put_varint(at, nodes[leaf].self_ns);
	at = pb_put_varint(at, nodes[leaf].n);
	at = pb_close(at, inside);
	put_field(gzip, SAMPLE, message, (size_t)(at - message));
}

static void put_function(struct gzip *gzip, uint32_t id)
{
	uint8_t message[6 * PB_VARINT_MAX], *at, *inside;

	at = pb_put_uint(message, LOCATION_ID, id);
	at = pb_open(at, LOCATION_LINE, &inside);
	at = pb_close(pb_put_uint(at, LINE_FUNCTION, id), inside);
	put_field(gzip, LOCATION, message, (size_t)(at - message));
	at = pb_put_uint(message, FUNCTION_ID, id);
	at = pb_put_uint(at, FUNCTION_NAME, N_STRINGS + id - 1);
	at = pb_put_uint(at, FUNCTION_SYSTEM_NAME, N_STRINGS + id - 1);
	put_field(gzip, FUNCTION, message, (size_t)(at - message));
}

/* Numbers the names, from 1: functions, locations and strings. The number of the last; 0: out of memory, or none. */
static uint32_t number_names(const struct stacks *stacks, uint32_t *function_of, struct array *names)
{
	const struct stacks_node *nodes = stacks->nodes.data;
	struct perfetto_map map = { 0 };
	bool is_whole = true;

	for (size_t i = 1; i < stacks->nodes.n && is_whole; i++) {
		uint64_t key = (uint64_t)nodes[i].name + 1;
		uint32_t *name;

		function_of[i] = perfetto_map_get(&map, key);
		if (function_of[i])
			continue;
		name = array_add(names, sizeof *name);
		is_whole = name && perfetto_map_put(&map, key, (uint32_t)names->n);
		if (is_whole)
			*name = nodes[i].name;
		function_of[i] = (uint32_t)names->n;
	}
	perfetto_map_done(&map);
	return is_whole ? (uint32_t)names->n : 0;
}

static void put_strings(struct gzip *gzip, const struct stacks *stacks, const struct array *names)
{
	for (size_t i = 0; i < N_STRINGS; i++)
		put_field(gzip, STRINGS, strings[i], strlen(strings[i]));
	for (size_t i = 0; i < names->n; i++) {
		const char *text = pairing_text(&stacks->pairing, ((const uint32_t *)names->data)[i]);
		char clean[3 * 1000];
		size_t len = strnlen(text, 1000);

		put_field(gzip, STRINGS, clean, utf8_clean(clean, text, len));
	}
}

static void put_profile(struct gzip *gzip, const struct stacks *stacks, const uint32_t *function_of,
			const struct array *names)
{
	static const uint64_t time[] = { STRING_TIME, STRING_NANOSECONDS }, count[] = { STRING_COUNT, STRING_COUNT };
	const struct stacks_node *nodes = stacks->nodes.data;

	put_pair(gzip, SAMPLE_TYPE, time);
	put_pair(gzip, SAMPLE_TYPE, count);
	for (uint32_t i = 1; i < stacks->nodes.n; i++)
		if (nodes[i].n)
			put_sample(gzip, nodes, i, function_of);
	for (uint32_t id = 1; id <= names->n; id++)
		put_function(gzip, id);
	put_strings(gzip, stacks, names);
	if (stacks->start_realtime_ns)
		put_uint(gzip, TIME, stacks->start_realtime_ns);
	put_uint(gzip, DURATION, stacks->last_ns - stacks->first_ns);
	put_uint(gzip, COMMENT, STRING_COMMENT);
	put_uint(gzip, DEFAULT_TYPE, STRING_TIME);
}

static int write_profile(struct stacks *stacks, struct err *err)
{
	uint32_t *function_of = calloc(stacks->nodes.n, sizeof *function_of);
	struct gzip gzip = { .out = &stacks->pairing.out };
	struct array names = { 0 };
	int code = 0;

	if (!function_of || (!number_names(stacks, function_of, &names) && stacks->nodes.n > 1) ||
	    deflateInit2(&gzip.stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY) != Z_OK) {
		code = err_no_memory(err, "cannot write the file");
	} else {
		put_profile(&gzip, stacks, function_of, &names);
		deflate_all(&gzip, Z_FINISH);
		deflateEnd(&gzip.stream);
		code = text_out_flush(gzip.out, err);
	}
	array_done(&names, sizeof(uint32_t));
	free(function_of);
	return code;
}

static struct sink *open(int fd, struct names *names, uint32_t *last_track, struct err *err)
{
	struct stacks *stacks = stacks_new(fd, names, last_track, err);

	return stacks ? &stacks->pairing.sink : NULL;
}

static int end(struct sink *sink, struct export_losses *losses, struct err *err)
{
	struct stacks *stacks = (struct stacks *)sink;
	int code;

	if (!stacks)
		return 0;
	code = stacks_finish(stacks, losses, err);
	if (!code)
		code = write_profile(stacks, err);
	stacks_free(stacks);
	return code;
}

const struct exporter export_pprof = {
	.name = "pprof",
	.suffix = ".pb.gz",
	.help = "profile for `go tool pprof`: time and number of slices, by place",
	.open = open,
	.close = end,
};
