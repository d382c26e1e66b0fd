// SPDX-License-Identifier: Apache-2.0
/*
 * import_bench make PROFILE MB OUT: a large profile of ONNX Runtime, made of the inferences of a real one, again and
 * again, each time later. import_bench read FILE: how fast a file becomes events: its parser alone, and the importer,
 * which sorts them and puts them into a sink that keeps nothing. The fastest of five times. Does not judge: imports.py
 * does.
 */
#include "trace/import/import.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "trace/import/ort_profile.h"

enum { TIMES = 5 };

static double now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

static int fail(const struct err *err)
{
	fprintf(stderr, "import_bench: %s\n", err->msg);
	return 1;
}

static int take(struct ort_profile *profile, const struct ort_profile_event *event, struct err *err)
{
	return 0;
}

static int put_nothing(struct sink *sink, const struct event *event, struct err *err)
{
	return 0;
}

static int parse(struct import *import, uint64_t *n, struct err *err)
{
	struct ort_profile profile = { .names = names_new(), .take = take };
	struct import_bytes in = { import->input.data, import->input.size, input_forget_part };
	int code = ort_profile_read(&profile, &in, err);

	*n = profile.n_events;
	names_free(profile.names);
	return code;
}

static int read_all(struct import *import, uint64_t *n, struct err *err)
{
	uint32_t last_track = 0;
	struct sink sink = { put_nothing, names_new(), &last_track };
	int code = import_read(import, &sink, err);

	names_free(sink.names);
	return code;
}

static int time_one(const char *path, const char *what, int (*run)(struct import *, uint64_t *, struct err *))
{
	double best = 1e9;
	uint64_t n = 0;
	size_t size = 0;

	for (int i = 0; i < TIMES; i++) {
		struct import import;
		struct err err;
		int code = import_open(&import, path, &err);
		double from = now();

		code = code ? code : run(&import, &n, &err);
		if (code)
			return fail(&err);
		best = now() - from < best ? now() - from : best;
		size = import.input.size;
		import_close(&import);
	}
	printf("%s %.1f\n", what, (double)size / 1e6 / best);
	return 0;
}

/* The place of the digits after "ts" :, of an event that begins at `at`. */
static const char *find_ts(const char *at, const char *end)
{
	const char *found = memmem(at, (size_t)(end - at), "\"ts\" :", 6);

	return found ? found + 6 : NULL;
}

/* Writes the lines between at and end, `by` microseconds later. */
static void write_later(FILE *out, const char *at, const char *end, long long by)
{
	while (at < end) {
		const char *newline = memchr(at, '\n', (size_t)(end - at));
		const char *digits = find_ts(at, newline ? newline : end);
		char *behind;
		long long ts;

		newline = newline ? newline : end;
		if (digits) {
			ts = strtoll(digits, &behind, 10);
			fprintf(out, ",\n%.*s%lld%.*s", (int)(digits - at), at, ts + by,
				(int)(newline - behind - (newline[-1] == ',')), behind);
		}
		at = newline + 1;
	}
}

static int make(const char *from, long long mega, const char *to)
{
	static char text[8 << 20];
	FILE *in = fopen(from, "r"), *out = fopen(to, "w");
	size_t size = in ? fread(text, 1, sizeof text - 1, in) : 0;
	const char *end = memrchr(text, ']', size), *first = strstr(text, "\"session_initialization\""), *body, *digits;
	long long begin, last = 0;

	body = first ? strchr(first, '\n') : NULL;
	if (!out || !end || !body || !(digits = find_ts(body, end)))
		return fprintf(stderr, "import_bench: cannot make %s of %s\n", to, from), 1;
	begin = strtoll(digits, NULL, 10);
	for (const char *at = body; (at = find_ts(at, end));)
		last = strtoll(at, NULL, 10) > last ? strtoll(at, NULL, 10) : last;
	while (end > body && (end[-1] == '\n' || end[-1] == ' '))
		end--;
	fwrite(text, 1, (size_t)(body - text) - (body[-1] == ','), out);
	for (long long by = 0; ftell(out) < mega * 1000000; by += last - begin + 1000)
		write_later(out, body + 1, end, by);
	fputs("\n]\n", out);
	fclose(in);
	return fclose(out) != 0;
}

int main(int argc, char **argv)
{
	if (argc == 5 && !strcmp(argv[1], "make"))
		return make(argv[2], atoll(argv[3]), argv[4]);
	if (argc == 3 && !strcmp(argv[1], "read"))
		return time_one(argv[2], "parse", parse) || time_one(argv[2], "import", read_all);
	fprintf(stderr, "usage: import_bench make PROFILE MB OUT | read FILE\n");
	return 2;
}
