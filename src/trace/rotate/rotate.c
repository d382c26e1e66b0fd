// SPDX-License-Identifier: Apache-2.0
/*
 * Decides when a segment ends and which ones are dropped. rotate_live.c knows what a new one must repeat,
 * rotate_segment.c writes it, rotate_copy.c joins them.
 */
#include "trace/rotate/rotate.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "trace/rotate/rotate_folder.h"
#include "trace/rotate/rotate_in.h"

enum {
	SHORTEST_NS = 100000000, /* a segment */
	DUMP_PART = 4 << 20,	 /* bytes of a dump that are copied in a flush */
};

struct rotate {
	struct sink sink;
	struct rotate_opts opts;
	struct rotate_live live;
	struct rotate_stream stream;
	struct perfetto_writer *writer; /* of the last segment */
	int fd;
	struct array segments;	 /* struct rotate_segment: those on the disk, oldest first */
	uint64_t complete_bytes; /* of all segments before the last, dropped ones included */
	uint64_t n_moved;	 /* in these */
	uint64_t begin_ns;
	struct {
		uint64_t n, n_events, ns;
	} dropped;
	struct rotate_dump dump;
	char why[240];	    /* of the dump */
	uint32_t n_skipped; /* dumps that were not made, as noted last */
	bool has_begun;
	struct err err; /* the first failure: nothing is written after it */
};

static struct rotate_segment *segment_at(const struct rotate *rotate, size_t i)
{
	return (struct rotate_segment *)rotate->segments.data + i;
}

static struct rotate_segment *last_of(const struct rotate *rotate)
{
	return segment_at(rotate, rotate->segments.n - 1);
}

static uint64_t now_of(const struct rotate *rotate)
{
	return rotate->opts.now_ns ? rotate->opts.now_ns() : clock_ns();
}

static int failure(const struct rotate *rotate, struct err *err)
{
	return err_set(err, rotate->err.code, "%s", rotate->err.msg);
}

static int put(struct sink *sink, const struct event *event, struct err *err)
{
	struct rotate *rotate = (struct rotate *)sink;
	struct rotate_segment *segment = last_of(rotate);
	struct sink *out;
	int code;

	if (rotate->err.code)
		return failure(rotate, err);
	out = perfetto_write_sink(rotate->writer);
	if (event->type == EVENT_TRACK_END)
		return rotate_live_end(&rotate->live, event->track, rotate_segment_body(segment), out, err);
	code = rotate_live_put(&rotate->live, event, err);
	if (!code && !rotate_live_has(&rotate->live, event->track, rotate_segment_body(segment)))
		code = rotate_live_define(&rotate->live, event->track, rotate_segment_body(segment), out, err);
	if (code || event->type == EVENT_TRACK)
		return code;
	segment->n_events += event->type == EVENT_BEGIN || event->type == EVENT_INSTANT;
	if (!rotate->begin_ns && event->kind != KIND_NOTE)
		rotate->begin_ns = event->time_ns;
	return sink_put(out, event, err);
}

/* Segments. */

static int begin_segment(struct rotate *rotate, struct err *err)
{
	uint64_t number = rotate->segments.n ? last_of(rotate)->number + 1 : 1;
	struct rotate_segment *segment = array_add(&rotate->segments, sizeof *segment);

	if (!segment)
		return err_no_memory(err, "cannot write the recording");
	segment->number = number;
	segment->begin_ns = now_of(rotate);
	rotate->writer = rotate_segment_open(segment, &rotate->stream, &rotate->fd, err);
	if (rotate->writer)
		return 0;
	rotate->segments.n--;
	return -err->code;
}

static int end_segment(struct rotate *rotate, struct err *err)
{
	struct rotate_segment *segment = last_of(rotate);
	struct stat file;
	int code;

	if (!rotate->writer)
		return 0;
	code = sink_sync(perfetto_write_sink(rotate->writer), err);
	rotate->complete_bytes += perfetto_write_sink(rotate->writer)->n_bytes;
	rotate->n_moved += perfetto_write_sink(rotate->writer)->n_moved;
	perfetto_write_drop(rotate->writer);
	rotate->writer = NULL;
	segment->bytes = fstat(rotate->fd, &file) ? 0 : (uint64_t)file.st_size;
	close(rotate->fd);
	rotate->fd = -1;
	return code;
}

static bool is_in_dump(const struct rotate *rotate, const struct rotate_segment *segment)
{
	return rotate->dump.state != DUMP_NONE && segment->number >= rotate->dump.first;
}

/* How many of the complete segments are to go. */
static size_t count_old(const struct rotate *rotate, uint64_t now_ns)
{
	const struct rotate_opts *opts = &rotate->opts;
	/* the last one will be as large as the others, at least */
	uint64_t own_bytes = last_of(rotate)->body_at + perfetto_write_sink(rotate->writer)->n_bytes;
	uint64_t kept_bytes = opts->keep_bytes / ROTATE_SEGMENTS;
	size_t n = 0;

	if (own_bytes > kept_bytes)
		kept_bytes = own_bytes;

	for (size_t i = 0; i + 1 < rotate->segments.n; i++)
		kept_bytes += segment_at(rotate, i)->bytes;
	for (; n + 2 < rotate->segments.n && !is_in_dump(rotate, segment_at(rotate, n)); n++) {
		bool is_old = opts->keep_ns && segment_at(rotate, n + 1)->begin_ns + opts->keep_ns <= now_ns;
		bool is_much = opts->keep_bytes && kept_bytes > opts->keep_bytes;
		if (!is_old && !is_much)
			break;
		kept_bytes -= segment_at(rotate, n)->bytes;
	}
	return n;
}

static uint32_t note_track(struct rotate *rotate, struct err *err)
{
	struct track_def def = { .type = TRACK_GROUP, .name = names_of(rotate->sink.names, "inftrace") };
	struct event event = { .type = EVENT_TRACK, .def = &def };

	if (!rotate->live.own_track) {
		event.track = sink_new_track(&rotate->sink);
		if (!put(&rotate->sink, &event, err))
			rotate->live.own_track = event.track;
	}
	return rotate->live.own_track;
}

/* A note about the recording itself; it is not counted as one of the program's events. */
static int note(struct rotate *rotate, const char *topic, const struct arg *args, size_t n, struct err *err)
{
	struct event event = { .type = EVENT_INSTANT,
			       .kind = KIND_NOTE,
			       .track = note_track(rotate, err),
			       .name = names_of(rotate->sink.names, topic),
			       .time_ns = now_of(rotate),
			       .args = args,
			       .n_args = n };
	int code = event.track ? put(&rotate->sink, &event, err) : -err->code;

	last_of(rotate)->n_events -= !code;
	return code;
}

static int note_dropped(struct rotate *rotate, struct err *err)
{
	struct arg args[] = { arg_text(KEY_TEXT, &rotate->sink, rotate->opts.keep),
			      arg_int(KEY_COUNT, (int64_t)rotate->dropped.n),
			      arg_int(KEY_EVENTS, (int64_t)rotate->dropped.n_events),
			      arg_int(KEY_BY_NS, (int64_t)rotate->dropped.ns) };

	return note(rotate, EVENT_NOTE_KEPT, args, sizeof args / sizeof *args, err);
}

/* path NULL: none is made. */
static int note_dump(struct rotate *rotate, const char *path, const char *why, struct err *err)
{
	struct arg args[] = { arg_text(KEY_TEXT, &rotate->sink, why), arg_int(KEY_COUNT, rotate->dump.n_skipped),
			      arg_text(KEY_PATH, &rotate->sink, path) };

	rotate->n_skipped = rotate->dump.n_skipped;
	return note(rotate, EVENT_NOTE_DUMP, args, path ? 3 : 2, err);
}

/*
 * Drops the first n segments. The note about them is on the disk before they go, so that a recording never lacks them
 * without saying so.
 */
static int drop(struct rotate *rotate, size_t n, struct err *err)
{
	int code;

	for (size_t i = 0; i < n; i++)
		rotate->dropped.n_events += segment_at(rotate, i)->n_events;
	rotate->dropped.n += n;
	/* from the first event; it took a while to reach the programs */
	if (rotate->begin_ns && rotate->begin_ns < segment_at(rotate, n)->begin_ns)
		rotate->dropped.ns = segment_at(rotate, n)->begin_ns - rotate->begin_ns;
	code = note_dropped(rotate, err);
	if (!code)
		code = sink_sync(perfetto_write_sink(rotate->writer), err);
	for (size_t i = 0; i < n && !code; i++)
		unlinkat(rotate->stream.folder, rotate_folder_name(segment_at(rotate, i)->number).s, 0);
	if (!code) {
		rotate->segments.n -= n;
		memmove(segment_at(rotate, 0), segment_at(rotate, n),
			rotate->segments.n * sizeof(struct rotate_segment));
	}
	return code;
}

static int next_segment(struct rotate *rotate, struct err *err)
{
	int code = end_segment(rotate, err);

	return code ? code : begin_segment(rotate, err);
}

static bool is_due(const struct rotate *rotate)
{
	const struct rotate_opts *opts = &rotate->opts;
	uint64_t age_ns = now_of(rotate) - last_of(rotate)->begin_ns;
	uint64_t bytes = perfetto_write_sink(rotate->writer)->n_bytes;

	return (opts->keep_ns && age_ns >= opts->keep_ns / ROTATE_SEGMENTS && age_ns >= SHORTEST_NS) ||
	       (opts->keep_bytes && last_of(rotate)->body_at + bytes >= opts->keep_bytes / ROTATE_SEGMENTS);
}

/* A segment that begins says what is missing before it; and what is too much goes. */
static int turn(struct rotate *rotate, struct err *err)
{
	bool begins = is_due(rotate);
	uint64_t now_ns = now_of(rotate);
	int code = begins ? next_segment(rotate, err) : 0;
	size_t n = code ? 0 : count_old(rotate, now_ns);

	if (code || !(n || (begins && rotate->dropped.n)))
		return code;
	return drop(rotate, n, err);
}

/* Dumps. */

static void refuse_dump(struct rotate *rotate, const char *why)
{
	struct err err = { 0 };

	rotate->dump.n_skipped++;
	if (rotate->dump.state != DUMP_NONE)
		err_set(&err, EBUSY, "one is being written");
	else
		err_set(&err, EDQUOT, "%u have been written, which is the limit", rotate->dump.n);
	if (rotate->opts.dumped && !rotate->err.code)
		rotate->opts.dumped(rotate->opts.ctx, "", why, &err);
}

void rotate_ask_dump(struct rotate *rotate, const char *why)
{
	struct rotate_dump *dump = &rotate->dump;
	struct err ignored;

	if (dump->state != DUMP_NONE || dump->n >= rotate->opts.max_dumps || rotate->err.code) {
		refuse_dump(rotate, why);
		return;
	}
	dump->n++;
	rotate_dump_number(dump, rotate->opts.path);
	dump->state = DUMP_WAITS;
	dump->first = segment_at(rotate, 0)->number;
	dump->begin_ns = segment_at(rotate, 0)->begin_ns;
	dump->until_ns = now_of(rotate) + rotate->opts.dump_after_ns;
	snprintf(rotate->why, sizeof rotate->why, "%s", why);
	note_dump(rotate, rotate_dump_path(rotate->opts.path, dump->number).s, why, &ignored);
}

bool rotate_newest_dump(const struct rotate *rotate, struct rotate_dumped *dumped)
{
	const struct rotate_dump *dump = &rotate->dump;

	if (!dump->n)
		return false;
	*dumped = (struct rotate_dumped){ dump->begin_ns, dump->until_ns,
					  rotate_dump_path(rotate->opts.path, dump->number), "" };
	memcpy(dumped->why, rotate->why, sizeof dumped->why);
	return true;
}

static bool has_room(const struct rotate *rotate, uint64_t last)
{
	uint64_t bytes = 0;

	for (size_t i = 0; i < rotate->segments.n && segment_at(rotate, i)->number <= last; i++)
		bytes += segment_at(rotate, i)->bytes;
	return !rotate->opts.left_bytes || rotate->opts.left_bytes(rotate->fd) > bytes;
}

/* Copies a part of it; what goes wrong ends the dump, not the recording. */
static void copy_dump(struct rotate *rotate, uint64_t max)
{
	struct rotate_dump *dump = &rotate->dump;
	const char *path = rotate->opts.path;
	struct err err = { 0 };
	int code;

	if (dump->state == DUMP_WAITS && !has_room(rotate, dump->last)) {
		dump->state = DUMP_NONE;
		rotate_copy_drop(&dump->copy);
		code = err_set(&err, ENOSPC, "the disk has no room for it");
	} else {
		code = rotate_dump_copy(dump, rotate->stream.folder, segment_at(rotate, 0), max, path, &err);
	}
	if (code && rotate->opts.dumped)
		rotate->opts.dumped(rotate->opts.ctx, rotate_dump_path(path, dump->number).s, rotate->why,
				    code < 0 ? &err : NULL);
}

/* With a flush: ends the last segment of a dump whose time is over, and copies. */
static int turn_dump(struct rotate *rotate, struct err *err)
{
	struct rotate_dump *dump = &rotate->dump;
	struct err later;
	int code = 0;

	if (dump->state == DUMP_WAITS)
		rotate_dump_reserve(dump, rotate->stream.folder, &later);
	if (dump->state == DUMP_WAITS && now_of(rotate) >= dump->until_ns) {
		dump->last = last_of(rotate)->number;
		code = next_segment(rotate, err);
		if (!code)
			copy_dump(rotate, DUMP_PART);
	} else if (dump->state == DUMP_COPIES) {
		copy_dump(rotate, DUMP_PART);
	}
	return code;
}

/* All that is there by the end. */
static void end_dump(struct rotate *rotate)
{
	if (rotate->dump.state == DUMP_WAITS)
		rotate->dump.last = last_of(rotate)->number;
	if (rotate->dump.state != DUMP_NONE)
		copy_dump(rotate, UINT64_MAX);
}

/* An existing file goes when the recording begins, not before. */
static void replace(struct rotate *rotate)
{
	if (!rotate->has_begun && rotate->opts.overwrites)
		unlink(rotate->opts.path);
	rotate->has_begun = true;
}

static int write_out(struct sink *sink, int (*pass)(struct sink *sink, struct err *err), struct err *err)
{
	struct rotate *rotate = (struct rotate *)sink;
	struct sink *out;
	int code;

	if (rotate->err.code)
		return failure(rotate, err);
	replace(rotate);
	out = perfetto_write_sink(rotate->writer);
	code = pass(out, err);
	if (!code)
		code = turn(rotate, err);
	if (!code)
		code = turn_dump(rotate, err);
	if (code)
		rotate->err = *err;
	out = rotate->writer ? perfetto_write_sink(rotate->writer) : NULL;
	sink->n_bytes = rotate->complete_bytes + (out ? out->n_bytes : 0);
	sink->n_moved = rotate->n_moved + (out ? out->n_moved : 0);
	return code;
}

static int flush(struct sink *sink, struct err *err)
{
	return write_out(sink, sink_flush, err);
}

static int sync_(struct sink *sink, struct err *err)
{
	struct rotate *rotate = (struct rotate *)sink;

	if (rotate->dump.n_skipped != rotate->n_skipped && note_dump(rotate, NULL, "", err))
		return -err->code;
	return write_out(sink, sink_sync, err);
}

/* The whole. */

static void release(struct rotate *rotate)
{
	struct err ignored;

	end_segment(rotate, &ignored);
	rotate_live_done(&rotate->live);
	array_done(&rotate->segments, sizeof(struct rotate_segment));
	close(rotate->stream.folder);
	free(rotate);
}

struct rotate *rotate_new(struct names *names, uint32_t *last_track, const struct rotate_opts *opts, struct err *err)
{
	struct rotate *rotate = calloc(1, sizeof *rotate);

	if (!rotate) {
		err_no_memory(err, "cannot write the recording");
		return NULL;
	}
	rotate->opts = *opts;
	rotate->fd = -1;
	rotate->sink =
	    (struct sink){ .put = put, .names = names, .last_track = last_track, .flush = flush, .sync = sync_ };
	rotate->stream = (struct rotate_stream){
		.names = names, .last_track = last_track, .live = &rotate->live, .compress = opts->compress
	};
	if (getrandom(&rotate->stream.salt, sizeof rotate->stream.salt, GRND_NONBLOCK) != sizeof rotate->stream.salt)
		rotate->stream.salt = clock_ns() ^ (uint64_t)getpid() << 40;
	rotate->stream.folder = rotate_folder_make(opts->path, !opts->overwrites, err);
	if (rotate->stream.folder < 0) {
		free(rotate);
		return NULL;
	}
	if (rotate_live_init(&rotate->live, names, err) || begin_segment(rotate, err)) {
		rotate_drop(rotate);
		return NULL;
	}
	return rotate;
}

struct sink *rotate_sink(struct rotate *rotate)
{
	return &rotate->sink;
}

uint64_t rotate_kept_bytes(const struct rotate *rotate)
{
	uint64_t bytes = rotate->writer ? perfetto_write_sink(rotate->writer)->n_bytes : 0;

	for (size_t i = 0; i < rotate->segments.n; i++)
		bytes += segment_at(rotate, i)->bytes;
	return bytes;
}

const int *rotate_fd(const struct rotate *rotate)
{
	return &rotate->fd;
}

static int join_all(struct rotate *rotate, struct err *err)
{
	struct rotate_copy copy;
	int code = rotate_copy_begin(&copy, rotate->stream.folder, "all", err);
	uint64_t bytes = 0, at;

	for (size_t i = 0; i < rotate->segments.n; i++)
		bytes += segment_at(rotate, i)->bytes;
	if (!code && rotate->opts.left_bytes && rotate->opts.left_bytes(copy.to) < bytes)
		code = err_set(err, ENOSPC, "the disk has no room for a second copy");
	for (size_t i = 0; i < rotate->segments.n && !code; i++) {
		at = i ? segment_at(rotate, i)->body_at : 0;
		code = rotate_copy_add(&copy, segment_at(rotate, i)->number, &at, segment_at(rotate, i)->bytes,
				       UINT64_MAX, err);
	}
	if (!code)
		code = rotate_copy_end(&copy, rotate->opts.path, err);
	rotate_copy_drop(&copy);
	return code;
}

int rotate_close(struct rotate *rotate, char *path, struct err *err)
{
	const char *to = rotate->opts.path;
	int code = end_segment(rotate, err);

	if (!code)
		end_dump(rotate);
	if (!code && rotate->segments.n == 1)
		code = rotate_copy_move(rotate->stream.folder, rotate_folder_name(segment_at(rotate, 0)->number).s, to,
					err);
	else if (!code)
		code = join_all(rotate, err);
	snprintf(path, PATH_MAX, "%s", code ? rotate_folder_of(to).s : to);
	if (code)
		err_wrap(err, "the segments stay in %s, which is read like one file", path);
	else
		rotate_folder_remove(rotate->stream.folder, to);
	release(rotate);
	return code;
}

void rotate_drop(struct rotate *rotate)
{
	if (!rotate)
		return;
	rotate_folder_remove(rotate->stream.folder, rotate->opts.path);
	release(rotate);
}
