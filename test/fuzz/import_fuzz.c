// SPDX-License-Identifier: Apache-2.0
/*
 * A file of any format, any bytes: the importer that recognises it obeys the contract of sinks. An exporter writes half
 * of the inputs (which one, the sum of the bytes decides); those of JSON write valid JSON.
 */
#include "trace/import/import.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/text/json_read.h"
#include "check_sink.h"
#include "fuzz.h"
#include "trace/export/exporters.h"

struct tap {
	struct sink sink;
	struct check_sink check;
	struct sink *out;
};

static void require(bool claim, const char *what)
{
	if (claim)
		return;
	fprintf(stderr, "not true: %s\n", what);
	abort();
}

static int put(struct sink *sink, const struct event *event, struct err *err)
{
	struct tap *tap = (struct tap *)sink;

	require(!sink_put(&tap->check.sink, event, err), "the contract is kept");
	if (tap->out)
		require(!sink_put(tap->out, event, err), "what was read can be written");
	return 0;
}

static void check_json(int fd)
{
	struct json_reader reader;
	enum json_token token;
	struct stat stat;
	char *data;

	require(!fstat(fd, &stat) && stat.st_size, "it is in the file");
	data = mmap(NULL, (size_t)stat.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	require(data != MAP_FAILED, "the file can be mapped");
	json_read_init(&reader, data, (size_t)stat.st_size);
	do
		token = json_read_next(&reader);
	while (token != JSON_END && token != JSON_BROKEN);
	require(token == JSON_END, "it is JSON");
	munmap(data, (size_t)stat.st_size);
}

/* NULL for half of all inputs; a database is slow, and rare. */
static const struct exporter *exporter_for(const struct import_bytes *in)
{
	size_t n = 0, sum = 0;

	while (exporters[n])
		n++;
	for (size_t i = 0; i < in->size; i++)
		sum += (unsigned char)in->data[i];
	if (sum / n % 2 || (!strcmp(exporters[sum % n]->name, "sqlite") && sum / n % 16))
		return NULL;
	return exporters[sum % n];
}

static bool is_json(const struct exporter *exporter)
{
	return strstr(exporter->suffix, ".json");
}

static void read_with(const struct importer *importer, const struct import_bytes *in, int fd)
{
	const struct exporter *to = exporter_for(in);
	struct export_losses losses = { 0 };
	struct import_result result = { 0 };
	struct tap tap = { 0 };
	struct err err = { 0 };

	check_sink_init(&tap.check);
	tap.sink = (struct sink){ put, tap.check.sink.names, tap.check.sink.last_track };
	if (to)
		tap.out = to->open_table ? to->open_table(fd, in->size % 2 ? "operators" : "notes", tap.sink.names,
							  tap.sink.last_track, &err)
					 : to->open(fd, tap.sink.names, tap.sink.last_track, &err);
	require(tap.out || !to, "there is memory");
	if (importer->read(in, &tap.sink, &result, &err))
		require(err.code && *err.msg, "an error has a reason");
	else
		require(!result.is_cut || result.cut_at <= in->size, "it was cut off inside of the file");
	if (to)
		require(!to->close(tap.out, &losses, &err), "what was written is in the file");
	if (to && is_json(to))
		check_json(fd);
	check_sink_done(&tap.check);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static int fd = -1;
	struct import_bytes in = { (const char *)data, size };
	const struct importer *importer = import_find(in.data, in.size);

	if (fd < 0)
		fd = memfd_create("import_fuzz", MFD_CLOEXEC);
	require(!ftruncate(fd, 0) && !lseek(fd, 0, SEEK_SET), "the file can be emptied");
	if (importer)
		read_with(importer, &in, fd);
	return 0;
}
