// SPDX-License-Identifier: Apache-2.0
/*
 * A profile and a recording have no clock in common that both can be trusted to keep: executions are told apart by
 * their order. The n-th in the profile is the n-th operator of that name (or provider), or the n-th inference, in the
 * recording, if there are as many of them; else nothing is placed, rather than in the wrong place.
 */
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/array.h"
#include "experiment/model_in.h"
#include "trace/perfetto/perfetto_write.h"

enum { MAX_LANES = 64 };

/* An operator's slice, and the execution that it is. */
struct spot {
	uint64_t begin_ns, end_ns;
	uint32_t name, process, inference;
	const struct device_execution *execution; /* NULL: none */
};

struct lane {
	uint32_t track, process;
	uint64_t end_ns;
};

struct place {
	const struct recording *recording;
	const struct device_profile *profile;
	const char *provider;
	struct model_placed *placed;
	struct err *err;
	struct spot *spots;
	size_t n_spots, spot_room;
	struct perfetto_writer *writer;
	uint32_t last_track;
	struct lane lanes[MAX_LANES];
	int n_lanes;
	uint32_t cycles_source;
};

static bool add_spot(struct place *place, const struct store_track *track, size_t row)
{
	const struct store_slices *slices = &track->slices;

	if (!ARRAY_ROOM(place->spots, place->spot_room, place->n_spots + 1))
		return false;
	place->spots[place->n_spots++] = (struct spot){
		.begin_ns = slices->begin_ns[row],
		.end_ns = slices->end_ns[row],
		.name = slices->name[row],
		.process = store_process_of(place->recording->store, track->id),
		.inference = slices->inference ? slices->inference[row] : 0,
	};
	return true;
}

/* Executions of the same: an operator of that name, any of the provider's (0), or inferences. */
static bool is_alike(const struct device_execution *a, const struct device_execution *b)
{
	return a->is_inference == b->is_inference && a->operator == b->operator;
}

static bool is_meant(const struct place *place, const struct store_track *track, size_t row,
		     const struct device_execution *like)
{
	const struct arg *provider;

	if (track->slices.kind[row] != (like->is_inference ? KIND_INFERENCE : KIND_OPERATOR) ||
	    track->slices.end_ns[row] == STORE_OPEN)
		return false;
	if (like->is_inference)
		return true;
	if (like->operator)
		return track->slices.name[row] == like->operator;
	provider = store_slice_arg(place->recording->store, track, row, KEY_PROVIDER);
	return !strcmp(names_text(place->recording->names, store_text(provider)), place->provider);
}

static bool find_spots(struct place *place, const struct device_execution *like)
{
	const struct store *store = place->recording->store;

	for (uint32_t id = 1; id <= store_n_tracks(store); id++) {
		const struct store_track *track = store_track(store, id);

		for (size_t row = 0; track && row < track->slices.n; row++)
			if (is_meant(place, track, row, like) && !add_spot(place, track, row))
				return false;
	}
	return true;
}

static int by_begin(const void *left, const void *right)
{
	const struct spot *a = left, *b = right;

	return a->begin_ns < b->begin_ns ? -1 : a->begin_ns > b->begin_ns;
}

static bool do_overlap(const struct spot *spots, size_t n)
{
	for (size_t i = 1; i < n; i++)
		if (spots[i].begin_ns < spots[i - 1].end_ns)
			return true;
	return false;
}

static void why_not(struct place *place, const char *fmt, size_t a, size_t b)
{
	if (!*place->placed->why_not)
		snprintf(place->placed->why_not, sizeof place->placed->why_not, fmt, a, b);
}

/* Operators of one name (or inferences) and executions of it, both in order. */
static bool match(struct place *place, const struct device_execution *like)
{
	const struct device_profile *profile = place->profile;
	size_t first = place->n_spots, n = 0, next;

	if (!find_spots(place, like))
		return false;
	for (size_t i = 0; i < profile->n_executions; i++)
		n += is_alike(&profile->executions[i], like);
	if (n != place->n_spots - first) {
		why_not(place, "its profile has %zu executions and the recording %zu: which is which is not known", n,
			place->n_spots - first);
		place->n_spots = first;
		return true;
	}
	qsort(place->spots + first, n, sizeof *place->spots, by_begin);
	if (!like->operator && do_overlap(place->spots + first, n)) {
		why_not(place, "executions overlap, and its profile does not distinguish them", 0, 0);
		place->n_spots = first;
		return true;
	}
	next = first;
	for (size_t i = 0; i < profile->n_executions; i++)
		if (is_alike(&profile->executions[i], like))
			place->spots[next++].execution = &profile->executions[i];
	return true;
}

static bool match_all(struct place *place)
{
	const struct device_profile *profile = place->profile;

	for (size_t i = 0; i < profile->n_executions; i++) {
		bool is_known = false;

		for (size_t before = i; before-- > 0 && !is_known;)
			is_known = is_alike(&profile->executions[before], &profile->executions[i]);
		if (!is_known && !match(place, &profile->executions[i]))
			return false;
	}
	if (place->n_spots)
		qsort(place->spots, place->n_spots, sizeof *place->spots, by_begin);
	return true;
}

static int put(struct place *place, const struct event *event)
{
	return sink_put(perfetto_write_sink(place->writer), event, place->err);
}

/* Below its process, which is told once more as the same track. */
static int open_lane(struct place *place, struct lane *lane, uint32_t process)
{
	const struct store_track *parent = store_track(place->recording->store, process);
	struct track_def def = { .type = TRACK_LANE, .parent = parent ? process : 0 };
	struct event event = { .type = EVENT_TRACK, .track = process, .def = parent ? &parent->def : NULL };
	char name[200], number[16] = "";
	int code = parent ? put(place, &event) : 0, n = 1;

	for (int i = 0; i < place->n_lanes; i++)
		n += place->lanes[i].process == process;
	if (n > 1)
		snprintf(number, sizeof number, " %d", n);
	snprintf(name, sizeof name, "%.150s profile%s", place->provider, number);
	def.name = names_of(place->recording->names, name);
	*lane = (struct lane){ .track = ++place->last_track, .process = process };
	event.track = lane->track;
	event.def = &def;
	return code ? code : put(place, &event);
}

/* One that is free from begin_ns on; when there can be no more, the one that is free first. NULL: the file is not
 * written. */
static struct lane *free_lane(struct place *place, uint32_t process, uint64_t begin_ns)
{
	struct lane *first = NULL;

	for (int i = 0; i < place->n_lanes; i++) {
		struct lane *lane = &place->lanes[i];

		if (lane->process != process)
			continue;
		if (lane->end_ns <= begin_ns)
			return lane;
		if (!first || lane->end_ns < first->end_ns)
			first = lane;
	}
	if (place->n_lanes == MAX_LANES)
		return first;
	if (open_lane(place, &place->lanes[place->n_lanes], process))
		return NULL;
	return &place->lanes[place->n_lanes++];
}

struct length {
	uint64_t begin_ns, end_ns;
	uint64_t reported_ns; /* 0: as long as the slice, or not told */
	double share;	      /* below 0: there is none */
};

static int begin(struct place *place, struct lane *lane, const struct spot *spot, const struct device_row *row,
		 const struct length *length)
{
	struct event event = { .type = EVENT_BEGIN,
			       .kind = row->is_whole ? KIND_STAGE : KIND_KERNEL,
			       .track = lane->track,
			       .name = row->name,
			       .time_ns = length->begin_ns };
	struct arg args[8];
	size_t n = 0;

	if (row->op_type)
		args[n++] = arg_name(KEY_OP_TYPE, row->op_type);
	if (row->implementation)
		args[n++] = arg_name(KEY_IMPLEMENTATION, row->implementation);
	if (row->source_ops)
		args[n++] = arg_name(KEY_SOURCE_OPS, row->source_ops);
	if (row->unit == DEVICE_CYCLES)
		args[n++] = arg_int(KEY_CYCLES, row->value);
	if (length->share >= 0)
		args[n++] = arg_real(KEY_SHARE, length->share);
	if (length->reported_ns)
		args[n++] = arg_int(KEY_REPORTED_NS, (int64_t)length->reported_ns);
	if (spot->inference)
		args[n++] = arg_int(KEY_INFERENCE, spot->inference);
	args[n++] = arg_name(KEY_SOURCE, row->unit == DEVICE_CYCLES ? place->cycles_source : place->profile->source);
	event.args = args;
	event.n_args = n;
	place->placed->n_slices += !row->is_whole;
	return put(place, &event);
}

static int end(struct place *place, struct lane *lane, uint64_t end_ns)
{
	struct event event = { .type = EVENT_END, .track = lane->track, .time_ns = end_ns };

	lane->end_ns = end_ns;
	return put(place, &event);
}

static int put_slice(struct place *place, struct lane *lane, const struct spot *spot, const struct device_row *row,
		     const struct length *length)
{
	int code = begin(place, lane, spot, row, length);

	return code ? code : end(place, lane, length->end_ns);
}

/* Not longer than until end_ns. */
static struct length cut(uint64_t begin_ns, int64_t us, uint64_t end_ns)
{
	struct length length = { .begin_ns = begin_ns < end_ns ? begin_ns : end_ns, .share = -1 };
	uint64_t ns = (uint64_t)us * 1000;

	length.end_ns = ns < end_ns - length.begin_ns ? length.begin_ns + ns : end_ns;
	length.reported_ns = length.end_ns - length.begin_ns == ns ? 0 : ns;
	return length;
}

static int64_t all_cycles(const struct device_row *rows, size_t n)
{
	int64_t sum = 0;

	for (size_t i = 0; i < n; i++)
		if (rows[i].unit == DEVICE_CYCLES && !rows[i].is_whole && rows[i].value < INT64_MAX - sum)
			sum += rows[i].value;
	return sum;
}

/* Rows that follow each other from at_ns on, within the execution. */
static int put_rows(struct place *place, struct lane *lane, const struct spot *spot, const struct length *whole)
{
	const struct device_row *row = place->profile->rows + spot->execution->first, *last = row + spot->execution->n;
	double all = (double)all_cycles(row, spot->execution->n), cycles = 0;
	uint64_t at_ns = whole->begin_ns;
	int code = 0;

	for (; row < last && !code; row++) {
		struct length length;

		if (row->is_whole)
			continue;
		if (row->unit == DEVICE_US) {
			length = cut(at_ns, row->value, whole->end_ns);
		} else {
			cycles += (double)row->value;
			length = (struct length){ .begin_ns = at_ns, .share = all > 0 ? (double)row->value / all : 0 };
			length.end_ns =
			    whole->begin_ns +
			    (uint64_t)(all > 0 ? (double)(whole->end_ns - whole->begin_ns) * fmin(cycles / all, 1) : 0);
		}
		at_ns = length.end_ns;
		code = put_slice(place, lane, spot, row, &length);
	}
	return code;
}

/* No profile of cycles says when anything began: the execution is laid at the begin of its operator. */
static int put_in_order(struct place *place, const struct spot *spot)
{
	const struct device_execution *execution = spot->execution;
	const struct device_row *row =
	    execution->whole == DEVICE_NO_ROW ? NULL : &place->profile->rows[execution->whole];
	struct lane *lane = free_lane(place, spot->process, spot->begin_ns);
	struct length whole = { spot->begin_ns, spot->end_ns, 0, -1 };
	int code;

	if (!lane)
		return -place->err->code;
	if (row)
		whole = cut(spot->begin_ns, row->value, spot->end_ns);
	code = row ? begin(place, lane, spot, row, &whole) : 0;
	if (!code)
		code = put_rows(place, lane, spot, &whole);
	return !code && row ? end(place, lane, whole.end_ns) : code;
}

static int put_where_told(struct place *place, const struct spot *spot)
{
	const struct device_execution *execution = spot->execution;
	int code = 0;

	for (size_t i = execution->first; i < execution->first + execution->n && !code; i++) {
		const struct device_row *row = &place->profile->rows[i];
		uint64_t begin_ns = spot->begin_ns + (uint64_t)row->offset_us * 1000;
		struct lane *lane = free_lane(place, spot->process, begin_ns < spot->end_ns ? begin_ns : spot->end_ns);
		struct length length;

		if (!lane)
			return -place->err->code;
		length = cut(begin_ns > lane->end_ns ? begin_ns : lane->end_ns, row->value, spot->end_ns);
		code = put_slice(place, lane, spot, row, &length);
	}
	return code;
}

static int put_all(struct place *place)
{
	int code = 0;

	for (size_t i = 0; i < place->n_spots && !code; i++) {
		const struct spot *spot = &place->spots[i];
		bool is_told = spot->execution && spot->execution->n;

		if (!spot->execution || (!spot->execution->n && spot->execution->whole == DEVICE_NO_ROW))
			continue;
		for (size_t row = 0; is_told && row < spot->execution->n; row++)
			is_told = place->profile->rows[spot->execution->first + row].offset_us >= 0;
		code = is_told ? put_where_told(place, spot) : put_in_order(place, spot);
	}
	return code;
}

static int write_all(struct place *place, const char *path)
{
	struct perfetto_write_opts opts = { .is_more = true };
	int fd = open(path, O_WRONLY | O_CLOEXEC | O_NOFOLLOW), code;
	struct err ignored;

	if (fd < 0 || lseek(fd, 0, SEEK_END) < 0) {
		code = err_set(place->err, errno, "cannot add the provider's profile to %s: %s", path, strerror(errno));
		if (fd >= 0)
			close(fd);
		return code;
	}
	place->writer = perfetto_write_new(fd, place->recording->names, &place->last_track, &opts, place->err);
	code = place->writer ? put_all(place) : -place->err->code;
	if (place->writer)
		code = perfetto_write_free(place->writer, code ? &ignored : place->err) && !code ? -place->err->code
												 : code;
	close(fd);
	return code;
}

int model_place(const struct recording *recording, const char *path, const struct device_profile *profile,
		const char *provider, struct model_placed *placed, struct err *err)
{
	struct place place = { .recording = recording,
			       .profile = profile,
			       .provider = provider,
			       .placed = placed,
			       .err = err,
			       .last_track = recording->last_track };
	char source[200];
	int code;

	*placed = (struct model_placed){ 0 };
	snprintf(source, sizeof source, "%s: share of cycles, not a measured time",
		 names_text(recording->names, profile->source));
	place.cycles_source = names_of(recording->names, source);
	if (profile->n_apart)
		why_not(&place, "the profile does not say in which inferences %zu kernels ran", profile->n_apart, 0);
	code = match_all(&place) ? 0 : err_no_memory(err, "cannot add the provider's profile");
	if (!code && place.n_spots)
		code = write_all(&place, path);
	free(place.spots);
	return code;
}
