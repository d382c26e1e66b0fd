// SPDX-License-Identifier: Apache-2.0
/*
 * Hands samples to an exporter, with the tracks that they lie on, and reads back what it has written. A trace gets what
 * is inside an inference as slices. A table gets the sums of its stages, with the time of the device: that of kernels,
 * where no stage tells it; kernels that overlap count once.
 */
#include "profile/report.h"

#include <errno.h>
#include <linux/memfd.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

extern const struct exporter export_latency_csv;

enum { MAX_DEPTH = 64 };

void report_init(struct report *report, const struct exporter *exporter)
{
	*report = (struct report){ .exporter = exporter, .fd = -1 };
}

static int open_text(struct report *report, const struct gather *gather)
{
	struct sink *stream = (struct sink *)(uintptr_t)&gather->sink;

	if (report->sink)
		return 0;
	report->fd = (int)syscall(SYS_memfd_create, "inftrace-report", MFD_CLOEXEC);
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

static int put_begin(struct report *report, const struct gather_slice *slice)
{
	struct event event = { .type = EVENT_BEGIN,
			       .kind = slice->kind,
			       .track = slice->track,
			       .name = slice->name,
			       .time_ns = slice->begin_ns,
			       .args = slice->args,
			       .n_args = slice->n_args };

	return sink_put(report->sink, &event, NULL);
}

static int put_end(struct report *report, const struct gather_slice *slice)
{
	struct event event = {
		.type = EVENT_END, .kind = slice->kind, .track = slice->track, .time_ns = slice->end_ns
	};

	return sink_put(report->sink, &event, NULL);
}

/* Those around others first. */
static int by_track_and_time(const void *left, const void *right)
{
	const struct gather_slice *a = *(const struct gather_slice *const *)left,
				  *b = *(const struct gather_slice *const *)right;

	if (a->track != b->track)
		return a->track < b->track ? -1 : 1;
	if (a->begin_ns != b->begin_ns)
		return a->begin_ns < b->begin_ns ? -1 : 1;
	return (a->end_ns < b->end_ns) - (a->end_ns > b->end_ns);
}

static int choose(struct report *report, const struct gather_slice *slice)
{
	const struct gather_slice **place = array_add(&report->part, sizeof *place);

	if (!place)
		return -ENOMEM;
	*place = slice;
	return 0;
}

/* The sample's own slices, and what is inside. */
static int choose_all(struct report *report, const struct sample *sample)
{
	const struct gather_slice *parts = sample->parts.data;
	int code;

	report->part.n = 0;
	code = choose(report, &sample->run);
	if (!code && sample->setup.kind != KIND_NONE)
		code = choose(report, &sample->setup);
	for (size_t i = 0; i < sample->parts.n && !code; i++)
		code = choose(report, &parts[i]);
	return code;
}

/* Slices of one track lie inside each other: an end is put when the next one begins behind it. */
static int put_trace(struct report *report, const struct gather *gather, const struct sample *sample)
{
	const struct gather_slice *open[MAX_DEPTH], **parts;
	size_t n_open = 0;
	int code = choose_all(report, sample);

	parts = report->part.data;
	if (!code)
		qsort(parts, report->part.n, sizeof *parts, by_track_and_time);
	for (size_t i = 0; i < report->part.n && !code; i++) {
		while (n_open && !code &&
		       (open[n_open - 1]->track != parts[i]->track || open[n_open - 1]->end_ns <= parts[i]->begin_ns))
			code = put_end(report, open[--n_open]);
		if (!code)
			code = define(report, gather, parts[i]->track);
		if (code || n_open == MAX_DEPTH)
			continue;
		code = put_begin(report, parts[i]);
		open[n_open++] = parts[i];
	}
	while (n_open && !code)
		code = put_end(report, open[--n_open]);
	return code;
}

static int put_stage(struct report *report, uint32_t track, uint32_t name, uint64_t time_ns, uint64_t ns)
{
	struct arg arg = arg_int(KEY_REPORTED_NS, (int64_t)ns);
	struct event event = { .type = EVENT_INSTANT,
			       .kind = KIND_STAGE,
			       .track = track,
			       .name = name,
			       .time_ns = time_ns,
			       .args = &arg,
			       .n_args = 1 };

	return sink_put(report->sink, &event, NULL);
}

static int by_begin(const void *left, const void *right)
{
	const struct gather_slice *a = *(const struct gather_slice *const *)left,
				  *b = *(const struct gather_slice *const *)right;

	return (a->begin_ns > b->begin_ns) - (a->begin_ns < b->begin_ns);
}

/* The time in which at least one kernel was running; their slices are the parts. */
static uint64_t kernel_ns(struct report *report)
{
	const struct gather_slice **parts = report->part.data;
	uint64_t sum_ns = 0, until_ns = 0;

	qsort(parts, report->part.n, sizeof *parts, by_begin);
	for (size_t i = 0; i < report->part.n; i++) {
		uint64_t from_ns = parts[i]->begin_ns > until_ns ? parts[i]->begin_ns : until_ns;

		if (parts[i]->end_ns <= from_ns)
			continue;
		sum_ns += parts[i]->end_ns - from_ns;
		until_ns = parts[i]->end_ns;
	}
	return sum_ns;
}

static int put_stages(struct report *report, const struct gather *gather, const struct sample *sample)
{
	const struct gather_slice *part = sample->parts.data;
	uint32_t track = sample->run.track, device = names_of(gather->sink.names, "device");
	bool has_device = false;
	int code = 0;

	for (size_t i = 0; i < sample->parts.n && !code; i++) {
		if (part[i].kind != KIND_STAGE)
			continue;
		has_device |= part[i].name == device;
		code = put_stage(report, track, part[i].name, part[i].end_ns, part[i].end_ns - part[i].begin_ns);
	}
	report->part.n = 0;
	for (size_t i = 0; i < sample->parts.n && !code && !has_device; i++)
		if (part[i].kind == KIND_KERNEL)
			code = choose(report, &part[i]);
	if (!code && report->part.n)
		code = put_stage(report, track, device, sample->run.end_ns, kernel_ns(report));
	return code;
}

static int put_row(struct report *report, const struct gather *gather, const struct sample *sample)
{
	int code = define(report, gather, sample->run.track);

	if (!code)
		code = put_begin(report, &sample->run);

	if (!code && sample->setup.kind != KIND_NONE) {
		code = put_begin(report, &sample->setup);
		if (!code)
			code = put_end(report, &sample->setup);
	}
	if (!code && sample->parts.n)
		code = put_stages(report, gather, sample);
	return code ? code : put_end(report, &sample->run);
}

int report_add(struct report *report, const struct gather *gather, const struct sample *sample)
{
	int code = open_text(report, gather);

	if (!code)
		code = report->exporter == &export_latency_csv ? put_row(report, gather, sample)
							       : put_trace(report, gather, sample);
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
	array_done(&report->part, sizeof(void *));
	report_init(report, report->exporter);
}
