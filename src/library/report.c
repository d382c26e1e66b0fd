// SPDX-License-Identifier: Apache-2.0
/* Hands samples to an exporter, with the tracks that they lie on, and reads back what it has written. */
#include "library/report.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

void report_init(struct report *report, const struct exporter *exporter)
{
	*report = (struct report){ .exporter = exporter, .fd = -1 };
}

static int open_text(struct report *report, const struct gather *gather)
{
	struct sink *stream = (struct sink *)(uintptr_t)&gather->sink;

	if (report->sink)
		return 0;
	report->fd = memfd_create("inftrace-report", MFD_CLOEXEC);
	if (report->fd >= 0)
		report->sink = report->exporter->open(report->fd, stream->names, stream->last_track, NULL);
	if (!report->sink && report->fd >= 0) {
		close(report->fd);
		report->fd = -1;
	}
	return report->sink ? 0 : -ENOMEM;
}

static int define(struct report *report, const struct gather *gather, uint32_t number)
{
	const struct track_def *def = gather_track(gather, number);
	struct event event = { .type = EVENT_TRACK, .track = number, .def = def };
	bool *is_defined;
	int code;

	while (report->defined.n <= number)
		if (!array_add(&report->defined, sizeof(bool)))
			return -ENOMEM;
	is_defined = (bool *)report->defined.data + number;
	if (*is_defined || !def)
		return def ? 0 : -EINVAL;
	code = def->parent ? define(report, gather, def->parent) : 0;
	if (code)
		return code;
	((bool *)report->defined.data)[number] = true;
	return sink_put(report->sink, &event, NULL);
}

static int put_slice(struct report *report, const struct gather_slice *slice, const struct gather_slice *inside)
{
	struct event event = { .type = EVENT_BEGIN,
			       .kind = slice->kind,
			       .track = slice->track,
			       .name = slice->name,
			       .time_ns = slice->begin_ns,
			       .args = slice->args,
			       .n_args = slice->n_args };
	int code = sink_put(report->sink, &event, NULL);

	if (!code && inside && inside->kind != KIND_NONE)
		code = put_slice(report, inside, NULL);
	event =
	    (struct event){ .type = EVENT_END, .kind = slice->kind, .track = slice->track, .time_ns = slice->end_ns };
	return code ? code : sink_put(report->sink, &event, NULL);
}

int report_add(struct report *report, const struct gather *gather, const struct sample *sample)
{
	int code = open_text(report, gather);

	if (!code)
		code = define(report, gather, sample->run.track);
	if (!code)
		code = put_slice(report, &sample->run, &sample->setup);
	for (size_t i = 0; !code && i < sample->n_operators; i++) {
		code = define(report, gather, sample->operators[i].track);
		if (!code)
			code = put_slice(report, &sample->operators[i], NULL);
	}
	report->n_samples += !code;
	return code;
}

static char *read_all(int fd, size_t *len)
{
	off_t size = lseek(fd, 0, SEEK_END);
	char *text = size < 0 ? NULL : malloc((size_t)size + 1);
	ssize_t got = 0;

	for (*len = 0; text && *len < (size_t)size; *len += (size_t)got) {
		got = pread(fd, text + *len, (size_t)size - *len, (off_t)*len);
		if (got <= 0)
			break;
	}
	if (text)
		text[*len] = 0;
	return text;
}

char *report_end(struct report *report, struct gather *gather, size_t *len)
{
	char *text = NULL;
	int code = open_text(report, gather);

	if (!code) {
		code = report->exporter->close(report->sink, NULL, NULL);
		report->sink = NULL;
	}
	if (!code)
		text = read_all(report->fd, len);
	report_done(report);
	return text;
}

void report_done(struct report *report)
{
	if (report->sink)
		report->exporter->close(report->sink, NULL, NULL);
	if (report->fd >= 0)
		close(report->fd);
	array_done(&report->defined, sizeof(bool));
	report_init(report, report->exporter);
}
