// SPDX-License-Identifier: Apache-2.0
/*
 * A trace file: any bytes. The reader's events obey the contract of sinks; written again (one input in four), they are
 * read back unchanged.
 */
#include "trace/perfetto/perfetto_read.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "check_sink.h"
#include "fuzz.h"
#include "trace/perfetto/perfetto_write.h"

/* Computes a digest of the events, and passes them on. */
struct digest {
	struct sink sink;
	struct check_sink check;
	struct perfetto_writer *writer; /* NULL: none */
	uint64_t sum, n;
};

static uint64_t mix(uint64_t sum, uint64_t value)
{
	return ((sum ^ value) * 0x9e3779b97f4a7c15u) ^ sum >> 32;
}

/* Writing repairs broken UTF-8, so only pure ASCII can be compared. */
static bool is_ascii(const struct names *names, uint32_t id)
{
	const char *text = names_text(names, id);
	size_t len = names_len(names, id);

	for (size_t i = 0; i < len; i++)
		if (text[i] & 0x80)
			return false;
	return true;
}

static uint64_t mix_text(uint64_t sum, const struct names *names, uint32_t id)
{
	const char *text = names_text(names, id);
	size_t len = names_len(names, id);

	if (!is_ascii(names, id))
		return mix(sum, 1);
	for (size_t i = 0; i < len; i++)
		sum = mix(sum, (uint8_t)text[i]);
	return sum;
}

/* A track that is defined anew with another broken name has the same one when it was written. */
static bool may_be_same(const struct names *names, const struct event *event)
{
	return event->type == EVENT_TRACK &&
	       !(is_ascii(names, event->def->name) && is_ascii(names, event->def->command));
}

static uint64_t mix_event(uint64_t sum, const struct names *names, const struct event *event)
{
	double value = event->value + 0.0; /* no negative zero */
	uint64_t bits;

	sum = mix(mix(sum, event->type), event->track);
	if (event->type == EVENT_TRACK)
		return mix_text(mix(mix(sum, event->def->type), event->def->parent), names, event->def->name);
	sum = mix(sum, event->time_ns);
	if (event->type == EVENT_BEGIN || event->type == EVENT_INSTANT)
		sum = mix_text(mix(sum, event->kind), names, event->name);
	if (event->type == EVENT_COUNTER && value == value) {
		memcpy(&bits, &value, sizeof bits);
		sum = mix(sum, bits);
	}
	for (size_t i = 0; i < event->n_args; i++) {
		const struct arg *arg = &event->args[i];
		sum = mix(mix(sum, arg->key), arg->type);
		if (arg->type == ARG_NAME)
			sum = mix_text(sum, names, arg->name);
		else if (arg->type == ARG_INT || arg->real == arg->real)
			sum = mix(sum, (uint64_t)arg->integer);
	}
	return sum;
}

static void require(bool claim, const char *what)
{
	if (claim)
		return;
	fprintf(stderr, "not true: %s\n", what);
	abort();
}

static int put(struct sink *sink, const struct event *event, struct err *err)
{
	struct digest *digest = (struct digest *)sink;

	require(!sink_put(&digest->check.sink, event, err), "the contract is kept");
	if (!may_be_same(sink->names, event)) {
		digest->sum = mix_event(digest->sum, sink->names, event);
		digest->n++;
	}
	if (digest->writer)
		require(!sink_put(perfetto_write_sink(digest->writer), event, err), "what was read can be written");
	return 0;
}

static void digest_init(struct digest *digest)
{
	memset(digest, 0, sizeof *digest);
	check_sink_init(&digest->check);
	digest->sink = (struct sink){ put, digest->check.sink.names, digest->check.sink.last_track };
}

static void read_back(int fd, const struct digest *wanted)
{
	struct perfetto_read_result result;
	struct digest digest;
	struct err err;
	struct stat st;
	void *data;

	fstat(fd, &st);
	data = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	require(data != MAP_FAILED, "the file can be mapped");
	digest_init(&digest);
	require(!perfetto_read(data, (size_t)st.st_size, &digest.sink, &result, &err), "what was written can be read");
	require(!result.is_cut && !result.n_late && !result.n_skipped, "it is whole");
	require(digest.n == wanted->n && digest.sum == wanted->sum, "it is the same");
	check_sink_done(&digest.check);
	munmap(data, (size_t)st.st_size);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static int fd = -1;
	struct perfetto_write_opts opts = { .compress = size & 8, .is_import = true };
	struct perfetto_read_result result;
	struct digest digest;
	struct err err;

	if (fd < 0)
		fd = memfd_create("perfetto_read_fuzz", MFD_CLOEXEC);
	require(!ftruncate(fd, 0) && !lseek(fd, 0, SEEK_SET), "the file can be emptied");
	digest_init(&digest);
	if (size % 4 == 0) {
		digest.writer = perfetto_write_new(fd, digest.sink.names, digest.sink.last_track, &opts, &err);
		require(digest.writer, "there is memory");
	}
	if (perfetto_read(data, size, &digest.sink, &result, &err))
		require(*err.msg, "an error has a reason");
	if (digest.writer) {
		require(!perfetto_write_free(digest.writer, &err), "what was written is in the file");
		read_back(fd, &digest);
	}
	check_sink_done(&digest.check);
	return 0;
}
